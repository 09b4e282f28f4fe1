import type { AuditEntry } from './records.ts';

/** Lines that one look at a place caused, the latest first. A change, or what was not done, stands alone. */
export type Look = readonly [latest: AuditEntry, ...AuditEntry[]];

const SAME_MOMENT_MS = 1_000;
const SAME_PLACE_MS = 60_000;

/** Joins consecutive reads of one person in the same second, or at the same place within a minute. @param entries - the latest first. */
export function looksIn(entries: readonly AuditEntry[]): readonly Look[] {
  const looks: [AuditEntry, ...AuditEntry[]][] = [];
  for (const entry of entries) {
    const look = looks.at(-1);
    if (look !== undefined && isOfOneLook(look.at(-1) ?? look[0], entry)) look.push(entry);
    else looks.push([entry]);
  }
  return looks;
}

function isOfOneLook(later: AuditEntry, earlier: AuditEntry): boolean {
  if (![later, earlier].every(({ changes, outcome }) => !changes && outcome === 'done')) return false;
  if (later.subject !== earlier.subject || later.issuer !== earlier.issuer || later.address !== earlier.address)
    return false;
  const ms = Date.parse(later.time) - Date.parse(earlier.time);
  return ms <= SAME_MOMENT_MS || (ms <= SAME_PLACE_MS && placeOf(later) === placeOf(earlier));
}

/** The folder that a line is about. */
export function placeOf({ resources: [first] }: AuditEntry): string {
  return first === undefined ? '' : folderOf(first);
}

/** The folder of a resource, or what stands for one. */
export function folderOf({ resource, provider, bucket, key, prefix }: AuditEntry['resources'][number]): string {
  if (provider === undefined) return resource;
  if (bucket === undefined) return provider;
  return `${provider}/${bucket}/${prefix ?? key?.slice(0, key.lastIndexOf('/') + 1) ?? ''}`;
}
