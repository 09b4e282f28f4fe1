import {
  appendFileSync,
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { headFile, segmentFile, segmentsIn, type Head } from '../../src/audit/chain-files.ts';
import { hashOf } from '../../src/audit/chain-walk.ts';
import { SigningKey, type Signed } from '../../src/audit/signing-key.ts';
import { verifyAudit } from '../../src/audit/verify.ts';
import { AUDIT_SECRET, AuditFolder, change, PUBLIC_KEY, read } from './support/audit-folder.ts';
import { until } from './support/until.ts';

const MIB = 1_048_576;

let folder: AuditFolder;
beforeEach(() => {
  folder = new AuditFolder();
});
afterEach(() => folder.remove());

const linesOf = (segment: number) => readFileSync(segmentFile(folder.chain, segment), 'utf8').split('\n').slice(0, -1);
const faults = () =>
  folder.verify().flatMap((report) => report.faults.map(({ segment, what }) => `${segment}: ${what}`));

/** Writes three segments, the last of them closed too. */
async function threeSegments(): Promise<void> {
  for (let run = 1; run <= 3; run += 1) {
    const store = await folder.open();
    for (let i = 0; i < 5; i += 1) await store.write(change(`${run}-${i}`));
    await store.close();
  }
}

describe('an audit with a home of its own', () => {
  it('has a line for each change, with all that is known of it and the hash of the line before', async () => {
    const store = await folder.open();
    const intent = await store.intend({
      operation: 'object/write',
      who: change('a').who,
      requestId: 'r-a',
      address: '127.0.0.1',
      face: 'http',
      resources: [{ provider: 'main', bucket: 'files', key: 'a', action: 'objects:write' }],
    });
    await store.write(change('a', { intent }));
    const lines = linesOf(1);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        seq: 1,
        prev: '0'.repeat(64),
        time: expect.any(String),
        kind: 'segment',
        chain: expect.stringMatching(/^[0-9a-f-]{36}$/),
        segment: 1,
        reads: 'all',
      },
      expect.objectContaining({
        seq: 2,
        prev: hashOf(lines[0]!),
        kind: 'intent',
        operation: 'object/write',
        subject: 'ada',
        resources: [{ provider: 'main', bucket: 'files', key: 'a', action: 'objects:write' }],
      }),
      {
        seq: 3,
        prev: hashOf(lines[1]!),
        time: expect.any(String),
        kind: 'outcome',
        operation: 'object/write',
        outcome: 'done',
        issuer: 'https://login.example',
        subject: 'ada',
        name: 'Ada',
        via: 'web',
        credentialId: 'c1',
        address: '127.0.0.1',
        face: 'http',
        requestId: 'r-a',
        bytes: 3,
        durationMs: 1.5,
        intent: 2,
        resources: [
          { provider: 'main', bucket: 'files', key: 'a', action: 'objects:write', outcome: 'done', rule: 'team 0' },
        ],
      },
    ]);
  });

  it('keeps others out of its files', async () => {
    const store = await folder.open();
    await store.write(change('a'));
    await store.close();
    for (const name of readdirSync(folder.chain))
      expect([name, statSync(join(folder.chain, name)).mode & 0o077]).toEqual([name, 0]);
    expect(statSync(folder.path).mode & 0o077).toBe(0);
  });

  it('keeps the order, and waits once for many', async () => {
    const store = await folder.open({ segmentBytes: 65_536 });
    const since = performance.now();
    await Promise.all(
      Array.from({ length: 2_000 }, (_, i) =>
        Promise.resolve(store.write(i % 2 === 0 ? change(`k${i}`) : read(`k${i}`))),
      ),
    );
    expect(performance.now() - since).toBeLessThan(5_000);
    await store.close();
    const keys = segmentsIn(folder.chain)
      .flatMap((segment) => linesOf(segment))
      .map((line) => JSON.parse(line) as { kind: string; requestId?: string })
      .filter(({ kind }) => kind === 'outcome')
      .map(({ requestId }) => requestId);
    expect(keys).toEqual(Array.from({ length: 2_000 }, (_, i) => `r-k${i}`));
    expect(segmentsIn(folder.chain).length).toBeGreaterThan(1);
    expect(faults()).toEqual([]);
  });

  it('has one line for every record, whatever its key holds', async () => {
    const store = await folder.open();
    const keys = ['a\nb', '\u2028\u2029', '\ud800 alone', '"}{"seq":1', '\u0000', '🗂️'];
    for (const key of keys) await store.write(change(key));
    await store.close();
    expect(linesOf(1)).toHaveLength(keys.length + 1);
    expect(
      linesOf(1)
        .slice(1)
        .map((line) => (JSON.parse(line) as { resources: { key: string }[] }).resources[0]!.key),
    ).toEqual(keys);
    expect(faults()).toEqual([]);
  });

  it('has a folder for each process that writes at the same time, and goes on in the first that is free', async () => {
    const [one, two] = [await folder.open(), await folder.open()];
    await Promise.all([one.write(change('a')), two.write(change('b'))]);
    await one.close();
    const three = await folder.open();
    await three.write(change('c'));
    await Promise.all([two.close(), three.close()]);
    expect(folder.verify()).toMatchObject([
      { name: 'one', segments: 2, lines: 4, faults: [] },
      { name: 'one.2', segments: 1, lines: 2, faults: [] },
    ]);
  });

  it('begins a segment each day, and removes those that are too old; what was removed is signed', async () => {
    let now = Date.parse('2026-01-01T23:59:00Z');
    const store = await folder.open({ retentionMs: 30 * 86_400_000 }, () => now);
    for (let day = 0; day < 3; day += 1) {
      await store.write(change(`day-${day}`));
      now += 86_400_000;
    }
    await store.close();
    expect(segmentsIn(folder.chain)).toEqual([1, 2, 3]);
    now = Date.parse('2026-02-02T00:00:00Z');
    const later = await folder.open({ retentionMs: 30 * 86_400_000 }, () => now);
    await later.write(change('later'));
    await later.close();
    expect(segmentsIn(folder.chain)).toEqual([3, 4]);
    expect(folder.verify()).toMatchObject([{ removed: 4, lines: 4, last: 8, faults: [] }]);
    rmSync(segmentFile(folder.chain, 3));
    rmSync(headFile(folder.chain, 3));
    expect(faults()).toEqual(['4: segment 3 is not there', '4: before it, lines 5 to 6 are not there']);
  });

  it('removes the last segment of an earlier run at the start, when that is too old', async () => {
    let now = Date.parse('2026-01-01T12:00:00Z');
    const store = await folder.open({ retentionMs: 30 * 86_400_000 }, () => now);
    await store.write(change('old'));
    await store.close();
    now += 31 * 86_400_000;
    const later = await folder.open({ retentionMs: 30 * 86_400_000 }, () => now);
    await until(() => segmentsIn(folder.chain).length === 0, 'the removal of the only segment');
    await later.write(change('new'));
    await later.close();
    expect(segmentsIn(folder.chain)).toEqual([2]);
    expect(folder.verify()).toMatchObject([{ removed: 2, lines: 2, last: 4, faults: [] }]);
  });

  it('goes on when the clock goes back', async () => {
    let now = Date.parse('2026-03-02T00:00:10Z');
    const store = await folder.open({}, () => now);
    await store.write(change('a'));
    now -= 86_400_000;
    await store.write(change('b'));
    await store.close();
    expect(folder.verify()).toMatchObject([{ segments: 2, faults: [] }]);
  });

  it('takes what another secret signed only when its key is named', async () => {
    await threeSegments();
    const other = new SigningKey('another signing secret, long enough too');
    expect(verifyAudit(folder.path, [other.publicKey])[0]!.faults).toContainEqual({
      segment: 1,
      what: `its head was signed with another key, \`${PUBLIC_KEY}\``,
    });
    const store = await folder.open({
      signingSecret: 'another signing secret, long enough too',
      formerKeys: [PUBLIC_KEY],
    });
    await store.write(change('new'));
    await store.close();
    expect(verifyAudit(folder.path, [other.publicKey, PUBLIC_KEY])).toMatchObject([{ segments: 4, faults: [] }]);
  });
});

describe('what was done to the files of an audit', () => {
  beforeEach(threeSegments);

  it.each<[string, () => void, string[]]>([
    ['nothing', () => undefined, []],
    [
      'a line was changed',
      () => edit(2, (lines) => lines.map((line, i) => (i === 2 ? line.replace('"ada"', '"bob"') : line))),
      [
        '2: line 10 does not follow line 9: it was changed, inserted or moved, or a line before it was removed',
        '2: it was signed with 6 lines, and lines 10 to 12 are missing or changed',
      ],
    ],
    [
      'the last line was changed',
      () => edit(3, (lines) => lines.map((line, i) => (i === 5 ? line.replace('"ada"', '"bob"') : line))),
      ['3: line 18 is not the one that was signed'],
    ],
    [
      'a line was taken away',
      () => edit(1, (lines) => lines.filter((_, i) => i !== 3)),
      [
        '1: line 4 does not follow line 3: it was changed, inserted or moved, or a line before it was removed',
        '1: it was signed with 6 lines, and lines 4 to 6 are missing or changed',
      ],
    ],
    [
      'lines changed places',
      () => edit(1, ([a, b, c, ...rest]) => [a!, c!, b!, ...rest]),
      [
        '1: line 2 does not follow line 1: it was changed, inserted or moved, or a line before it was removed',
        '1: it was signed with 6 lines, and lines 2 to 6 are missing or changed',
      ],
    ],
    [
      'a line was added',
      () => edit(3, (lines) => [...lines, next(lines)]),
      ['3: lines were added after line 18, with which it was closed'],
    ],
    [
      'the newest lines were taken away',
      () => edit(3, (lines) => lines.slice(0, 4)),
      ['3: it was signed with 6 lines, and lines 17 to 18 are missing or changed'],
    ],
    [
      'a segment in the middle was taken away',
      () => drop(2),
      ['3: segment 2 is not there', '3: before it, lines 7 to 12 are not there'],
    ],
    [
      'the first segment was taken away',
      () => drop(1),
      ['2: segment 1 is not there', '2: before it, lines 1 to 6 are not there'],
    ],
    [
      'two segments changed places',
      () => swap(1, 2),
      [
        '1: its head is that of segment 2 of `one`',
        '1: its first line is not the start of this segment',
        '1: before it, lines 1 to 6 are not there',
        '1: it has no valid signature',
        '2: its head is that of segment 1 of `one`',
        '2: its first line is not the start of this segment',
        '2: it does not follow the segment before it',
        '2: it has no valid signature',
        '3: before it, lines 7 to 12 are not there',
      ],
    ],
    [
      'a whole chain of hashes was made anew',
      () => edit(2, (lines) => forged(lines)),
      ['2: line 12 is not the one that was signed', '3: it does not follow the segment before it'],
    ],
    [
      'the head was taken away as well',
      () => {
        edit(2, (lines) => forged(lines));
        rmSync(headFile(folder.chain, 2));
      },
      ['2: it has no valid signature', '3: it does not follow the segment before it'],
    ],
    [
      'the head was written anew',
      () =>
        writeFileSync(
          headFile(folder.chain, 1),
          readFileSync(headFile(folder.chain, 1), 'utf8').replace('"last":6', '"last":5'),
        ),
      ['1: its head is not as it was signed', '1: it has no valid signature'],
    ],
  ])('%s', (_what, attack, found) => {
    attack();
    expect(faults()).toEqual(found);
  });

  it('the newest segment was taken away: only somebody who saw its lines elsewhere can tell', () => {
    const { last, tip } = folder.verify()[0]!;
    drop(3);
    expect(faults()).toEqual([]);
    expect(folder.verify(new Map([['one', [{ line: last, hash: tip }]]]))[0]!.faults).toEqual([
      { segment: 2, what: 'line 18, which was seen elsewhere, is not there' },
    ]);
    rmSync(folder.chain, { recursive: true });
    expect(folder.verify(new Map([['one', [{ line: last, hash: tip }]]]))[0]!.faults).toEqual([
      { segment: 0, what: 'the chain is not there' },
    ]);
  });

  it('the service does not sign what somebody changed: it goes on behind it, and says so', async () => {
    const {
      signature: _signature,
      key: _key,
      ...head
    } = JSON.parse(readFileSync(headFile(folder.chain, 3), 'utf8')) as Signed<Head>;
    writeFileSync(
      headFile(folder.chain, 3),
      JSON.stringify(new SigningKey(AUDIT_SECRET).sign({ ...head, closed: false })),
    );
    edit(3, (all) => forged(all));
    const store = await folder.open();
    await store.write(change('after'));
    await store.close();
    const [report] = folder.verify();
    expect(report!.faults).toContainEqual({ segment: 3, what: 'line 18 is not the one that was signed' });
    expect(report!.notes).toEqual([
      'the service found before line 19: segment 3 was signed up to line 18, and is not as it was signed',
    ]);
  });

  it('the service does not sign a line that somebody put between others, wherever it is in the file', async () => {
    const store = await folder.open({ segmentBytes: 4 * MIB });
    await Promise.all(
      Array.from({ length: 1_200 }, (_, i) => Promise.resolve(store.write(change(`${'x'.repeat(1_000)}${i}`)))),
    );
    await store.close();
    const {
      signature: _signature,
      key: _key,
      ...head
    } = JSON.parse(readFileSync(headFile(folder.chain, 4), 'utf8')) as Signed<Head>;
    writeFileSync(
      headFile(folder.chain, 4),
      JSON.stringify(new SigningKey(AUDIT_SECRET).sign({ ...head, closed: false })),
    );
    // The line after it is the first that is not whole in the first megabyte, which is read in one piece.
    const text = readFileSync(segmentFile(folder.chain, 4), 'latin1');
    const at = text.lastIndexOf('\n', MIB - 3) + 1;
    writeFileSync(segmentFile(folder.chain, 4), `${text.slice(0, at)}x\n${text.slice(at)}`, 'latin1');
    await (await folder.open()).close();
    expect(JSON.parse(readFileSync(headFile(folder.chain, 4), 'utf8'))).toMatchObject({
      closed: false,
      bytes: head.bytes,
    });
  });

  function edit(segment: number, change: (lines: string[]) => string[]): void {
    writeFileSync(
      segmentFile(folder.chain, segment),
      change(linesOf(segment))
        .map((line) => `${line}\n`)
        .join(''),
    );
  }
  function drop(segment: number): void {
    rmSync(segmentFile(folder.chain, segment));
    rmSync(headFile(folder.chain, segment));
  }
  function swap(a: number, b: number): void {
    for (const file of [segmentFile, headFile]) {
      renameSync(file(folder.chain, a), `${file(folder.chain, a)}.x`);
      renameSync(file(folder.chain, b), file(folder.chain, a));
      renameSync(`${file(folder.chain, a)}.x`, file(folder.chain, b));
    }
  }
  /** The line that somebody without the key would put behind the last. */
  function next(lines: readonly string[]): string {
    const last = lines.at(-1)!;
    return last.replace(
      /^\{"seq":(\d+),"prev":"\w+"/,
      (_, seq) => `{"seq":${Number(seq) + 1},"prev":"${hashOf(last)}"`,
    );
  }
  /** Another subject in each line, with hashes that fit. */
  function forged(lines: readonly string[]): string[] {
    let prev = (JSON.parse(lines[0]!) as { prev: string }).prev;
    return lines.map((line) => {
      const made = line.replace(/"prev":"\w+"/, `"prev":"${prev}"`).replace('"ada"', '"bob"');
      prev = hashOf(made);
      return made;
    });
  }
});

describe('a start after a process that ended without a stop', () => {
  /** What is left of a process that was killed: its open segment, and what it signed of it last. */
  async function left(): Promise<void> {
    const store = await folder.open();
    for (let i = 0; i < 5; i += 1) await store.write(change(`a-${i}`));
    const head = readFileSync(headFile(folder.chain, 1), 'utf8');
    const lines = readFileSync(segmentFile(folder.chain, 1));
    await store.close();
    writeFileSync(headFile(folder.chain, 1), head);
    writeFileSync(segmentFile(folder.chain, 1), lines);
  }

  it.each<[string, () => void, number, string[]]>([
    [
      'without damage',
      () => undefined,
      6,
      ['the 4 lines before line 7 were not signed when the service ended without a stop'],
    ],
    [
      'with a torn line',
      () => appendFileSync(segmentFile(folder.chain, 1), '{"seq":7,"pre'),
      6,
      [
        'the 4 lines before line 7 were not signed when the service ended without a stop',
        'before line 7, 13 bytes that were no whole line were cut off',
      ],
    ],
    [
      'with zeros where a line was to be',
      () => appendFileSync(segmentFile(folder.chain, 1), `${'\0'.repeat(500)}\n${'\0'.repeat(20)}`),
      6,
      [
        'the 4 lines before line 7 were not signed when the service ended without a stop',
        'before line 7, 521 bytes that were no whole line were cut off',
      ],
    ],
    [
      'with half of the last line',
      () => truncateSync(segmentFile(folder.chain, 1), statSync(segmentFile(folder.chain, 1)).size - 10),
      5,
      [
        'the 3 lines before line 6 were not signed when the service ended without a stop',
        expect.stringMatching(/^before line 6, \d+ bytes that were no whole line were cut off$/) as unknown as string,
      ],
    ],
  ])('goes on %s, and says what it found', async (_what, damage, last, notes) => {
    await left();
    damage();
    const store = await folder.open();
    await store.write(change('after'));
    await store.close();
    expect(folder.verify()).toMatchObject([{ segments: 2, last: last + 2, signed: last + 2, notes, faults: [] }]);
    expect(existsSync(`${segmentFile(folder.chain, 1)}.cut`)).toBe(notes.length === 2);
  });

  it('goes on when there is nothing but an empty file', async () => {
    await (await folder.open()).close();
    writeFileSync(segmentFile(folder.chain, 1), '');
    const store = await folder.open();
    await store.write(change('a'));
    await store.close();
    expect(folder.verify()).toMatchObject([{ segments: 1, last: 2, faults: [] }]);
  });

  it('says that lines which were signed are gone', async () => {
    await left();
    truncateSync(segmentFile(folder.chain, 1), 20);
    const store = await folder.open();
    await store.write(change('after'));
    await store.close();
    expect(folder.verify()[0]!.faults.length).toBeGreaterThan(0);
  });
});

describe('a disk that cannot be written to', () => {
  it('refuses to open a folder that is not ours', async () => {
    await (await folder.open()).close();
    if (process.getuid?.() === 0) return;
    chmodSync(folder.chain, 0o500);
    await expect(folder.open()).rejects.toMatchObject({ code: 'audit_unavailable' });
    chmodSync(folder.chain, 0o700);
  });
});
