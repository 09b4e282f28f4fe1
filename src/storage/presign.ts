import type { ObjectRef, Provider } from './provider.ts';

export type PresignedLink = {
  readonly url: string;
  readonly method: 'GET' | 'PUT';
  /** RFC 3339. When the link really ends: earlier than asked for where the credentials that sign it end earlier. */
  readonly expires_at: string;
};

/** @param expiresIn - seconds, 1 to 604800. */
export async function presign(_provider: Provider, _object: ObjectRef, _method: 'GET' | 'PUT', _expiresIn: number): Promise<PresignedLink> {
  throw new Error('to be built');
}
