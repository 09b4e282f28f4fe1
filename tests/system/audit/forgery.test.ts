import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { latestLines, matchingLines } from '../../../src/audit/audit-lines.ts';
import { headFile, segmentFile, type Head } from '../../../src/audit/chain-files.ts';
import { hashOf } from '../../../src/audit/chain-walk.ts';
import { verifyAudit, type ChainReport } from '../../../src/audit/verify.ts';
import { Machine } from '../../cli/svc-process.ts';
import { AuditFolder, change, PUBLIC_KEY, quietLog } from '../../audit/support/audit-folder.ts';
import { until } from '../../audit/support/until.ts';

/** What somebody does who can change the files, and does not know the secret. */
const DAY_MS = 86_400_000;
/** They take no room on the disk. */
const MANY_BYTES = 256 * 2 ** 20;
/** How often as much processor time as a plain reading of a file its check may take. Time that grew with the square of its length was some hundred times. */
const READINGS = 30;

let folder: AuditFolder;
let now: number;
beforeEach(() => {
  folder = new AuditFolder();
  now = Date.parse('2026-01-01T00:00:00Z');
});
afterEach(() => folder.remove());

const faults = (seen?: Parameters<AuditFolder['verify']>[0]) =>
  folder
    .verify(seen)
    .flatMap((report) => report.faults.map(({ segment, what }) => `${report.name} ${segment}: ${what}`));
const headOf = (segment: number) => JSON.parse(readFileSync(headFile(folder.chain, segment), 'utf8')) as Head;

/** A run of the service that writes one segment. */
async function run(keys: readonly string[], options: Parameters<AuditFolder['open']>[0] = {}): Promise<void> {
  const store = await folder.open(options, () => now);
  for (const key of keys) await store.write(change(key));
  await store.close();
}

/** Changes lines, or leaves them out, and makes numbers and hashes that fit. */
function forge(file: string, edit: (line: string, i: number) => string | undefined): void {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  let { seq, prev } = JSON.parse(lines[0]!) as { seq: number; prev: string };
  let text = '';
  for (const line of lines.flatMap((one, i) => edit(one, i) ?? [])) {
    const made = line.replace(/^\{"seq":\d+,"prev":"\w+"/, `{"seq":${seq},"prev":"${prev}"`);
    text += `${made}\n`;
    prev = hashOf(made);
    seq += 1;
  }
  writeFileSync(file, text);
}
const byEve = (line: string): string => line.replaceAll('"ada"', '"eve"');

describe('retention', () => {
  it('removes nothing for a head that is not as it was signed', async () => {
    for (const key of ['a', 'crime', 'b']) await run([key]);
    for (const segment of [1, 2])
      writeFileSync(
        headFile(folder.chain, segment),
        readFileSync(headFile(folder.chain, segment), 'utf8').replace(
          /"to":"[^"]+"/,
          '"to":"2020-01-01T00:00:00.000Z"',
        ),
      );
    await run(['c'], { retentionMs: 400 * DAY_MS });
    expect(readdirSync(folder.chain)).not.toContain('removed.json');
    expect(faults()).toContain('one 1: its head is not as it was signed');
  });

  it('removes nothing behind a gap', async () => {
    for (const key of ['a', 'b', 'c']) await run([key]);
    for (const file of [segmentFile, headFile]) rmSync(file(folder.chain, 1));
    now += 500 * DAY_MS;
    await run(['d'], { retentionMs: 400 * DAY_MS });
    expect(readdirSync(folder.chain)).not.toContain('removed.json');
    expect(faults()).toContain('one 2: segment 1 is not there');
  });

  it('has no answer for a line that was seen elsewhere and was removed', async () => {
    for (const key of ['a', 'b']) await run([key]);
    const [one, two] = [headOf(1), headOf(2)];
    now += 500 * DAY_MS;
    for (const key of ['c', 'd']) await run([key], { retentionMs: 400 * DAY_MS });
    expect(folder.verify()).toMatchObject([{ removed: two.last, faults: [] }]);
    expect(faults(new Map([['one', [{ line: one.last, hash: one.tip }]]]))).toEqual([
      `one 0: line ${one.last}, which was seen elsewhere, was removed for its age, and cannot be compared`,
    ]);
    expect(faults(new Map([['one', [{ line: two.last, hash: two.tip }]]]))).toEqual([]);
  });

  it('leaves no room for lines in the place of what was removed', async () => {
    await run(['old']);
    now += 10 * DAY_MS;
    for (const key of ['new', 'newer']) await run([key], { retentionMs: DAY_MS });
    copyFileSync(segmentFile(folder.chain, 2), segmentFile(folder.chain, 1));
    forge(segmentFile(folder.chain, 1), (line) => byEve(line).replace('"segment":2', '"segment":1'));
    expect(faults()).toEqual(['one 1: it is there, though segments up to 1 were removed for their age']);
    expect(latestLines(folder.path, { subject: 'eve', limit: 10 }).lines).toEqual([]);
    expect([...matchingLines(folder.path, { subject: 'eve' })]).toEqual([]);
  });

  it('may remove segments while the audit is read', async () => {
    for (const key of ['a', 'b', 'c']) await run([key]);
    const kept = [1, 2].flatMap((segment) =>
      [segmentFile, headFile].map(
        (file) => [file(folder.chain, segment), readFileSync(file(folder.chain, segment))] as const,
      ),
    );
    now += 10 * DAY_MS;
    const store = await folder.open({ retentionMs: DAY_MS }, () => now);
    await until(() => !existsSync(segmentFile(folder.chain, 3)), 'the removal');
    await store.write(change('d'));
    await store.close();
    const removed = readFileSync(join(folder.chain, 'removed.json'));
    const putBack = (): void => {
      for (const [file, bytes] of kept) writeFileSync(file, bytes);
      rmSync(join(folder.chain, 'removed.json'));
    };
    const removeAgain = (): void => {
      writeFileSync(join(folder.chain, 'removed.json'), removed);
      for (const [file] of kept) rmSync(file, { force: true });
    };

    putBack();
    const lines = matchingLines(folder.path, { subject: 'ada' });
    const found = [lines.next().value];
    removeAgain();
    expect([...found, ...lines].map((line) => line?.['requestId'])).toEqual(['r-a', 'r-d']);

    putBack();
    const keys = Object.assign([PUBLIC_KEY], {
      // Called for the head of the first segment, when all segments have been listed.
      includes: () => {
        removeAgain();
        return true;
      },
    });
    expect(verifyAudit(folder.path, keys)).toMatchObject([{ lines: 2, faults: [] }]);
  });

  it('goes on where it was interrupted', async () => {
    await run(['old']);
    const kept = [segmentFile, headFile].map(
      (file) => [file(folder.chain, 1), readFileSync(file(folder.chain, 1))] as const,
    );
    now += 10 * DAY_MS;
    for (const key of ['new', 'newer']) await run([key], { retentionMs: DAY_MS });
    for (const [file, bytes] of kept) writeFileSync(file, bytes);
    expect(faults()).toEqual([]);
    await run(['newest'], { retentionMs: DAY_MS });
    expect(readdirSync(folder.chain)).not.toContain('00000001.jsonl');
    expect(faults()).toEqual([]);
  });
});

describe('the head of the last segment', () => {
  it('vouches for the first line before anybody is told of it', async () => {
    const store = await folder.open();
    await store.write(change('a'));
    expect(headOf(1)).toMatchObject({ last: 2, closed: false });
  });

  it('cannot be taken away to change what it vouched for', async () => {
    await run(['a', 'b', 'c', 'd']);
    unlinkSync(headFile(folder.chain, 1));
    forge(segmentFile(folder.chain, 1), (line, i) => (i === 2 ? undefined : byEve(line)));
    expect(faults()).toEqual(['one 1: it has no valid signature']);
    await run(['later']);
    expect(faults()).toContain('one 1: it has no valid signature');
    expect(folder.verify()[0]!.notes).toContainEqual(expect.stringContaining('segment 1 has lines, and no signature'));
  });

  it('cannot be replaced by an older one, where lines of minutes follow', async () => {
    const store = await folder.open({}, () => now);
    await store.write(change('a'));
    const older = readFileSync(headFile(folder.chain, 1));
    for (const key of ['b', 'crime', 'c']) {
      now += 60_000;
      await store.write(change(key));
    }
    await store.close();
    writeFileSync(headFile(folder.chain, 1), older);
    forge(segmentFile(folder.chain, 1), (line) => (line.includes('crime') ? undefined : line));
    expect(faults()).toEqual(['one 1: lines of 120 seconds follow line 2, and a service signs them within two']);
    await run(['later']);
    expect(faults()).not.toEqual([]);
    expect(folder.verify()[0]!.notes).toContainEqual(expect.stringContaining('the service found before line'));
  });

  it('cannot be replaced by an older one, where another segment follows', async () => {
    const store = await folder.open();
    await store.write(change('a'));
    const older = readFileSync(headFile(folder.chain, 1));
    await store.write(change('b'));
    await store.close();
    await run(['c']);
    writeFileSync(headFile(folder.chain, 1), older);
    expect(faults()).toContain('one 1: lines after line 2 were never signed');
  });

  it('does not let lines be added behind a segment that was closed, for the service to sign', async () => {
    await run(['a']);
    const lines = readFileSync(segmentFile(folder.chain, 1), 'utf8').split('\n').slice(0, -1);
    const last = lines.at(-1)!;
    writeFileSync(
      segmentFile(folder.chain, 1),
      `${[...lines, byEve(last).replace(/^\{"seq":\d+,"prev":"\w+"/, `{"seq":3,"prev":"${hashOf(last)}"`)].join('\n')}\n`,
    );
    await run(['b']);
    expect(faults()).toContain('one 1: lines were added after line 2, with which it was closed');
  });

  it('is named in the log every few minutes', async () => {
    const said: unknown[] = [];
    const log = { ...quietLog, info: (message: string, fields?: object) => void said.push({ message, ...fields }) };
    const store = await folder.open({}, () => now, log);
    for (let i = 0; i < 3; i += 1) {
      await store.write(change(`a${i}`));
      now += 4 * 60_000;
      await wait(1_050);
    }
    await store.close();
    expect(said.filter((line) => (line as { message: string }).message === 'the audit is signed')).toEqual([
      expect.objectContaining({ line: 2, lineHash: expect.any(String) }),
      expect.objectContaining({ line: 4 }),
    ]);
  });
});

describe('a chain', () => {
  beforeEach(() => run(['a', 'b', 'c']));

  it('that nobody signed is none', () => {
    mkdirSync(join(folder.path, 'one.2'));
    copyFileSync(segmentFile(folder.chain, 1), segmentFile(join(folder.path, 'one.2'), 1));
    forge(segmentFile(join(folder.path, 'one.2'), 1), byEve);
    expect(faults()).toEqual(['one.2 1: it has no valid signature']);
  });

  it('cannot be shown as that of another instance', () => {
    cpSync(folder.chain, join(folder.path, 'two'), { recursive: true });
    expect(faults()).toContain('two 1: its head is that of another chain, segment 1 of `one`');
  });

  it('cannot be hidden behind what another one removed', async () => {
    now -= 10 * DAY_MS;
    await run(['old'], { instance: 'two' });
    now += 10 * DAY_MS;
    for (const key of ['new', 'newer']) await run([key], { instance: 'two', retentionMs: DAY_MS });
    copyFileSync(join(folder.path, 'two/removed.json'), join(folder.chain, 'removed.json'));
    forge(segmentFile(folder.chain, 1), byEve);
    expect(faults()).toEqual(
      expect.arrayContaining([
        'one 0: the note of what was removed for its age is that of another chain, `two`',
        'one 1: line 4 is not the one that was signed',
      ]),
    );
  });

  it('is not read through a symbolic link', async () => {
    renameSync(folder.chain, join(folder.path, '../moved'));
    symlinkSync(join(folder.path, '../moved'), folder.chain);
    expect(faults()).toEqual(['one 0: `one` is a symbolic link']);
    await expect(folder.open()).rejects.toMatchObject({ code: 'audit_unavailable' });
  });

  it('has no symbolic link for a segment', () => {
    symlinkSync(segmentFile(folder.chain, 1), segmentFile(folder.chain, 2));
    expect(faults()).toEqual(['one 2: `00000002.jsonl` is a symbolic link']);
  });

  it.each(['only', 'last'])('is missed for ever where the head of its %s segment is left', async (which) => {
    if (which === 'last') await run(['more']);
    const { segment, last } = headOf(which === 'last' ? 2 : 1);
    unlinkSync(segmentFile(folder.chain, segment));
    await run(['later']);
    expect(folder.verify()[0]?.notes).toEqual([
      `the service found before line ${last + 1}: segment ${segment} was signed up to line ${last}, and is not there`,
    ]);
    expect(faults()).toContain(`one ${segment}: it was signed, and is not there`);
  });

  it('is missed where only its heads are left', () => {
    unlinkSync(segmentFile(folder.chain, 1));
    expect(faults()).toEqual(['one 1: it was signed, and is not there']);
  });

  it.each(['', 'one'])('is not written into a folder that others can write to: %j', async (name) => {
    chmodSync(join(folder.path, name), 0o770);
    await expect(folder.open()).rejects.toMatchObject({ code: 'audit_unavailable' });
  });
});

describe('bytes without a line end', () => {
  const append = (segment: number, bytes: number): void => {
    const file = segmentFile(folder.chain, segment);
    truncateSync(file, statSync(file).size + bytes);
  };
  const processorMs = (work: () => void): number => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  const plainReadingMs = (segment: number): number =>
    processorMs(() => expect(readFileSync(segmentFile(folder.chain, segment)).lastIndexOf(1)).toBe(-1));

  it('are a fault when they are longer than a line, however many they are', async () => {
    await run(['a']);
    append(1, MANY_BYTES);
    const spent = processorMs(() => {
      expect(faults()).toEqual(['one 1: what follows line 2 is not a whole line']);
      expect(latestLines(folder.path, { limit: 10 }).lines).toHaveLength(1);
      expect([...matchingLines(folder.path, {})]).toHaveLength(1);
    });
    expect(spent).toBeLessThan(READINGS * plainReadingMs(1));
  });

  it('are a fault also in place of all lines', async () => {
    await run(['a']);
    truncateSync(segmentFile(folder.chain, 1), 0);
    append(1, MANY_BYTES);
    const spent = processorMs(() =>
      expect(faults()).toContain('one 1: its first line is not the start of this segment'),
    );
    expect(spent).toBeLessThan(READINGS * plainReadingMs(1));
  });

  it('are a note when they may be a line that a killed service began', async () => {
    await run(['a']);
    append(1, 1_000_000);
    expect(faults()).toEqual([]);
    expect(folder.verify()[0]!.notes).toContain(
      'what follows line 2 is not a whole line; the service cuts it off when it starts',
    );
  });
});

describe('svc audit verify', () => {
  const verify = async (...args: string[]) => {
    const machine = await Machine.make();
    const { status, stdout } = await machine.start(['audit', 'verify', folder.path, '--key', PUBLIC_KEY, ...args], {})
      .ended;
    await machine.remove();
    return [status, stdout.split('\n').filter((line) => line.includes('FAULT')).length];
  };

  it('asks for every line that was seen, also of one chain', async () => {
    await run(['a', 'b']);
    const { last, tip } = headOf(1);
    expect(await verify('--seen', `one:2:${'1'.repeat(64)}`, '--seen', `one:${last}:${tip}`)).toEqual([1, 1]);
    expect(await verify('--seen', `one:${last}:${tip}`, '--seen', `one:0:${'0'.repeat(64)}`)).toEqual([0, 0]);
  });

  it('does not say that all is well where no audit is', async () => {
    mkdirSync(folder.path);
    expect(await verify()).toEqual([1, 0]);
  });
});

describe('a line that is no record', () => {
  it('at the start of a segment is a fault, and does not end the verification', async () => {
    await run(['a']);
    const file = segmentFile(folder.chain, 1);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^.*/, 'null'));
    expect(faults()).toContain('one 1: its first line is not the start of this segment');
  });

  it('behind the last signed line does not end the verification', async () => {
    const store = await folder.open();
    await store.write(change('a'));
    const [{ last, tip }] = folder.verify() as [ChainReport];
    appendFileSync(
      segmentFile(folder.chain, 1),
      `{"seq":${last + 1},"prev":"${tip}","time":"${new Date().toISOString()}","kind":"resumed"\n`,
    );
    expect(folder.verify()).toMatchObject([{ last: last + 1 }]);
  });
});

describe('a chain that is closed', () => {
  it('takes no more lines, and leaves those of the next process alone', async () => {
    const old = await folder.open();
    await old.write(change('a'));
    await old.close();
    const fresh = await folder.open();
    await fresh.write(change('b'));
    await expect(Promise.resolve(old.write(change('late')))).rejects.toMatchObject({ code: 'audit_unavailable' });
    await fresh.write(change('c'));
    await fresh.close();
    expect(folder.verify()).toMatchObject([{ lines: 5, faults: [] }]);
  });

  it('is not continued in a file that somebody put there', async () => {
    const victim = join(folder.path, '../victim');
    writeFileSync(victim, 'of somebody else');
    const store = await folder.open();
    symlinkSync(victim, segmentFile(folder.chain, 1));
    await expect(Promise.resolve(store.write(change('a')))).rejects.toMatchObject({ code: 'audit_unavailable' });
    expect(readFileSync(victim, 'utf8')).toBe('of somebody else');
  });
});
