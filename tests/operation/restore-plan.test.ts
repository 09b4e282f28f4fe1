import { describe, expect, it } from '@jest/globals';
import { planRestore, type RestoreTerms } from '../../src/operation/restore-plan.ts';
import type { KeyHistory } from '../../src/storage/key-history.ts';
import type { ListedVersion } from '../../src/storage/version-page.ts';

/** A version that was written on a day of January. The moment of the tests is the 10th. */
const on = (day: number, etag: string | null = 'e', version = `v${day}`): ListedVersion => ({
  key: 'k',
  version,
  isLatest: false,
  isDeleteMarker: etag === null,
  size: etag === null ? 0 : 1,
  etag,
  lastModified: new Date(timeOf(day)).toISOString(),
  storageClass: null,
});
const timeOf = (day: number) => Date.UTC(2026, 0, day);

/** @param versions - the newest first. */
function historyOf(...versions: ListedVersion[]): KeyHistory {
  const isLater = ({ lastModified }: ListedVersion) => Date.parse(lastModified) > timeOf(10);
  return {
    key: 'k',
    newest: versions[0]!,
    asOf: versions.find((version) => !isLater(version)),
    begins: Date.parse(versions.at(-1)!.lastModified),
    hasNull: versions.some(({ version, etag }) => version === 'null' && etag !== null),
    hasLaterNull: versions.some((version) => version.version === 'null' && isLater(version)),
  };
}

const TERMS: RestoreTerms = {
  versioning: 'enabled',
  keptSince: -Infinity,
  unmodifiedSince: Infinity,
  mayRestore: () => true,
  mayDelete: () => true,
};
const planOf = (history: KeyHistory, terms: Partial<RestoreTerms> = {}) => {
  const step = planRestore(history, { ...TERMS, ...terms });
  return step.change === 'leave' ? step.why : step.change;
};

describe('planRestore', () => {
  it.each<[string, KeyHistory, Partial<RestoreTerms>, string]>([
    ['new, and older versions would still be kept', historyOf(on(12)), { keptSince: timeOf(12) }, 'delete'],
    ['new, or an older version has expired', historyOf(on(12)), { keptSince: timeOf(13) }, 'not_kept'],
    ['deleted, or an older version has expired', historyOf(on(13, null)), { keptSince: timeOf(14) }, 'not_kept'],
    ['created and deleted since', historyOf(on(13, null), on(12)), {}, 'unchanged'],
    ['kept although others may have expired', historyOf(on(12, 'f'), on(5)), { keptSince: timeOf(20) }, 'restore'],
    ['brought back before', historyOf(on(14), on(13, 'f'), on(5)), {}, 'unchanged'],
    ['brought back where no versions are kept', historyOf(on(14, 'e', 'null'), on(5)), {}, 'unchanged'],
    ['overwritten where no versions are kept', historyOf(on(14, 'f', 'null'), on(5)), {}, 'not_kept'],
    ['deleted then and now', historyOf(on(14, null), on(12), on(9, null), on(5)), {}, 'unchanged'],
    ['deleted then', historyOf(on(12), on(9, null), on(5)), {}, 'delete'],
    ['new in a bucket that keeps nothing', historyOf(on(12)), { versioning: 'unknown' }, 'not_versioned'],
    ['new, and may not be deleted', historyOf(on(12)), { mayDelete: () => false }, 'access_denied'],
    ['old, and may not be restored', historyOf(on(12, 'f'), on(5)), { mayRestore: () => false }, 'access_denied'],
    ['old, and may not be deleted', historyOf(on(12, 'f'), on(5)), { mayDelete: () => false }, 'restore'],
    ['changed since the plan', historyOf(on(12, 'f'), on(5)), { unmodifiedSince: timeOf(12) }, 'changed'],
    ['not changed since the plan', historyOf(on(12, 'f'), on(5)), { unmodifiedSince: timeOf(13) }, 'restore'],
  ])('%s', (_name, history, terms, expected) => {
    expect(planOf(history, terms)).toBe(expected);
  });
});
