import { SvcError } from '../errors/svc-error.ts';
import type { ObjectHeaders } from './object-headers.ts';

/** The conditions of a read, as in the headers of the same names. */
export type Requirements = {
  readonly ifMatch?: string | undefined;
  /** Ignored when `ifMatch` is given. */ readonly ifUnmodifiedSince?: string | undefined;
};

/**
 * The error for an object that is not the one that the client requires.
 *
 * The headers of the answer itself are compared, because some storage ignores `If-Match` on a read.
 *
 * @see RFC 9110 sections 13.1.1 and 13.1.4
 */
export function unmetCondition(
  { etag, 'last-modified': modified = '' }: ObjectHeaders,
  { ifMatch, ifUnmodifiedSince = '' }: Requirements,
): SvcError | undefined {
  if (ifMatch === undefined && ifUnmodifiedSince === '') return undefined;
  const isOther =
    ifMatch === undefined
      ? Date.parse(modified) > Date.parse(ifUnmodifiedSince)
      : ifMatch.trim() !== '*' && !entityTags(ifMatch).includes(etag ?? '');
  return isOther ? new SvcError('precondition_failed', { detail: 'the object has changed' }) : undefined;
}

/** A weak tag keeps its `W/`, and no stored object has such a tag. */
function entityTags(list: string): readonly string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

export const SOURCE_CONDITIONS = [
  'sourceIfMatch',
  'sourceIfNoneMatch',
  'sourceIfModifiedSince',
  'sourceIfUnmodifiedSince',
] as const;

/**
 * The conditions of a copy about its source, as in `x-amz-copy-source-if-…`. ETags may lack their quotes. A time is ignored when the ETag beside it is given.
 */
export type SourceConditions = { readonly [Name in (typeof SOURCE_CONDITIONS)[number]]?: string | undefined };

/**
 * Requires that the source of a copy meets all conditions.
 *
 * @throws {SvcError} `precondition_failed`
 */
export function requireSource(
  { etag = '', 'last-modified': modified = '' }: ObjectHeaders,
  { sourceIfMatch, sourceIfUnmodifiedSince = '', sourceIfNoneMatch, sourceIfModifiedSince = '' }: SourceConditions,
): void {
  const isNamed = (named: string) => named.trim() === '*' || named.split(',').some((one) => bare(one) === bare(etag));
  const isChanged = (since: string) => Date.parse(modified) > Date.parse(since);
  const isMet =
    (sourceIfMatch === undefined ? !isChanged(sourceIfUnmodifiedSince) : isNamed(sourceIfMatch)) &&
    (sourceIfNoneMatch === undefined
      ? Number.isNaN(Date.parse(sourceIfModifiedSince)) || isChanged(sourceIfModifiedSince)
      : !isNamed(sourceIfNoneMatch));
  if (!isMet)
    throw new SvcError('precondition_failed', { detail: 'the source does not meet the conditions of the copy' });
}

function bare(etag: string): string {
  return etag.trim().replaceAll('"', '');
}
