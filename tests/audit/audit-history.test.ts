import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AuditHistory } from '../../src/audit/audit-history.ts';
import { AuditFolder, change, PUBLIC_KEY } from './support/audit-folder.ts';

const FIRST = Date.parse('2026-01-01T12:00:00Z');
const SECOND = FIRST + 86_400_000;

let folder: AuditFolder;
beforeEach(async () => {
  folder = new AuditFolder();
  let now = FIRST;
  const store = await folder.open({}, () => now);
  await store.write(change('first'));
  now = SECOND;
  await store.write(change('second'));
  await store.close();
});
afterEach(() => folder.remove());

const idsIn = (from: number, to: number) =>
  [...new AuditHistory(folder.path, [PUBLIC_KEY], { from, to }).lines()].map((line) => line['requestId']);

describe('AuditHistory.lines', () => {
  it('has a line of the time at which the span begins, also as the last line of its segment', () => {
    expect(idsIn(FIRST, SECOND + 1)).toEqual(['r-first', 'r-second']);
    expect(idsIn(FIRST + 1, SECOND + 1)).toEqual(['r-second']);
  });

  it('has no line of the time at which the span ends', () => {
    expect(idsIn(FIRST, SECOND)).toEqual(['r-first']);
  });
});
