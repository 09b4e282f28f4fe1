import { isKey } from '../access/caller.ts';
import type { IncomingMessage, RequestListener } from 'node:http';
import { readCredentials } from '../access/credentials.ts';
import type { Identify } from '../access/identify.ts';
import type { Audit } from '../audit/record.ts';
import type { Settings } from '../config/read/settings.ts';
import { createApp, type AppParts } from '../http/app.ts';
import { hotRows } from '../http/hot-rows.ts';
import { Branding } from '../http/pages/branding.ts';
import { referencePages } from '../http/pages/reference.ts';
import { webPages } from '../http/pages/web-pages.ts';
import { FaultLimit } from '../http/routing/fault-limit.ts';
import type { Route } from '../http/routing/route.ts';
import { rowsOf } from '../http/rows.ts';
import type { ReadinessCheck } from '../http/rows/routes-health.ts';
import type { Performer } from '../operation/perform.ts';
import type { Dispatch } from '../rpc/dispatch.ts';
import { rpcPost } from '../rpc/post.ts';
import type { Access } from './access.ts';
import type { JoinedSignIn } from './sign-in.ts';

export type HttpParts = Pick<
  AppParts,
  'addressOf' | 'bodyDeadlineMs' | 'log' | 'messages' | 'metrics' | 'sharedCounts'
> & {
  readonly access: Access;
  readonly signIn: JoinedSignIn;
  readonly performer: Performer;
  readonly dispatch: Dispatch;
  readonly audit: Audit;
  readonly checks: readonly ReadinessCheck[];
  readonly version: string;
  readonly webDirectory: string;
};

/** Joins the routes, the pages and RPC into the application that answers HTTP. */
export function joinHttp(
  { auth, server, ui }: Settings,
  { access, signIn, performer, dispatch, audit, checks, version, webDirectory, ...parts }: HttpParts,
): { readonly app: RequestListener; readonly rows: readonly Route[] } {
  const { identify, ownOrigin, sessions, tickets, watch } = access;
  const { flow, desktopCodes, local } = signIn;
  const authEnabled = auth.enabled;
  const faults = new FaultLimit(server.signInPerMinute);
  const isSignedIn = signedInBy(identify);
  const rows = rowsOf({
    performer,
    identify,
    ownOrigin,
    faults,
    audit,
    tickets,
    signIn: { flow, identify, faults, authEnabled, local },
    v1: { flow, sessions, desktopCodes, authEnabled, local },
    checks,
    isSignedIn,
    version,
  });
  const place = { publicOrigin: auth.publicOrigin, basePath: server.basePath, authEnabled };
  const web = webPages({ directory: webDirectory, place, branding: new Branding(ui), isSignedIn });
  const appParts = {
    ...parts,
    rows,
    ownOrigin,
    place,
    rpc: rpcPost({ identify, dispatch, performer, watch, ownOrigin, bodyDeadlineMs: parts.bodyDeadlineMs }),
    signInPerMinute: server.signInPerMinute,
    pages: [referencePages({ webDirectory, isSignedIn, place }), web.router],
    sendUi: web.send,
  };
  return { app: hotRows(createApp(appParts), appParts), rows };
}

function signedInBy(identify: Identify): (req: IncomingMessage) => Promise<boolean> {
  return async (req) => {
    const caller = await identify.byCredentials(readCredentials(req.headers));
    return caller !== undefined && !isKey(caller);
  };
}
