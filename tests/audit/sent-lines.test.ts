import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { headFile, segmentFile, type Head } from '../../src/audit/chain-files.ts';
import { hashOf } from '../../src/audit/chain-walk.ts';
import { SigningKey, type Signed } from '../../src/audit/signing-key.ts';
import { writeCursor } from '../../src/audit/sink/cursor.ts';
import { AUDIT_SECRET, AuditFolder, change } from './support/audit-folder.ts';

const DAY_MS = 86_400_000;

let folder: AuditFolder;
let now: number;
beforeEach(() => {
  folder = new AuditFolder();
  now = Date.parse('2026-01-01T00:00:00Z');
});
afterEach(() => folder.remove());

const faults = () =>
  folder.verify().flatMap((report) => report.faults.map(({ segment, what }) => `${report.name} ${segment}: ${what}`));
const headOf = (segment: number) => JSON.parse(readFileSync(headFile(folder.chain, segment), 'utf8')) as Head;

/** A run of the service that writes one segment. */
async function run(keys: readonly string[], options: Parameters<AuditFolder['open']>[0] = {}): Promise<void> {
  const store = await folder.open(options, () => now);
  for (const key of keys) await store.write(change(key));
  await store.close();
}

describe('a chain of which a sink has the last line', () => {
  const missed = ['one 0: line 4, which the sink `siem` has, is not there'];

  async function send(segment: number): Promise<void> {
    const { chain, bytes: at, last: line, tip } = headOf(segment);
    const cursor = { segment, at, line, tip, chain, sink: 'siem', name: 'one', skipped: 0 };
    await writeCursor(folder.chain, cursor, new SigningKey(AUDIT_SECRET));
  }
  function removeSegment(segment: number): void {
    for (const file of [segmentFile, headFile]) rmSync(file(folder.chain, segment));
  }
  beforeEach(async () => {
    await run(['a', 'b', 'c']);
    await send(1);
  });

  it('is missed when its only segment is empty, without a head or with the first one', () => {
    const { key: _key, signature: _signature, ...head } = headOf(1) as Signed<Head>;
    const first = { ...head, last: 0, tip: head.prev, bytes: 0, closed: false };
    writeFileSync(segmentFile(folder.chain, 1), '');
    for (const putBack of [
      () => rmSync(headFile(folder.chain, 1)),
      () => writeFileSync(headFile(folder.chain, 1), JSON.stringify(new SigningKey(AUDIT_SECRET).sign(first))),
    ]) {
      putBack();
      expect(faults()).toEqual(['one 1: line 4, which the sink `siem` has, is not there']);
    }
  });

  it('is missed as a signed line when somebody puts back an older signature', () => {
    const { key: _key, signature: _signature, ...head } = headOf(1) as Signed<Head>;
    const [first = ''] = readFileSync(segmentFile(folder.chain, 1), 'utf8').split('\n');
    const older = { ...head, last: 1, tip: hashOf(first), bytes: first.length + 1, closed: false };
    writeFileSync(headFile(folder.chain, 1), JSON.stringify(new SigningKey(AUDIT_SECRET).sign(older)));
    expect(faults()).toEqual([
      'one 1: line 4, which the sink `siem` has, is not signed: somebody put back an older signature',
    ]);
  });

  it('is missed when no segment is left, also beside the chain of another instance', async () => {
    await run(['d'], { instance: 'two' });
    removeSegment(1);
    expect(faults()).toEqual(missed);
  });

  it('is missed when the service has begun another chain in its place', async () => {
    removeSegment(1);
    await run(['d']);
    expect(faults()).toEqual(['one 1: line 4 of another chain, which the sink `siem` has, is not there']);
  });

  it('is missed behind the note of what was removed from an earlier chain of its name', async () => {
    now += 10 * DAY_MS;
    for (const key of ['d', 'e']) await run([key], { retentionMs: DAY_MS });
    const removed = readFileSync(join(folder.chain, 'removed.json'));
    rmSync(folder.chain, { recursive: true });
    await run(['f']);
    await send(1);
    removeSegment(1);
    writeFileSync(join(folder.chain, 'removed.json'), removed);
    expect(faults()).toEqual(['one 0: line 2 of another chain, which the sink `siem` has, is not there']);
  });

  it('may be removed for its age', async () => {
    now += 10 * DAY_MS;
    await run(['other'], { instance: 'two', retentionMs: DAY_MS });
    expect(folder.verify()).toMatchObject([{ removed: 4, faults: [] }, { faults: [] }]);
  });
});
