import type { Caller } from '../../access/caller.ts';
import { readCredentials } from '../../access/credentials.ts';
import { isApiKeyCredential, type Identify } from '../../access/identify.ts';
import { refuseAsPartOfDocument, type OriginCheck } from '../../access/origin.ts';
import { whoOf } from '../../access/who.ts';
import type { Trail } from '../../audit/trail.ts';
import { SvcError } from '../../errors/svc-error.ts';
import type { Call } from './call.ts';
import type { FaultLimit } from './fault-limit.ts';

export type RequestCallerParts = {
  readonly identify: Identify;
  readonly ownOrigin: OriginCheck;
  readonly faults: FaultLimit;
};

/**
 * The caller of a request; undefined without a valid credential. The audit names the caller of a request that is refused because another site made it.
 *
 * @param path - of the row. Beneath `/api` a browser may omit `Origin`; elsewhere a request that changes something must have it.
 * @throws {SvcError} `origin_mismatch`: the request comes from another site; `rate_limited`: many such requests come without a valid credential;
 *   `session_required`: the request comes with an API key; and what `identify` throws.
 */
export async function callerOf(
  path: string,
  { req: { headers, method }, address }: Call,
  { identify, ownOrigin, faults }: RequestCallerParts,
  trail: Trail,
): Promise<Caller | undefined> {
  const credentials = readCredentials(headers);
  if (credentials.bearer !== undefined && isApiKeyCredential(credentials.bearer))
    throw new SvcError('session_required', {
      detail: 'an API key works at `/rpc` alone; call the method there, or sign in',
    });
  const caller = await identify.byCredentials(credentials);
  const refuseOtherSites = (): void => {
    refuseAsPartOfDocument(headers);
    if (credentials.cookie === undefined || method === 'GET' || method === 'HEAD') return;
    if (path.startsWith('/api/')) ownOrigin.refuseOthers(headers);
    else ownOrigin.require(headers);
  };
  if (caller === undefined) await faults.refusing(address, refuseOtherSites);
  else {
    trail.by(whoOf(caller));
    refuseOtherSites();
  }
  return caller;
}
