import { SvcError } from '../errors/svc-error.ts';

/** The headers that tell where a browser's request comes from. */
export type RequestOrigin = { readonly origin: string | undefined; readonly secFetchSite: string | undefined };

const MISMATCH = 'the request comes from another origin than this service';

/**
 * Family B, for requests that carry the cookie: `Origin` must be there and be ours.
 *
 * @throws {SvcError} `origin_mismatch`
 */
export function requireOwnOrigin(request: RequestOrigin, publicOrigin: string): void {
  if (request.origin !== publicOrigin) throw new SvcError('origin_mismatch', { detail: MISMATCH });
}

/**
 * Family A, for requests that carry the cookie and change something: an `Origin` that is there must be ours, and the browser must not say
 * that another site made the request.
 *
 * @throws {SvcError} `origin_mismatch`
 */
export function refuseForeignOrigin(request: RequestOrigin, publicOrigin: string): void {
  const foreign = request.origin !== undefined && request.origin !== publicOrigin;
  if (foreign || request.secFetchSite === 'cross-site' || request.secFetchSite === 'same-site') {
    throw new SvcError('origin_mismatch', { detail: MISMATCH });
  }
}
