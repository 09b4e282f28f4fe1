import { SvcError } from '../errors/svc-error.ts';
import type { ObjectRef, StorageProvider } from './provider.ts';
import type { Answer } from './s3/client.ts';

/** Headers with which a write would read another object, open the object to others, or protect it against deletion. */
const DANGEROUS_HEADERS = [
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
 * How storage treats a header that is sent with a link but was not signed.
 *
 * - `refused`: storage refuses it, as Amazon does.
 * - `refused if named`: storage refuses it when the link names it as signed, as Ceph does.
 * - `taken`: storage accepts it, so that a link that writes one object can read every other one.
 */
type UnsignedHeaders = 'refused' | 'refused if named' | 'taken';

const found = new WeakMap<StorageProvider, UnsignedHeaders>();

/**
 * The headers that a link has to sign as empty, so that it can only write the one object. Storage is asked once how it treats unsigned headers.
 *
 * @throws {SvcError} `not_supported`: storage accepts them.
 */
export async function emptyHeadersOf(object: ObjectRef): Promise<readonly string[]> {
  const { provider } = object;
  const how = found.get(provider) ?? (await askHow(object));
  if (how === 'taken') {
    throw new SvcError('not_supported', {
      detail: `storage provider \`${provider.name}\` would let a link that writes one object read all others, so none is made; upload through the service`,
    });
  }
  return how === 'refused' ? [] : DANGEROUS_HEADERS;
}

/** Finds out how storage treats unsigned headers. It sends a part of an upload that does not exist, so that nothing is ever written. */
async function askHow({ provider, bucket, key }: ObjectRef): Promise<UnsignedHeaders> {
  const link = (emptyHeaders: readonly string[]) =>
    provider.s3.link(
      { method: 'PUT', bucket, key, query: { partNumber: '1', uploadId: 'none' } },
      { expiresIn: 60, emptyHeaders },
    );
  const [plain, named] = [await link([]), await link(DANGEROUS_HEADERS)];
  const copy = { 'x-amz-copy-source': `/${bucket}/none` };
  let how: UnsignedHeaders = 'taken';
  if (isAboutSignature(await send(provider, plain.url, copy))) how = 'refused';
  else if (
    (await send(provider, named.url, {})).status === 404 &&
    isAboutSignature(await send(provider, named.url, copy))
  )
    how = 'refused if named';
  // A bucket that must not be written looks like `taken` too, so this outcome is not remembered for other buckets.
  if (how !== 'taken') found.set(provider, how);
  return how;
}

function isAboutSignature({ status, body }: Answer): boolean {
  return status >= 400 && status < 500 && /signature|signed/i.test(body.toString('utf8'));
}

async function send(
  provider: StorageProvider,
  link: string,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const answer = await provider.s3.useLink(link, 'PUT', headers);
  if (answer.status >= 500)
    throw new SvcError('storage_unavailable', {
      detail: `storage provider \`${provider.name}\` cannot be used now; try again later`,
    });
  return answer;
}
