import { codeOf, SvcError } from '../errors/svc-error.ts';
import type { ObjectRef } from './provider.ts';
import type { Headers } from './s3/fault.ts';
import { isFault } from './storage-error.ts';

/** The part of a request that asks for one version. */
export function versionQuery(version: string | undefined): { readonly query?: { readonly versionId: string } } {
  return version === undefined ? {} : { query: { versionId: version } };
}

/** Whether an answer is about the version that was asked for. For one that was written while the bucket kept no versions, storage may name none. */
export function isVersion(answer: Headers, version: string | undefined): boolean {
  return version === undefined || (answer['x-amz-version-id'] ?? 'null') === version;
}

/**
 * Checks that an answer is about the version that was asked for. Storage that does not know versions answers with the newest content.
 *
 * @throws {SvcError} `not_supported`.
 */
export function requireVersion({ provider }: ObjectRef, answer: Headers, version: string | undefined): void {
  if (isVersion(answer, version)) return;
  throw new SvcError('not_supported', {
    detail: `storage provider \`${provider.name}\` did not answer with this version; does it keep versions?`,
  });
}

/** What to tell about a failed read. Amazon answers 405 for a delete marker. */
export function faultOfVersion(error: unknown, version: string | undefined): unknown {
  if (version === undefined) return error;
  const isMarker = isFault(error, 'MethodNotAllowed', 405);
  // Amazon answers 400 for a version id that it cannot have given.
  if (!isMarker && codeOf(error) !== 'not_found' && !isFault(error, 'InvalidArgument', 400)) return error;
  return new SvcError('not_found', {
    detail: isMarker ? 'this version is a deletion, which has no content' : 'there is no such version of this object',
    cause: error,
  });
}
