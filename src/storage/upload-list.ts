import { keyFilter } from '../policy/listing/key-filter.ts';
import { nextAllowed, type KeyRange } from '../policy/listing/ranges.ts';
import type { Grants } from '../policy/index/grants.ts';
import { afterPrefix, compareKeys, justBefore } from '../policy/index/key-order.ts';
import { hasDotSegment } from '../policy/model/name.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import { nameDecoder, timeOf } from './bucket-page.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import type { Abortable, PrefixRef } from './provider.ts';

/** `initiated` is in RFC 3339, or null when storage does not give it. */
export type ListedUpload = { readonly key: string; readonly id: string; readonly initiated: string | null };

export type UploadPage = { readonly uploads: ListedUpload[]; readonly nextCursor: string | null };

/** `grants` are the caller's `effective` grants. */
export type UploadQuery = Abortable & {
  readonly grants: Grants;
  /** `nextCursor` of the previous page, for the same prefix. */
  readonly cursor?: string | undefined;
  /** 1 to 1000. */
  readonly limit: number;
};

/** The position after an upload. Without an id it is after the uploads of the key. */
type Position = { readonly key: string; readonly id: string };

/** The maximum number of storage calls for a page. */
const MAX_CALLS = 32;
const ACTION = 'objects:write';

/**
 * Lists the uploads in parts that were neither completed nor aborted, of the keys that the caller may write, page by page. Storage is asked only beneath
 * prefixes in which the caller may write.
 *
 * @throws {SvcError} `invalid_request`: the cursor belongs to another query. `not_found`: the bucket.
 */
export async function listUploads(place: Permitted<PrefixRef>, query: UploadQuery): Promise<UploadPage> {
  const { grants, limit, signal } = query;
  const { provider, bucket } = place;
  const scope = { provider: provider.name, bucket, prefix: place.prefix };
  const permits = keyFilter(grants, ACTION, scope);
  const isHidden = (key: string) => provider.dotSegments === 'refuse' && hasDotSegment(key);
  const uploads: ListedUpload[] = [];
  let at = query.cursor === undefined ? undefined : positionIn(place, query.cursor);
  let run = nextAllowed(grants, ACTION, scope, at === undefined ? '' : justBefore(at.key));
  const ends = new Set(at && [textOf(at)]);
  for (let calls = 1; run !== undefined; calls += 1) {
    const page = await readPage({ provider, bucket, prefix: run.prefix }, markerIn(run, at), signal);
    // Storage that answers with an earlier page again would be asked forever. The order of uploads does not tell, because it differs between gateways.
    const isAgain = page.next !== undefined && ends.has(textOf(page.next));
    if (page.next !== undefined) ends.add(textOf(page.next));
    for (const upload of isAgain ? [] : page.uploads) {
      if (!permits(upload.key) || isHidden(upload.key)) continue;
      if (uploads.length === limit) return { uploads, nextCursor: cursorAt(place, uploads.at(-1)!) };
      uploads.push(upload);
    }
    at = isAgain ? undefined : page.next;
    const end = afterPrefix(run.prefix);
    if (at === undefined) run = nextAllowed(grants, ACTION, scope, end);
    if (run !== undefined && calls === MAX_CALLS)
      return { uploads, nextCursor: cursorAt(place, at ?? { key: end, id: '' }) };
  }
  return { uploads, nextCursor: null };
}

function textOf({ key, id }: Position): string {
  return `${id}\0${key}`;
}

/** Where a page of a run begins; undefined for the first upload of the run. */
function markerIn(run: KeyRange, at: Position | undefined): Position | undefined {
  if (at !== undefined && compareKeys(run.after, at.key) < 0) return at;
  return compareKeys(run.after, run.prefix) < 0 ? undefined : { key: run.after, id: '' };
}

type ReadUploads = { readonly uploads: readonly ListedUpload[]; readonly next: Position | undefined };

async function readPage(
  { provider, bucket, prefix }: PrefixRef,
  marker: Position | undefined,
  signal: Abortable['signal'],
): Promise<ReadUploads> {
  // Without `encoding-type`, because Ceph would encode the names and not say so.
  const query = {
    uploads: '',
    prefix: prefix || undefined,
    'key-marker': marker?.key,
    'upload-id-marker': marker?.id || undefined,
  };
  const answer = await provider.s3.ask({ method: 'GET', bucket, query }, 'ListMultipartUploadsResult', { signal });
  const decode = nameDecoder(answer);
  const uploads = answer.items.flatMap(({ name, fields }): ListedUpload[] => {
    const key = name === 'Upload' ? decode(fields['Key'] ?? '') : undefined;
    const id = fields['UploadId'] ?? '';
    if (key === undefined || id === '' || !key.startsWith(prefix)) return [];
    return [{ key, id, initiated: timeOf(fields['Initiated']) ?? null }];
  });
  return { uploads, next: answer.fields['IsTruncated'] === 'true' ? uploads.at(-1) : undefined };
}

/** The part of a cursor that tells it from those of other listings. */
const UPLOADS = { question: 'uploads' };

function cursorAt(place: Permitted<PrefixRef>, position: Position): string {
  return encodeCursor(place, textOf(position), UPLOADS);
}

function positionIn(place: Permitted<PrefixRef>, cursor: string): Position {
  const position = decodeCursor(place, cursor, UPLOADS);
  const end = position.indexOf('\0');
  return { id: position.slice(0, end), key: position.slice(end + 1) };
}
