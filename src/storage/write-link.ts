import { createHash, createHmac } from 'node:crypto';
import { UploadPartCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { SvcError } from '../errors/svc-error.ts';
import { ask } from './ask.ts';
import type { ObjectRef, StorageProvider } from './provider.ts';

/** Headers with which a write would read another object, open the object to others, or protect it against deletion. */
const TREACHEROUS_HEADERS = [
  'x-amz-acl',
  'x-amz-copy-source',
  'x-amz-grant-full-control',
  'x-amz-grant-read',
  'x-amz-grant-read-acp',
  'x-amz-grant-write',
  'x-amz-grant-write-acp',
  'x-amz-object-lock-legal-hold',
  'x-amz-object-lock-mode',
  'x-amz-object-lock-retain-until-date',
  'x-amz-website-redirect-location',
] as const;

/**
 * How storage treats a header that is sent with a link and was not signed.
 *
 * - `refused`: storage refuses it, as Amazon does.
 * - `refused if named`: storage refuses it when the link names it as signed, as Ceph does.
 * - `taken`: storage accepts it, so that a link that writes one object can read every other one.
 */
type UnsignedHeaders = 'refused' | 'refused if named' | 'taken';

const found = new WeakMap<StorageProvider, UnsignedHeaders>();

/**
 * Makes sure that a link that writes does nothing else. Storage is asked once how it treats headers that were not signed.
 *
 * @throws {SvcError} `not_supported`: storage takes them.
 */
export async function closedLink(provider: StorageProvider, object: ObjectRef, link: string): Promise<string> {
  const how = found.get(provider) ?? (await askHow(provider, object));
  if (how === 'taken') {
    throw new SvcError('not_supported', { detail: `storage provider \`${provider.name}\` would let a link that writes one object read all others, so none is made; upload through the service` });
  }
  return how === 'refused' ? link : naming(link, await secretKeyOf(provider));
}

/** Finds out how storage treats unsigned headers. It sends a part of an upload that does not exist, so that nothing is ever written. */
async function askHow(provider: StorageProvider, object: ObjectRef): Promise<UnsignedHeaders> {
  const plain = await getSignedUrl(provider.client, new UploadPartCommand({ Bucket: object.bucket, Key: object.key, UploadId: 'none', PartNumber: 1 }), { expiresIn: 60 });
  const named = naming(plain, await secretKeyOf(provider));
  const copy = { 'x-amz-copy-source': `/${object.bucket}/none` };
  let how: UnsignedHeaders = 'taken';
  if (isAboutSignature(await send(provider, plain, copy))) how = 'refused';
  else if ((await send(provider, named, {})).status === 404 && isAboutSignature(await send(provider, named, copy))) how = 'refused if named';
  // A bucket that may not be written looks like `taken` too, so this outcome is not remembered for other buckets.
  if (how !== 'taken') found.set(provider, how);
  return how;
}

type Answer = { readonly status: number; readonly body: string };
/** The part of the SDK's request handler that is used here. It has the certificates and the proxy of the provider. */
type Handler = { handle(request: object, options: { abortSignal: AbortSignal }): Promise<{ readonly response: { readonly statusCode: number; readonly body: AsyncIterable<Uint8Array> } }> };

function isAboutSignature({ status, body }: Answer): boolean {
  return status >= 400 && status < 500 && /signature|signed/i.test(body);
}

async function send(provider: StorageProvider, link: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  const url = new URL(link);
  const { protocol, hostname, port, pathname, host } = url;
  const request = { method: 'PUT', protocol, hostname, ...(port !== '' && { port: Number(port) }), path: pathname, query: Object.fromEntries(url.searchParams), headers: { host, 'content-length': '0', ...headers } };
  const requestHandler = provider.client.config.requestHandler as Handler;
  const answer = await ask(provider, undefined, async (options) => {
    const { response } = await requestHandler.handle(request, options);
    return { status: response.statusCode, body: await beginningOf(response.body) };
  });
  if (answer.status >= 500) throw new SvcError('storage_unavailable', { detail: `storage provider \`${provider.name}\` cannot be used now; try again later` });
  return answer;
}

const MAX_READ_BYTES = 16_384;

async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    if ((bytes += chunk.length) > MAX_READ_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function secretKeyOf(provider: StorageProvider): Promise<string> {
  return (await provider.signer.config.credentials()).secretAccessKey;
}

/** The same link, which names the dangerous headers as signed although they are not sent (AWS Signature Version 4). */
function naming(link: string, secretKey: string): string {
  const url = new URL(link);
  const names = ['host', ...TREACHEROUS_HEADERS].join(';');
  url.searchParams.delete('X-Amz-Signature');
  const query = url.search
    .slice(1)
    .split('&')
    .map((pair) => (pair.startsWith('X-Amz-SignedHeaders=') ? `X-Amz-SignedHeaders=${encodeURIComponent(names)}` : pair))
    .sort()
    .join('&');
  const date = url.searchParams.get('X-Amz-Date') ?? '';
  const scope = (url.searchParams.get('X-Amz-Credential') ?? '').split('/').slice(1);
  const canonical = ['PUT', url.pathname, query, `host:${url.host}`, '', names, 'UNSIGNED-PAYLOAD'].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', date, scope.join('/'), createHash('sha256').update(canonical).digest('hex')].join('\n');
  const key = scope.reduce<string | Buffer>((before, part) => createHmac('sha256', before).update(part).digest(), `AWS4${secretKey}`);
  return `${url.origin}${url.pathname}?${query}&X-Amz-Signature=${createHmac('sha256', key).update(toSign).digest('hex')}`;
}
