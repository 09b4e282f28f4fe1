import { codeOf, SvcError } from '../errors/svc-error.ts';
import { MAX_PAGE_KEYS } from './bucket-page.ts';
import type { Abortable, ObjectRef } from './provider.ts';
import {
  fetchVersions,
  MAX_PAGES_WITHIN_KEY,
  noHeadway,
  positionAfter,
  type ListedVersion,
  type VersionPage,
  type VersionPosition,
} from './version-page.ts';

/** What is known of a key: its newest version, the one that was asked for, and whether it has a version that the next write would replace. */
type Found = {
  readonly newest: ListedVersion | undefined;
  readonly wanted: ListedVersion | undefined;
  readonly hasNull: boolean;
};

/** Looks for a version in the listing of exactly this key. @throws {SvcError} `not_found`: the bucket. */
export async function findVersion(object: ObjectRef, version: string, { signal }: Abortable): Promise<Found> {
  const place = { provider: object.provider, bucket: object.bucket, prefix: object.key };
  let [newest, wanted]: (ListedVersion | undefined)[] = [];
  let hasNull = false;
  let pages = 0;
  for (let after: VersionPosition | undefined = { key: '' }; after !== undefined;) {
    if (++pages > MAX_PAGES_WITHIN_KEY) throw noHeadway(object.provider);
    const { entries, truncated }: VersionPage = await fetchVersions(place, {
      after,
      maxKeys: MAX_PAGE_KEYS,
      signal,
    }).catch((error: unknown) => {
      throw codeOf(error) === 'not_found' ? noSuchVersion() : error;
    });
    const own = entries.flatMap(({ name, version: found }) => (name === object.key && found ? [found] : []));
    newest ??= own.find(({ isLatest }) => isLatest) ?? own[0];
    wanted ??= own.find((found) => found.version === version);
    hasNull ||= own.some((found) => found.version === 'null' && !found.isDeleteMarker);
    after = truncated && own.length === entries.length ? positionAfter(entries.at(-1)!) : undefined;
  }
  return { newest, wanted, hasNull };
}

/** Ceph gives versions this length. */
const VERSION_CHARACTERS = 32;

/**
 * Checks that a version is one of this key, when its name could lead to another key. Ceph keeps the version `v` of `hr_pay.csv` under the name `v_hr_pay.csv`, and
 * would read it as the version `v_hr` of `pay.csv`, about which policy was asked. A version of Ceph has no underscore; that of other storage may.
 *
 * @throws {SvcError} `not_found`
 */
export async function requireOwnVersion(
  object: ObjectRef,
  version: string | undefined,
  options: Abortable,
): Promise<void> {
  const mayLeadAway =
    version !== undefined &&
    (version.includes('/') || (version.includes('_') && version.length !== VERSION_CHARACTERS));
  if (mayLeadAway && (await findVersion(object, version, options)).wanted === undefined) throw noSuchVersion();
}

export function noSuchVersion(): SvcError {
  return new SvcError('not_found', { detail: 'there is no such version of this object' });
}
