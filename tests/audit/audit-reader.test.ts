import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { matchingLines } from '../../src/audit/audit-lines.ts';
import { codeOf } from '../../src/errors/svc-error.ts';
import { AuditQuestions } from '../../src/audit/audit-questions.ts';
import { AuditReader } from '../../src/audit/audit-reader.ts';
import type { AuditQuestion } from '../../src/audit/audit-query.ts';
import { segmentFile, segmentsIn } from '../../src/audit/chain-files.ts';
import { AuditFolder, change, read } from './support/audit-folder.ts';
import { diskCalls } from './support/disk-calls.ts';
import { until } from './support/until.ts';

const DAY = 86_400_000;
const BEGIN = Date.parse('2026-01-01T12:00:00Z');

let folder: AuditFolder;
let reader: AuditReader;
let now = BEGIN;
const index = () => join(folder.path, 'index.db');
const ask = (question: Partial<AuditQuestion>) => reader.ask({ limit: 100, ...question });
const ids = (question: Partial<AuditQuestion>) => ask(question).lines.map((line) => String(line['requestId']).slice(2));

beforeEach(async () => {
  folder = new AuditFolder();
  now = BEGIN;
  const bob = { ...change('').who, subject: 'bob', name: 'Bob' };
  for (let day = 0; day < 3; day += 1) {
    const store = await folder.open({}, () => now);
    await store.write(
      change(`a-${day}`, {
        resources: [
          { provider: 'main', bucket: 'files', key: 'a', action: 'objects:write', outcome: 'done' },
          { provider: 'main', bucket: 'files', key: 'b', action: 'objects:write', outcome: 'denied' },
        ],
      }),
    );
    now += 1_000;
    await store.write(read(`b-${day}`, { who: bob, outcome: 'denied', why: 'access_denied' }));
    now += DAY - 1_000;
    await store.close();
  }
  reader = new AuditReader(folder.path);
});
afterEach(async () => {
  reader.close();
  await folder.remove();
});

describe('a question to the audit', () => {
  it.each<[string, Partial<AuditQuestion>, string[]]>([
    ['all', {}, ['b-2', 'a-2', 'b-1', 'a-1', 'b-0', 'a-0']],
    ['an object', { resource: 'main/files/a' }, ['a-2', 'a-1', 'a-0']],
    ['another object of the same requests', { resource: 'main/files/b' }, ['a-2', 'a-1', 'a-0']],
    ['an object that is part of the name of another', { resource: 'main/files/' }, []],
    ['what begins with a prefix', { prefix: 'main/files/b-' }, ['b-2', 'b-1', 'b-0']],
    ['a prefix and a person', { prefix: 'main/files/b', subject: 'ada' }, ['a-2', 'a-1', 'a-0']],
    ['a prefix that nothing begins with', { prefix: 'files/' }, []],
    ['a person', { subject: 'bob' }, ['b-2', 'b-1', 'b-0']],
    ['a person of an issuer', { subject: 'bob', issuer: 'https://login.example' }, ['b-2', 'b-1', 'b-0']],
    ['a person of another issuer', { subject: 'bob', issuer: 'https://other.example' }, []],
    ['a part of a subject', { subject: 'ob' }, []],
    ['a day', { from: BEGIN + DAY, to: BEGIN + 2 * DAY }, ['b-1', 'a-1']],
    ['an outcome', { outcome: 'denied' }, ['b-2', 'b-1', 'b-0']],
    ['an operation', { operation: 'object/write' }, ['a-2', 'a-1', 'a-0']],
    ['changes', { only: 'changes' }, ['a-2', 'a-1', 'a-0']],
    ['storage', { only: 'storage' }, ['b-2', 'a-2', 'b-1', 'a-1', 'b-0', 'a-0']],
    ['an operation that is none', { operation: 'object/none' }, []],
    [
      'all of it at once',
      {
        subject: 'ada',
        resource: 'main/files/a',
        operation: 'object/write',
        outcome: 'done',
        from: BEGIN,
        to: BEGIN + 1,
      },
      ['a-0'],
    ],
  ])('is answered for %s', (_what, question, found) => {
    expect(ids(question)).toEqual(found);
    expect(ask(question).complete).toBe(true);
  });

  it('about changes leaves out the tickets and parts of transfers, unless they were refused or failed', async () => {
    const store = await folder.open({}, () => now);
    await store.write(change('ticket', { operation: 'transfer/create' }));
    await store.write(change('part', { operation: 'upload/part' }));
    await store.write(change('refused', { operation: 'transfer/create', outcome: 'denied', why: 'access_denied' }));
    await store.write(change('end', { operation: 'upload/complete' }));
    const asked = ask({ only: 'changes', from: now }).lines.map((line) => line['requestId']);
    expect(asked).toEqual(['end', 'refused'].map((name) => change(name).requestId));
    expect(ask({ only: 'storage', from: now }).lines).toHaveLength(4);
    await store.close();
  });

  it('is answered in pages that end at the same place, whatever comes meanwhile', async () => {
    const first = ask({ limit: 2 });
    const store = await folder.open({}, () => now);
    await store.write(change('new'));
    const rest: string[] = [];
    for (let cursor = first.nextCursor; cursor !== null;) {
      const page = ask({ limit: 3, cursor });
      rest.push(...page.lines.map((line) => String(line['requestId']).slice(2)));
      cursor = page.nextCursor;
    }
    expect(rest).toEqual(['b-1', 'a-1', 'b-0', 'a-0']);
    expect(ids({ limit: 1 })).toEqual(['new']);
  });

  it('is answered in short pages where lines are long', async () => {
    const store = await folder.open({}, () => now);
    const resources = Array.from(
      { length: 1_000 },
      (_, i) =>
        ({
          provider: 'main',
          bucket: 'files',
          key: `${'x'.repeat(1_000)}${i}`,
          action: 'objects:delete',
          outcome: 'done',
        }) as const,
    );
    for (let i = 0; i < 6; i += 1) await store.write(change('long', { operation: 'object/delete', resources }));
    await until(() => ask({ limit: 1 }).complete, 'the index has all lines');
    const first = ask({ operation: 'object/delete', limit: 1_000 });
    const second = ask({ operation: 'object/delete', limit: 1_000, cursor: first.nextCursor! });
    expect([first.lines.length < 60, first.lines.length + second.lines.length, second.nextCursor]).toEqual([
      true,
      60,
      null,
    ]);
  });

  it('names a change whose end is not known, until it is', async () => {
    const store = await folder.open({}, () => now);
    const { who, requestId, address, face, operation, resources } = change('c');
    const intent = await store.intend({ who, requestId, address, face, operation, resources });
    expect(ask({ outcome: 'unknown' }).lines).toMatchObject([{ kind: 'intent', requestId: 'r-c', instance: 'one' }]);
    expect(ids({ resource: 'main/files/c' })).toEqual(['c']);
    await store.write(change('c', { intent }));
    expect(ask({ outcome: 'unknown' }).lines).toEqual([]);
    expect(ask({ resource: 'main/files/c' }).lines).toMatchObject([{ kind: 'outcome', outcome: 'done' }]);
  });

  it('is answered from the lines of all instances', async () => {
    const store = await folder.open({ instance: 'two' }, () => now);
    await store.write(change('z'));
    expect(ask({ limit: 2 }).lines.map((line) => [line.instance, line['requestId']])).toEqual([
      ['two', 'r-z'],
      ['one', 'r-b-2'],
    ]);
  });
});

const ADA = { person: 'ada' };

describe('a question in a thread', () => {
  it('that cannot be passed to the thread does not count as waiting', async () => {
    const questions = new AuditQuestions(folder.path);
    for (let i = 0; i < 64; i += 1)
      await expect(questions.ask({ limit: 1, subject: (() => 'ada') as unknown as string }, ADA)).rejects.toMatchObject(
        { name: 'DataCloneError' },
      );
    expect((await questions.ask({ limit: 1 }, ADA)).lines).toHaveLength(1);
    await questions.close();
  });

  it('waits for others of the same person, who may not have too many, and comes before those when it is of another', async () => {
    const questions = new AuditQuestions(folder.path);
    const ends: string[] = [];
    const ask = (person: string) =>
      questions
        .ask({ limit: 1 }, { person })
        .then(
          () => 'answered',
          (error: unknown) => codeOf(error),
        )
        .finally(() => ends.push(person));
    const asked = Array.from({ length: 30 }, () => ask('ada'));
    expect(await ask('vic')).toBe('answered');
    expect(ends.filter((person) => person === 'ada').length).toBeLessThan(30 - 10);
    const outcomes = await Promise.all(asked);
    expect([
      outcomes.filter((each) => each === 'answered').length,
      outcomes.filter((each) => each === 'rate_limited').length,
    ]).toEqual([18, 12]);
    await questions.close();
  });

  it('is refused after the end, and starts no other thread', async () => {
    const questions = new AuditQuestions(folder.path);
    await questions.close();
    await expect(questions.ask({ limit: 1 }, ADA)).rejects.toMatchObject({ code: 'audit_unavailable' });
  });
});

describe('the index', () => {
  it.each<[string, () => void]>([
    ['is not there', () => undefined],
    [
      'is no database',
      () => writeFileSync(index(), 'no database at all, but long enough to be read as one'.repeat(200)),
    ],
    ['was cut off', () => truncateSync(index(), 5_000)],
    ['is full of zeros', () => writeFileSync(index(), Buffer.alloc(statSync(index()).size))],
    [
      'was damaged in the middle',
      () => {
        const bytes = readFileSync(index());
        bytes.fill(0xaa, 8_192, 40_000);
        writeFileSync(index(), bytes);
      },
    ],
  ])('is made anew when it %s', (what, damage) => {
    ask({});
    reader.close();
    if (what === 'is not there') writeFileSync(index(), '');
    damage();
    expect(ids({})).toEqual(['b-2', 'a-2', 'b-1', 'a-1', 'b-0', 'a-0']);
    expect(ids({ resource: 'main/files/a' })).toEqual(['a-2', 'a-1', 'a-0']);
    expect(statSync(index()).mode & 0o777).toBe(0o600);
  });

  it('is never the truth: a line that was changed is told as it is, and not for what it was', () => {
    ask({});
    const file = segmentsIn(folder.chain)
      .map((segment) => segmentFile(folder.chain, segment))
      .find((one) => readFileSync(one, 'utf8').includes('r-b-1'))!;
    writeFileSync(file, readFileSync(file, 'utf8').replace('"subject":"bob"', '"subject":"eve"'));
    expect(ids({ subject: 'bob' })).toEqual(['b-2', 'b-0']);
  });

  it('has the lines that were written again after the disk failed', async () => {
    const store = await folder.open({}, () => now);
    await store.write(change('kept'));
    const last = segmentsIn(folder.chain).at(-1)!;
    const file = segmentFile(folder.chain, last);
    const { size } = statSync(file);
    for (let i = 0; i < 20; i += 1) void store.write(read(`read-${i}`));
    await until(() => readFileSync(file, 'utf8').includes('read-19'), 'lines in the file');
    ask({});
    const disk = await diskCalls<{ datasync: () => Promise<void> }>();
    const { datasync } = disk;
    disk.datasync = () => Promise.reject(new Error('EIO'));
    await expect(Promise.resolve(store.write(change('refused')))).rejects.toMatchObject({ code: 'audit_unavailable' });
    disk.datasync = datasync;
    await store.write(change('after'));
    expect(readFileSync(file).subarray(size).toString()).toContain('"kind":"resumed"');
    expect(ids({ from: now }).toSorted()).toEqual(
      ['after', 'kept', ...Array.from({ length: 20 }, (_, i) => `read-${i}`)].toSorted(),
    );
    await store.close();
  });

  it.each([
    [
      'names no resource',
      '"time":"2026-01-02T00:00:00.000Z","kind":"outcome","operation":"object/read","resources":[null]}',
    ],
    ['has no time', '"time":"once","kind":"outcome","operation":"object/read","resources":[]}'],
    [
      'has no number',
      '"seq":{},"time":"2026-01-02T00:00:00.000Z","kind":"intent","operation":"object/write","resources":[]}',
    ],
    [
      'is a part of none',
      '"time":"2026-01-02T00:00:00.000Z","kind":"intent","operation":"object/write","line":"x","resources":[]}',
    ],
  ])('leaves out a damaged line that %s', (_what, rest) => {
    appendFileSync(segmentFile(folder.chain, segmentsIn(folder.chain).at(-1)!), `{"seq":9,"prev":"",${rest}\n`);
    expect(ids({})).toEqual(['b-2', 'a-2', 'b-1', 'a-1', 'b-0', 'a-0']);
    expect([...matchingLines(folder.path, { resource: 'main/files/a' })]).toHaveLength(3);
  });

  it('forgets segments that were removed', async () => {
    ask({});
    const store = await folder.open({ retentionMs: DAY }, () => now + 10 * DAY);
    await store.write(change('later'));
    await store.close();
    expect(ids({})).toEqual(['later']);
    expect(ids({ resource: 'main/files/a' })).toEqual([]);
  });

  it('is kept elsewhere where the folder cannot be written to', () => {
    if (process.getuid?.() === 0) return;
    chmodSync(folder.path, 0o500);
    const other = new AuditReader(folder.path);
    expect(other.ask({ limit: 1 }).lines).toHaveLength(1);
    other.close();
    expect(existsSync(index())).toBe(false);
    chmodSync(folder.path, 0o700);
  });

  it('is made anew where root made it, and the service has another user', () => {
    if (process.getuid?.() !== 0) return;
    ask({});
    execFileSync('chown', ['-R', 'nobody', dirname(folder.path)]);
    chownSync(index(), 0, 0);
    const asNobody = `
      const { AuditReader } = await import(process.argv[1]);
      process.seteuid('nobody');
      const reader = new AuditReader(process.argv[2]);
      console.log(reader.ask({ limit: 100 }).lines.length);
      reader.close();`;
    const reads = join(import.meta.dirname, '../../src/audit/audit-reader.ts');
    expect(
      execFileSync(process.execPath, ['--input-type=module', '-e', asNobody, reads, folder.path], { encoding: 'utf8' }),
    ).toBe('6\n');
    expect(ask({}).lines).toHaveLength(6);
  });
});
