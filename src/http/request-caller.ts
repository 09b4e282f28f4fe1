import type { Request } from 'express';
import type { Caller } from '../access/caller.ts';
import { readCredentials } from '../access/credentials.ts';
import { isApiKeyCredential, type Identify } from '../access/identify.ts';
import { SvcError } from '../errors/svc-error.ts';
import { refuseAsPartOfDocument, type OwnOrigin } from '../access/origin.ts';

export type RequestCallerParts = { readonly identify: Identify; readonly ownOrigin: OwnOrigin };

/**
 * The caller of a request; undefined without a valid credential.
 *
 * @param path - of the row. Beneath `/api` a browser may omit `Origin`; elsewhere a request that changes something must have it.
 * @throws {SvcError} `origin_mismatch`: the request comes from another site; `session_required`: it comes with an API key; and what `identify` throws.
 */
export async function callerOf(path: string, { headers, method }: Request, { identify, ownOrigin }: RequestCallerParts): Promise<Caller | undefined> {
  refuseAsPartOfDocument(headers);
  const credentials = readCredentials(headers);
  if (credentials.cookie !== undefined && method !== 'GET' && method !== 'HEAD') {
    if (path.startsWith('/api/')) ownOrigin.refuseOthers(headers);
    else ownOrigin.require(headers);
  }
  if (credentials.bearer !== undefined && isApiKeyCredential(credentials.bearer)) throw new SvcError('session_required', { detail: 'an API key works at `/rpc` alone; call the method there, or sign in' });
  return identify.byCredentials(credentials);
}
