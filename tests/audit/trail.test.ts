import { describe, expect, it } from '@jest/globals';
import type { Audit, AuditRecord } from '../../src/audit/record.ts';
import { Trail } from '../../src/audit/trail.ts';
import { objectResource } from '../../src/policy/model/resource.ts';

const FOLDER = 'x'.repeat(1_000);
const ALLOWED = { allowed: true, reason: 'allowed', rule: undefined } as const;

/** A bulk delete of so many keys that all fail, and as many prefixes beside. */
function trailOf(count: number): { readonly record: AuditRecord; readonly ms: number } {
  const keys = Array.from({ length: count }, (_, i) =>
    objectResource('main', 'files', `${FOLDER}${String(i).padStart(6, '0')}`),
  );
  const since = performance.now();
  const records: AuditRecord[] = [];
  const audit: Audit = {
    reads: 'content',
    ready: () => undefined,
    intend: () => undefined,
    write: (record) => {
      records.push(record);
      return undefined;
    },
  };
  const trail = new Trail(audit, 'object/delete', { requestId: 'r', address: undefined, face: 'http' });
  for (const key of keys) trail.asked('objects:delete', key, ALLOWED);
  for (const { provider, bucket, key } of keys) trail.about({ provider, bucket, prefix: key });
  for (const key of keys) trail.failedAt(key, 'storage_unavailable');
  void trail.write();
  return { record: records[0]!, ms: performance.now() - since };
}

describe('Trail', () => {
  it('intends nothing while the audit cannot take it', async () => {
    const asked: string[] = [];
    const audit: Audit = {
      reads: 'content',
      ready: (kind) => Promise.reject(new Error(`not ready for a ${kind}`)),
      intend: () => void asked.push('intend'),
      write: () => undefined,
    };
    await expect(
      new Trail(audit, 'object/delete', { requestId: 'r', address: undefined, face: 'http' }).intend(),
    ).rejects.toThrow('not ready for a change');
    expect(asked).toEqual([]);
  });

  it('says of each of many resources what became of it, in linear time', () => {
    const { resources } = trailOf(3).record;
    expect(resources.map(({ action, outcome }) => [action, outcome])).toEqual([
      ...Array.from({ length: 3 }, () => ['objects:delete', 'failed']),
      ...Array.from({ length: 3 }, () => [undefined, 'done']),
    ]);
    const least = (count: number) => Math.min(...Array.from({ length: 5 }, () => trailOf(count).ms));
    // Sixteen times as many would take 256 times as long, were each looked for among all.
    expect(least(16_000) / least(1_000)).toBeLessThan(128);
  });
});
