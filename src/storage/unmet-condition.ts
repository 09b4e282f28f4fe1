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
