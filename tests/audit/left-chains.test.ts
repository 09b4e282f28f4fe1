import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AuditHistory } from '../../src/audit/audit-history.ts';
import type { AuditStore } from '../../src/audit/audit-store.ts';
import { headFile, segmentFile, segmentsIn, type Head } from '../../src/audit/chain-files.ts';
import { SigningKey, type Signed } from '../../src/audit/signing-key.ts';
import { AUDIT_SECRET, AuditFolder, change, PUBLIC_KEY } from './support/audit-folder.ts';

const DAY_MS = 86_400_000;

let folder: AuditFolder;
let now: number;
beforeEach(() => {
  folder = new AuditFolder();
  now = Date.parse('2026-01-01T12:00:00Z');
});
afterEach(() => folder.remove());

/** Two days of a chain of another instance. */
async function twoDays(): Promise<AuditStore> {
  const store = await folder.open({}, () => now);
  await store.write(change('a'));
  now += DAY_MS;
  await store.write(change('b'));
  return store;
}

/** An instance of another name, which keeps lines for 30 days. */
function openOther(): Promise<AuditStore> {
  return folder.open({ instance: 'other', retentionMs: 30 * DAY_MS }, () => now);
}

/** Writes the head of the last segment again as its writer signs it while the segment is open. */
function reopen(): void {
  const file = headFile(folder.chain, 2);
  const { key: _key, signature: _signature, ...head } = JSON.parse(readFileSync(file, 'utf8')) as Signed<Head>;
  writeFileSync(file, JSON.stringify(new SigningKey(AUDIT_SECRET).sign({ ...head, closed: false })));
}

describe('the chain of an instance that is gone', () => {
  it('is removed by another instance when it is too old, and goes on when the instance is back', async () => {
    await (await twoDays()).close();
    now += 30.5 * DAY_MS;
    await (await openOther()).close();
    expect(segmentsIn(folder.chain)).toEqual([]);
    expect(folder.verify()).toMatchObject([{ name: 'one', segments: 0, removed: 4, last: 4, faults: [] }]);
    const back = await folder.open({}, () => now);
    await back.write(change('c'));
    await back.close();
    expect(folder.verify()).toMatchObject([{ name: 'one', segments: 1, removed: 4, last: 6, faults: [] }]);
  });

  it('is complete since its last line, when all of it was removed', async () => {
    const last = now + DAY_MS;
    await (await twoDays()).close();
    now += 200 * DAY_MS;
    await (await openOther()).close();
    expect(new AuditHistory(folder.path, [PUBLIC_KEY], { from: 0, to: Infinity }).begins).toBe(last);
  });

  it('keeps what is not too old', async () => {
    await (await twoDays()).close();
    now += 29.5 * DAY_MS;
    await (await openOther()).close();
    expect(segmentsIn(folder.chain)).toEqual([2]);
    expect(folder.verify()).toMatchObject([{ name: 'one', segments: 1, removed: 2, faults: [] }]);
  });

  it('is removed too if the process was killed after its last line was signed', async () => {
    await (await twoDays()).close();
    reopen();
    now += 31 * DAY_MS;
    await (await openOther()).close();
    expect(segmentsIn(folder.chain)).toEqual([]);
    expect(folder.verify()).toMatchObject([{ name: 'one', removed: 4, faults: [] }]);
  });

  it('keeps lines that nobody signed', async () => {
    await (await twoDays()).close();
    reopen();
    appendFileSync(segmentFile(folder.chain, 2), '{"seq":5}\n');
    now += 31 * DAY_MS;
    await (await openOther()).close();
    expect(segmentsIn(folder.chain)).toEqual([2]);
  });

  it('is left alone while its process writes', async () => {
    const store = await twoDays();
    now += 31 * DAY_MS;
    const other = await openOther();
    await wait(50);
    await other.close();
    expect(segmentsIn(folder.chain)).toEqual([1, 2]);
    await store.close();
  });
});
