/**
 * What s3rver lacks of S3, filled in, so that what is built on it behaves as on real storage:
 *
 * - objects and parts appear when they are complete, not while they arrive;
 * - listings are in key order, and count common prefixes;
 * - exactly the parts that are named are joined, and those that are not there refused;
 * - a part can be copied from a range of an object, while that has the ETag that was named;
 * - parts can be listed, uploads dropped, and an upload id counts for its own key only;
 * - a copy source may hold any character, a bulk delete any key;
 * - a request with a link may carry no `x-amz-` header that the link did not sign.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type S3rver from 's3rver';
import type { FilesystemStore, S3Context } from 's3rver';
import S3Error from 's3rver/lib/models/error.js';
import bucketController from 's3rver/lib/controllers/bucket.js';
import objectController from 's3rver/lib/controllers/object.js';
import { listInOrder, passingOverFolders } from './s3rver-listing.ts';

export type GapOptions = {
  /** A listing that starts inside a common prefix passes over all of it, as Ceph does; Amazon shows the common prefix. */
  readonly passesOverFolders?: boolean;
  /** `If-Match`, with or without quotes, is heeded, also on the source of a copy, and `If-None-Match: *` of a write, as by Amazon. */
  readonly heedsConditions?: boolean;
  /** Objects have tags. */
  readonly keepsTags?: boolean;
  /** Objects whose keys end with `.archived` are in an archive, and can be read when they have been asked for twice. */
  readonly archives?: boolean;
  /** With a link come unsigned headers too: as to Ceph, which refuses those that the link names, or always. Otherwise they are refused, as by Amazon. */
  readonly unsignedHeaders?: 'as to Ceph' | 'always';
};

export function fillGaps(server: S3rver, options: GapOptions = {}): void {
  const { store } = server;
  if (options.passesOverFolders) passingOverFolders.add(store);
  bucketController.getBucket = listInOrder;
  objectController.deleteMultipleObjects = deleteMany;
  store.putObject = async ({ bucket, key, content, metadata }) => {
    const written = await writeWhole(store.getResourcePath(bucket, key, 'object'), content);
    await store.putMetadata(bucket, key, metadata, written.md5);
    return written;
  };
  store.putPart = async (bucket, uploadId, partNumber, content) => {
    const path = join(uploadPath(store, bucket, uploadId), partNumber);
    // Without making the folder again: the upload may be dropped while a part arrives.
    const written = await writeWhole(path, content, false);
    await writeFile(`${path}.md5`, written.md5);
    return written;
  };
  const joinParts = store.putObjectMultipart.bind(store);
  store.putObjectMultipart = async (bucket, uploadId, parts) => {
    const folder = uploadPath(store, bucket, uploadId);
    const digests = await Promise.all(
      parts.map(({ number }) => readFile(`${folder}/${number}.md5`, 'utf8').catch(() => undefined)),
    );
    if (parts.some(({ etag }, i) => digests[i] !== etag))
      throw new S3Error('InvalidPart', 'One or more of the specified parts could not be found.');
    const key = await readFile(`${folder}/key`, 'utf8');
    const { size } = await joinParts(bucket, uploadId, parts);
    const md5 = `${createHash('md5')
      .update(Buffer.from(digests.join(''), 'hex'))
      .digest('hex')}-${parts.length}`;
    await writeFile(store.getResourcePath(bucket, key, 'object.md5'), md5);
    return { size, md5 };
  };
  if (options.unsignedHeaders !== 'always')
    server.middleware.splice(-1, 0, (ctx, next) =>
      checkSignedHeaders(ctx, next, options.unsignedHeaders === 'as to Ceph'),
    );
  server.middleware.splice(-1, 0, (ctx, next) => beforeRoutes(store, ctx, next));
  if (options.heedsConditions) server.middleware.splice(-1, 0, (ctx, next) => heedConditions(store, ctx, next));
  if (options.keepsTags) server.middleware.splice(-1, 0, keepingTags());
  if (options.archives) server.middleware.splice(-1, 0, archiving());
}

async function writeWhole(
  path: string,
  content: NodeJS.ReadableStream | Buffer,
  makesFolder = true,
): Promise<{ size: number; md5: string }> {
  if (makesFolder) await mkdir(dirname(path), { recursive: true });
  const unfinished = join(dirname(path), `.${randomUUID()}`);
  const hash = createHash('md5');
  let size = 0;
  const measure = new PassThrough().on('data', (chunk: Buffer) => {
    hash.update(chunk);
    size += chunk.length;
  });
  try {
    await pipeline(
      Buffer.isBuffer(content) ? Readable.from([content]) : content,
      measure,
      createWriteStream(unfinished),
    );
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  return { size, md5: hash.digest('hex') };
}

async function beforeRoutes(store: FilesystemStore, ctx: S3Context, next: () => Promise<void>): Promise<void> {
  const [bucket = '', ...rest] = ctx.path.slice(1).split('/').map(decodeURIComponent);
  const key = rest.join('/');
  const source = ctx.headers['x-amz-copy-source'];
  // s3rver decodes it with decodeURI, which leaves reserved characters encoded.
  if (source !== undefined) ctx.headers['x-amz-copy-source'] = encodeURI(decodeURIComponent(source));

  const { uploadId } = ctx.query;
  if (key === '' && ctx.method === 'GET' && ctx.query['uploads'] !== undefined) {
    ctx.body = { ListMultipartUploadsResult: await uploadsIn(store, bucket, ctx.query) };
    return;
  }
  if (key !== '' && uploadId !== undefined) {
    if ((await keyOfUpload(store, bucket, uploadId)) !== key) {
      ctx.status = 404;
      ctx.body = { Error: { Code: 'NoSuchUpload', Message: 'The specified upload does not exist.' } };
      return;
    }
    const folder = uploadPath(store, bucket, uploadId);
    if (ctx.method === 'DELETE') {
      // A part that arrives meanwhile puts a file into the folder.
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 10 });
      ctx.status = 204;
      return;
    }
    if (ctx.method === 'GET') {
      ctx.body = {
        ListPartsResult: {
          Bucket: bucket,
          Key: key,
          UploadId: uploadId,
          IsTruncated: false,
          Part: await partsIn(folder),
        },
      };
      return;
    }
    if (ctx.method === 'PUT' && source !== undefined) {
      await copyPart(store, ctx, decodeURIComponent(source));
      return;
    }
  }
  return next();
}

/** UploadPartCopy. */
async function copyPart(store: FilesystemStore, ctx: S3Context, source: string): Promise<void> {
  const [bucket = ''] = ctx.path.slice(1).split('/').map(decodeURIComponent);
  const { uploadId = '', partNumber = '' } = ctx.query;
  const [sourceBucket = '', ...sourceKey] = source.split('/');
  const { etag } = await store.getMetadata(sourceBucket, sourceKey.join('/'));
  const wanted = ctx.headers['x-amz-copy-source-if-match'];
  if (wanted !== undefined && wanted !== String(etag)) {
    ctx.status = 412;
    ctx.body = {
      Error: { Code: 'PreconditionFailed', Message: 'At least one of the preconditions you specified did not hold.' },
    };
    return;
  }
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(ctx.headers['x-amz-copy-source-range'] ?? '') ?? [];
  const range = start === undefined ? {} : { start: Number(start), end: Number(end) };
  const content = createReadStream(store.getResourcePath(sourceBucket, sourceKey.join('/'), 'object'), range);
  const { md5 } = await store.putPart(bucket, uploadId, partNumber, content);
  ctx.body = { CopyPartResult: { ETag: `"${md5}"`, LastModified: new Date().toISOString() } };
}

async function heedConditions(store: FilesystemStore, ctx: S3Context, next: () => Promise<void>): Promise<void> {
  const source = ctx.headers['x-amz-copy-source'];
  const ofSource = ctx.headers['x-amz-copy-source-if-match'];
  const isMet = async (place: string, wanted: string | undefined): Promise<boolean> => {
    const [bucket = '', ...rest] = decodeURIComponent(place).split('/');
    if (wanted === undefined || wanted === '*' || rest.length === 0) return true;
    const found = await store.getMetadata(bucket, rest.join('/')).catch(() => undefined);
    return found === undefined || String(found.etag).replaceAll('"', '') === wanted.replaceAll('"', '');
  };
  const place = ctx.path.slice(1);
  // Nothing has the ETag `none`, so this holds only where there is no object.
  const isFree = ctx.method !== 'PUT' || ctx.headers['if-none-match'] !== '*' || (await isMet(place, 'none'));
  if (isFree && (await isMet(place, ctx.headers['if-match'])) && (await isMet(source ?? '', ofSource))) return next();
  ctx.status = 412;
  ctx.body = {
    Error: { Code: 'PreconditionFailed', Message: 'At least one of the preconditions you specified did not hold.' },
  };
}

/** Tags that are written with an object, told with `?tagging`. */
function keepingTags(): (ctx: S3Context, next: () => Promise<void>) => Promise<void> {
  const tags = new Map<string, string>();
  return async (ctx, next) => {
    if (ctx.method === 'PUT' && ctx.query['tagging'] !== undefined) {
      const chunks: Buffer[] = [];
      for await (const chunk of ctx.req) chunks.push(chunk as Buffer);
      const named = Buffer.concat(chunks)
        .toString()
        .matchAll(/<Key>([^<]*)<\/Key><Value>([^<]*)<\/Value>/g);
      tags.set(ctx.path, String(new URLSearchParams(Array.from(named, ([, name = '', value = '']) => [name, value]))));
      ctx.status = 200;
      ctx.body = '';
      return;
    }
    if (ctx.method === 'DELETE' && ctx.query['tagging'] !== undefined) {
      tags.delete(ctx.path);
      ctx.status = 204;
      return;
    }
    if (ctx.method === 'PUT') tags.set(ctx.path, ctx.headers['x-amz-tagging'] ?? '');
    if (ctx.method !== 'GET' || ctx.query['tagging'] === undefined) return next();
    const pairs = [...new URLSearchParams(tags.get(ctx.path))].map(([Key, Value]) => ({ Key, Value }));
    ctx.body = { Tagging: { TagSet: pairs.length === 0 ? '' : { Tag: pairs } } };
  };
}

function archiving(): (ctx: S3Context, next: () => Promise<void>) => Promise<void> {
  const asked = new Map<string, number>();
  return async (ctx, next) => {
    if (!ctx.path.endsWith('.archived') || ctx.method === 'PUT') return next();
    const times = asked.get(ctx.path) ?? 0;
    if (ctx.method === 'POST' && ctx.query['restore'] !== undefined) {
      asked.set(ctx.path, times + 1);
      if (times === 1) throw new S3Error('RestoreAlreadyInProgress', 'Object restore is already in progress');
      ctx.status = times === 0 ? 202 : 200;
      ctx.body = '';
      return;
    }
    if (ctx.method === 'GET' && times < 2)
      throw new S3Error('InvalidObjectState', 'The operation is not valid for the storage class of the object');
    await next();
    ctx.set('x-amz-storage-class', 'GLACIER');
    if (times > 0) ctx.set('x-amz-restore', `ongoing-request="${times === 1}"`);
  };
}

function uploadPath(store: FilesystemStore, bucket: string, uploadId: string): string {
  return join(store.getResourcePath(bucket, undefined, 'uploads'), uploadId.replace(/\W/g, '_'));
}

async function keyOfUpload(store: FilesystemStore, bucket: string, uploadId: string): Promise<string | undefined> {
  return readFile(join(uploadPath(store, bucket, uploadId), 'key'), 'utf8').catch(() => undefined);
}

/** The uploads of a bucket that were neither completed nor dropped. */
export async function openUploads(store: FilesystemStore, bucket: string): Promise<string[]> {
  return readdir(store.getResourcePath(bucket, undefined, 'uploads')).catch(() => []);
}

/** ListMultipartUploads, by key and id. */
async function uploadsIn(store: FilesystemStore, bucket: string, query: S3Context['query']): Promise<object> {
  const { prefix = '', 'key-marker': keyMarker = '', 'upload-id-marker': idMarker } = query;
  const found = await Promise.all(
    (await openUploads(store, bucket)).map(async (id) => ({
      id,
      key: (await keyOfUpload(store, bucket, id)) ?? '',
      initiated: (await stat(join(uploadPath(store, bucket, id), 'key'))).mtime.toISOString(),
    })),
  );
  const order = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
  const after = found
    .filter(({ key, id }) => {
      const side = order(key, keyMarker);
      return key.startsWith(prefix) && (side > 0 || (side === 0 && idMarker !== undefined && order(id, idMarker) > 0));
    })
    .sort((a, b) => order(a.key, b.key) || order(a.id, b.id));
  const most = Number(query['max-uploads'] ?? 1000);
  const isUrl = query['encoding-type'] === 'url';
  return {
    Bucket: bucket,
    ...(isUrl && { EncodingType: 'url' }),
    IsTruncated: after.length > most,
    Upload: after.slice(0, most).map(({ key, id, initiated }) => ({
      Key: isUrl ? encodeURIComponent(key) : key,
      UploadId: id,
      Initiated: initiated,
    })),
  };
}

async function partsIn(folder: string): Promise<object[]> {
  const numbers = (await readdir(folder)).flatMap((name) => /^(\d+)\.md5$/.exec(name)?.[1] ?? []).map(Number);
  return Promise.all(
    numbers
      .sort((a, b) => a - b)
      .map(async (number) => {
        const path = join(folder, String(number));
        return {
          PartNumber: number,
          ETag: `"${await readFile(`${path}.md5`, 'utf8')}"`,
          Size: (await stat(path)).size,
          LastModified: new Date().toISOString(),
        };
      }),
  );
}

async function deleteMany(ctx: S3Context): Promise<void> {
  const { store } = ctx;
  const { bucket } = ctx.params;
  const chunks: Buffer[] = [];
  for await (const chunk of ctx.req) chunks.push(chunk as Buffer);
  const xml = Buffer.concat(chunks).toString();
  const keys = [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => unescapeXml(key));
  for (const key of keys) if (await store.existsObject(bucket, key)) await store.deleteObject(bucket, key);
  ctx.body = { DeleteResult: /<Quiet>true/.test(xml) ? '' : { Deleted: keys.map((Key) => ({ Key })) } };
}

function unescapeXml(text: string): string {
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (_, hex?: string, decimal?: string, name?: string) =>
    hex !== undefined
      ? String.fromCodePoint(parseInt(hex, 16))
      : decimal !== undefined
        ? String.fromCodePoint(Number(decimal))
        : (named[name ?? ''] ?? ''),
  );
}

/** Puts empty objects into a bucket without asking the server: for buckets of many thousands. */
export function plantKeys(store: FilesystemStore, bucket: string, keys: readonly string[]): void {
  const folders = new Set<string>();
  for (const key of keys) {
    const path = store.getResourcePath(bucket, key, 'object');
    const folder = dirname(path);
    if (!folders.has(folder)) mkdirSync(folder, { recursive: true });
    folders.add(folder);
    writeFileSync(path, '');
  }
}

async function checkSignedHeaders(ctx: S3Context, next: () => Promise<void>, asCeph: boolean): Promise<void> {
  const named = ctx.query['X-Amz-SignedHeaders']?.split(';');
  if (named === undefined) return next();
  const sent = Object.keys(ctx.headers).filter((name) => name.startsWith('x-amz-'));
  // Ceph reads a header that was not sent as if it were not named; Amazon takes it for another request than the one that was signed.
  const isOther = asCeph
    ? sent.some((name) => named.includes(name))
    : named.some((name) => ctx.headers[name] === undefined);
  if (!isOther && (asCeph || sent.every((name) => named.includes(name)))) return next();
  ctx.status = 403;
  ctx.body = {
    Error: isOther
      ? { Code: 'SignatureDoesNotMatch' }
      : { Code: 'AccessDenied', Message: 'There were headers present in the request which were not signed' },
  };
}
