import type { Response } from 'express';
import type { Caller } from '../access/caller.ts';
import type { CredentialWatch } from '../access/credential-watch.ts';
import type { Audit } from '../log/audit.ts';
import { requestIdOf } from './request-id.ts';
import type { Route } from './route.ts';

export type HeldOpenParts = { readonly watch: CredentialWatch; readonly audit: Audit };

/**
 * Ends a transfer with the session or key that it began with.
 *
 * The connection is cut: a download in good order could be taken for whole, and an upload that breaks off leaves no object.
 */
export function endWithCaller({ watch, audit }: HeldOpenParts, caller: Caller, action: string, res: Response): void {
  const leave = watch.watch(caller, (why) => {
    const { identity, name, session, kind } = caller;
    const detail = `cut off: the ${kind === 'apiKey' ? 'API key' : 'session'} has ${why}`;
    audit({ action, outcome: 'failed', issuer: identity.issuer, subject: identity.subject, name, via: session?.kind ?? kind, requestId: requestIdOf(res), detail });
    res.destroy();
  });
  res.once('close', leave);
  if (res.destroyed) leave();
}

/** The row, whose transfers end with the session that they began with. */
export function endingWithCaller(parts: HeldOpenParts, row: Route): Route {
  return {
    ...row,
    handle: (request) => {
      endWithCaller(parts, request.caller, `${row.method} ${row.path}`, request.res);
      return row.handle(request);
    },
  };
}
