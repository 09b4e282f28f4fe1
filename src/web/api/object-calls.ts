import type { BucketList, DeleteResult, ObjectList, PresignResult } from '../../wire/http.ts';
import { apiErrorOf, unlessGone, type ApiError } from './api-error.ts';
import { keepingOf, type Keeping } from './keeping.ts';
import { answered, service, writtenIn } from './client.ts';
import { routeUrl, send } from './request.ts';

export type BucketRef = { readonly provider: string; readonly bucket: string };
export type ObjectRef = BucketRef & { readonly key: string };

const PAGE = 1_000;

const BUCKET = '/api/providers/{provider}/buckets/{bucket}';

function pathOf({ provider, bucket }: BucketRef): BucketRef {
  return { provider, bucket };
}

function inBucket({ provider, bucket }: BucketRef, ...rest: string[]): string[] {
  return ['api', 'providers', provider, 'buckets', bucket, ...rest];
}

export function objectUrl(
  object: ObjectRef,
  options: { readonly download?: boolean; readonly version?: string } = {},
): string {
  return routeUrl(inBucket(object, 'object'), {
    key: object.key,
    version: options.version,
    download: options.download ? 1 : undefined,
  });
}

/** @throws {ApiError} `not_supported` if the object has no thumbnail. */
export async function readThumbnail(object: ObjectRef, signal: AbortSignal): Promise<Blob> {
  return (await send(inBucket(object, 'object', 'thumbnail'), { query: { key: object.key }, signal })).blob();
}

export function archivePath(bucket: BucketRef): string[] {
  return inBucket(bucket, 'archive');
}

/** Reads one page of a listing. With the delimiter `/`, the objects of each subfolder are combined into one prefix. */
export function listPage(
  bucket: BucketRef,
  query: {
    readonly prefix: string;
    readonly delimiter?: '/';
    readonly cursor?: string | undefined;
    readonly limit?: number;
  },
  signal?: AbortSignal,
): Promise<ObjectList> {
  const { cursor, ...rest } = query;
  const params = { path: pathOf(bucket), query: { limit: PAGE, ...rest, ...(cursor !== undefined && { cursor }) } };
  return answered(service.GET(`${BUCKET}/objects`, { params, signal: signal ?? null }));
}

/** Whether the listing contains an object with exactly this key. It is false if the user may not list the object. */
export async function isListed(object: ObjectRef, signal?: AbortSignal): Promise<boolean> {
  const page = await listPage(object, { prefix: object.key, limit: 1 }, signal);
  return page.objects[0]?.key === object.key;
}

/**
 * Creates a folder. A proxy may repeat the request silently, so that it is refused because of itself.
 *
 * @throws {ApiError} `precondition_failed` if the folder exists.
 */
export async function createFolder(bucket: BucketRef, prefix: string): Promise<void> {
  const mark = { ...bucket, key: prefix };
  const wasThere = await isListed(mark);
  try {
    await createEmptyObject(mark);
  } catch (thrown) {
    if (wasThere || apiErrorOf(thrown).code !== 'precondition_failed' || !(await isListed(mark))) throw thrown;
  }
}

/** Deletes up to 1,000 keys. */
export function deleteKeys(bucket: BucketRef, keys: readonly string[], signal: AbortSignal): Promise<DeleteResult> {
  return answered(
    service.POST(`${BUCKET}/objects/delete`, { params: { path: pathOf(bucket) }, body: { keys: [...keys] }, signal }),
  );
}

export type CopyOptions = { readonly move: boolean; readonly replace: boolean; readonly signal: AbortSignal };

/** @returns the ETag of the target. @throws {ApiError} `precondition_failed` if the target exists and `replace` is false. */
export async function copyObject(
  from: ObjectRef,
  to: ObjectRef,
  { move, replace, signal }: CopyOptions,
): Promise<string> {
  const params = { path: pathOf(from), header: replace ? {} : ({ 'If-None-Match': '*' } as const) };
  return (
    await answered(
      service.POST(`${BUCKET}/objects/copy`, {
        params,
        body: { key: from.key, to: { ...pathOf(to), key: to.key }, move },
        signal,
      }),
    )
  ).etag;
}

export function presign(object: ObjectRef, expiresInSeconds: number): Promise<PresignResult> {
  return answered(
    service.POST(`${BUCKET}/object/presign`, {
      params: { path: pathOf(object) },
      body: { key: object.key, method: 'GET', expires_in: expiresInSeconds },
    }),
  );
}

export type ObjectHead = {
  /** Bytes. */
  readonly size: number;
  readonly type: string;
  readonly etag: string;
  readonly modified: Date | undefined;
  readonly metadata: readonly (readonly [name: string, value: string])[];
  readonly keeping: Keeping;
  /** Whether it is stored in an encoding that the browser unpacks, which it can do only from the start to the end. */
  readonly isCompressed: boolean;
};

/** @param version - asks for this version instead of the current one. */
export async function headObject(object: ObjectRef, signal?: AbortSignal, version?: string): Promise<ObjectHead> {
  const response = await headResponse(object, signal, version);
  const { headers } = response;
  const modified = headers.get('last-modified');
  return {
    size: Number(headers.get('content-length') ?? 0),
    type: headers.get('content-type') ?? '',
    etag: headers.get('etag') ?? '',
    modified: modified === null ? undefined : new Date(modified),
    metadata: [...headers]
      .filter(([name]) => name.startsWith(METADATA))
      .map(([name, value]) => [name.slice(METADATA.length), value] as const),
    keeping: keepingOf(headers),
    isCompressed: /gzip|deflate|\bbr\b|zstd/i.test(headers.get('content-encoding') ?? ''),
  };
}

/** The error that the service answers when the user reads an object, or null if the user may read it. It requests one byte. */
export async function refusalOf(object: ObjectRef, signal: AbortSignal): Promise<ApiError | null> {
  try {
    await (
      await send(inBucket(object, 'object'), { query: { key: object.key }, headers: { range: 'bytes=0-0' }, signal })
    ).body?.cancel();
    return null;
  } catch (error) {
    return apiErrorOf(error);
  }
}

const METADATA = 'x-amz-meta-';

function headResponse(object: ObjectRef, signal?: AbortSignal, version?: string): Promise<Response> {
  return send(inBucket(object, 'object'), {
    method: 'HEAD',
    query: { key: object.key, version },
    // A change of the metadata keeps the ETag, so the cache would answer with the headers before the change.
    headers: { 'cache-control': 'no-cache' },
    ...(signal ? { signal } : {}),
  });
}

async function createEmptyObject(object: ObjectRef): Promise<void> {
  const answer = await send(inBucket(object, 'object'), {
    method: 'PUT',
    query: { key: object.key },
    headers: { 'if-none-match': '*' },
  });
  writtenIn(await answer.text());
}

export type Bucket = BucketList['buckets'][number];

export async function listBuckets(provider: string): Promise<readonly Bucket[]> {
  return (await answered(service.GET('/api/providers/{provider}/buckets', { params: { path: { provider } } }))).buckets;
}

/**
 * Creates a bucket. A proxy may repeat the request silently, so that it is refused because of itself.
 *
 * @throws {ApiError} `bucket_exists`
 */
export async function createBucket(provider: string, name: string): Promise<void> {
  const isThere = async (): Promise<boolean> => (await listBuckets(provider)).some((bucket) => bucket.name === name);
  const wasThere = await isThere().catch(() => true);
  try {
    await answered(
      service.POST('/api/providers/{provider}/buckets', { params: { path: { provider } }, body: { name } }),
    );
  } catch (thrown) {
    if (wasThere || apiErrorOf(thrown).code !== 'bucket_exists' || !(await isThere())) throw thrown;
  }
}

/** Deletes a bucket, or finds that it is gone. */
export async function deleteBucket(bucket: BucketRef): Promise<void> {
  await unlessGone(service.DELETE(BUCKET, { params: { path: pathOf(bucket) } }));
}
