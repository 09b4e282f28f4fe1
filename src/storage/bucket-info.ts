import { codeOf, SvcError } from '../errors/svc-error.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import type { XmlAnswer } from '../xml/xml.ts';
import type { Abortable, BucketRef } from './provider.ts';

/** `never`: versioning was never turned on. `unknown`: the service may not ask, or storage does not know the question. */
export type Versioning = 'enabled' | 'suspended' | 'never' | 'unknown';

export type BucketInfo = {
  readonly versioning: Versioning;
  /** Whether objects can be locked; null when that is not known. */
  readonly objectLock: boolean | null;
  /** Whether the credentials of the service may list versions. */
  readonly canListVersions: boolean;
  /** After how many days the first noncurrent versions are deleted; null when none are, or when that is not known. */
  readonly keptDays: number | null;
};

/**
 * What a bucket keeps of objects that are overwritten or deleted.
 *
 * @throws {SvcError} `not_found`: the bucket.
 */
export async function readBucketInfo(place: Permitted<BucketRef>, options: Abortable): Promise<BucketInfo> {
  const [keeping, lock, versions] = await Promise.all([
    readKeeping(place, options),
    ask(place, { 'object-lock': '' }, 'ObjectLockConfiguration', options),
    ask(place, { versions: '', 'max-keys': '1' }, 'ListVersionsResult', options),
  ]);
  return {
    ...keeping,
    objectLock: lock === 'none' ? false : lock === 'refused' ? null : lock.fields['ObjectLockEnabled'] === 'Enabled',
    canListVersions: typeof versions === 'object',
  };
}

/**
 * Whether the bucket keeps new versions, and for how long.
 *
 * @throws {SvcError} `not_found`: the bucket.
 */
export async function readKeeping(
  place: Permitted<BucketRef>,
  options: Abortable,
): Promise<Pick<BucketInfo, 'versioning' | 'keptDays'>> {
  const [versioning, lifecycle] = await Promise.all([
    versioningOf(place, options),
    ask(place, { lifecycle: '' }, 'LifecycleConfiguration', options),
  ]);
  return { versioning, keptDays: typeof lifecycle === 'object' ? keptDaysIn(lifecycle) : null };
}

export async function versioningOf(place: BucketRef, options: Abortable): Promise<Versioning> {
  const answer = await ask(place, { versioning: '' }, 'VersioningConfiguration', options);
  if (typeof answer === 'string') return 'unknown';
  const { Status: status } = answer.fields;
  return status === 'Enabled' ? 'enabled' : status === 'Suspended' ? 'suspended' : 'never';
}

/** `none`: the bucket has no such configuration. `refused`: storage does not answer the question. */
async function ask(
  { provider, bucket }: BucketRef,
  query: Readonly<Record<string, string>>,
  root: string,
  { signal }: Abortable,
): Promise<XmlAnswer | 'none' | 'refused'> {
  try {
    return await provider.s3.ask({ method: 'GET', bucket, query }, root, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    const name = error instanceof SvcError ? (error.cause as { readonly name?: unknown } | undefined)?.name : undefined;
    if (name === 'NoSuchBucket' || codeOf(error) === 'storage_timeout') throw error;
    return codeOf(error) === 'not_found' ? 'none' : 'refused';
  }
}

/** The days of the rule that deletes first. A rule may concern some keys only, so others may be kept longer. */
function keptDaysIn({ items }: XmlAnswer): number | null {
  const days: number[] = [];
  let ofRule: number | undefined;
  // The elements of a rule come before the rule itself, because they end first.
  for (const { name, fields } of items) {
    if (name === 'NoncurrentVersionExpiration' && fields['NoncurrentDays'] !== undefined)
      ofRule = Number(fields['NoncurrentDays']);
    if (name !== 'Rule') continue;
    if (fields['Status'] === 'Enabled' && ofRule !== undefined && Number.isInteger(ofRule)) days.push(ofRule);
    ofRule = undefined;
  }
  return days.length === 0 ? null : Math.min(...days);
}
