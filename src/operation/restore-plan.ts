import type { Versioning } from '../storage/bucket-info.ts';
import type { KeyHistory } from '../storage/key-history.ts';
import type { ListedVersion } from '../storage/version-page.ts';

/** What brings a key back to a moment. `over` is the newest version, as it was listed. */
export type RestoreStep = { readonly key: string; readonly over: ListedVersion } & (
  | { readonly change: 'restore'; readonly version: ListedVersion }
  | { readonly change: 'delete' }
  | { readonly change: 'leave'; readonly why: 'access_denied' | 'not_kept' | 'not_versioned' | 'changed' }
  | { readonly change: 'unchanged' }
);

export type RestoreTerms = {
  readonly versioning: Versioning;
  /** Versions that were replaced before this time may have expired. Milliseconds since the epoch, as are all times here. */
  readonly keptSince: number;
  /** Keys that were changed then or later are left. */
  readonly unmodifiedSince: number;
  readonly mayRestore: (key: string) => boolean;
  readonly mayDelete: (key: string) => boolean;
};

/** Plans what brings a key back to the moment of its history. It guesses nothing: where the versions do not tell what was there, the key is left. */
export function planRestore(history: KeyHistory, terms: RestoreTerms): RestoreStep {
  const { key, newest, asOf, begins, hasNull, hasLaterNull } = history;
  const step = { key, over: newest };
  const leave = (why: (RestoreStep & { change: 'leave' })['why']): RestoreStep => ({ ...step, change: 'leave', why });
  if (asOf !== undefined && isSame(newest, asOf)) return { ...step, change: 'unchanged' };
  const isKnown = !hasLaterNull && (asOf !== undefined || begins >= terms.keptSince);
  if (!isKnown) return leave('not_kept');
  const isThere = asOf !== undefined && !asOf.isDeleteMarker;
  if (!isThere && newest.isDeleteMarker) return { ...step, change: 'unchanged' };
  if (Date.parse(newest.lastModified) >= terms.unmodifiedSince) return leave('changed');
  const keeps = terms.versioning === 'enabled';
  if (!isThere) {
    if (!terms.mayDelete(key)) return leave('access_denied');
    return keeps ? { ...step, change: 'delete' } : leave('not_versioned');
  }
  if (!terms.mayRestore(key)) return leave('access_denied');
  if (hasNull && asOf.version !== 'null' && !keeps) return leave('not_versioned');
  return { ...step, change: 'restore', version: asOf };
}

/** Whether two versions are the same, or have the same content: a copy of a version has the ETag of the version. */
function isSame(a: ListedVersion, b: ListedVersion): boolean {
  return (
    a.version === b.version ||
    (a.isDeleteMarker && b.isDeleteMarker) ||
    (!a.isDeleteMarker && !b.isDeleteMarker && a.etag === b.etag && a.size === b.size)
  );
}
