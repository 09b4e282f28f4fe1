import { SvcError } from '../errors/svc-error.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import type { ObjectRef } from './provider.ts';
import { emptyHeadersOf } from './write-link.ts';

export type PresignedLink = {
  readonly url: string;
  readonly method: 'GET' | 'PUT';
  /** In RFC 3339. */
  readonly expiresAt: string;
};

const MAX_SECONDS = 604_800;

/**
 * Signs a link with which anybody can read or write one object. It leads straight to storage, at the provider's public endpoint if it has one, and contains
 * nothing of the user's session. The object need not exist.
 *
 * `expiresAt` is when the link really ends: earlier than requested when the credentials that sign it are known to end earlier. Configured credentials with a
 * session token end with the token, which does not say when that is.
 *
 * @param expiresIn - seconds, 1 to 604800.
 * @throws {SvcError} `invalid_request`. `not_supported`: a link for writing would allow more than writing there.
 */
export async function presign(
  object: Permitted<ObjectRef>,
  method: 'GET' | 'PUT',
  expiresIn: number,
): Promise<PresignedLink> {
  if (!Number.isInteger(expiresIn) || expiresIn < 1 || expiresIn > MAX_SECONDS) {
    throw new SvcError('invalid_request', {
      detail: `\`expires_in\` is a whole number of seconds from 1 to ${MAX_SECONDS}`,
    });
  }
  await object.provider.s3.requireBucket(object);
  const emptyHeaders = method === 'GET' ? [] : await emptyHeadersOf(object);
  const { url, endsAt } = await object.provider.links.link(
    { method, bucket: object.bucket, key: object.key },
    { expiresIn, emptyHeaders },
  );
  return { url, method, expiresAt: new Date(endsAt).toISOString() };
}
