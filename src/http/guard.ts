import { pipeline } from 'node:stream/promises';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { authorize, type Ask } from '../access/authorize.ts';
import { NOBODY, type Caller } from '../access/caller.ts';
import { readCredentials } from '../access/credentials.ts';
import { isApiKeyCredential, type Identify } from '../access/identify.ts';
import { refuseAsPartOfDocument, type OwnOrigin } from '../access/origin.ts';
import { whoOf } from '../access/who.ts';
import { audited } from '../audit/audited.ts';
import type { Audit } from '../audit/record.ts';
import type { Trail } from '../audit/trail.ts';
import { SvcError } from '../errors/svc-error.ts';
import { asSvcError } from './problem.ts';
import { requestIdOf } from './request-id.ts';
import type { Input, Reply, Route, RouteRequest } from './route.ts';
import { compileCheck, type Check } from './validate.ts';

export type GuardParts = {
  readonly identify: Identify;
  readonly ownOrigin: OwnOrigin;
  readonly audit: Audit;
};

type AnyInput = Input<unknown, unknown, unknown>;

/**
 * Makes the handler of a row. A request walks one way: credentials, origin, caller, the row's access, input, policy, handler, reply.
 * A body is read after the first four checks, so that a stranger's is never parsed.
 *
 * | check | answers |
 * |---|---|
 * | no document loads it as a script, a style, a worker or a plug-in | 403 `origin_mismatch` |
 * | the cookie's request comes from our own pages | 403 `origin_mismatch` |
 * | someone is signed in, unless the row is open | 401 `session_required` |
 * | has the admin role, where the row says so | 403 `admin_required` |
 * | the body can be read | 400 `invalid_request`, 413 `payload_too_large`, 415 `unsupported_media_type` |
 * | path, query and body fit their schemas | 400 `invalid_request` |
 * | policy allows each question of the row | 403 `access_denied` |
 */
export function guard(row: Route, parts: GuardParts, readBody?: RequestHandler): (req: Request, res: Response) => Promise<void> {
  const checks = {
    path: row.params === undefined ? undefined : compileCheck(row.params, 'path'),
    query: row.query === undefined ? undefined : compileCheck(row.query, 'query'),
    body: row.body === undefined || row.body === 'stream' ? undefined : compileCheck(row.body, 'body'),
  };
  const answer = async (req: Request, res: Response, trail: Trail) => {
    refuseAsPartOfDocument(req.headers);
    const caller = await callerOf(row, req, parts, trail);
    if (readBody !== undefined) await parseBody(row, req, res, readBody);
    const input = readInput(row, req, checks);
    const targets = row.access.kind === 'asks' ? authorize(caller, row.access.asks(input), trail) : [];
    const reply = await row.handle(new GuardedRequest(input, caller, targets, trail, req, res));
    if (reply !== undefined && !(await send(req, res, reply))) trail.failed('client_gone');
  };
  return (req, res) => audited(parts.audit, row.operation, { requestId: requestIdOf(res), address: req.ip }, (trail) => answer(req, res, trail));
}

/** A class, since a literal with a getter makes the engine keep a shape for every request until its next full collection. */
class GuardedRequest implements RouteRequest<AnyInput, readonly Ask[]> {
  readonly input: AnyInput;
  readonly caller: Caller;
  readonly targets: readonly Ask['resource'][];
  readonly trail: Trail;
  readonly requestId: string;
  readonly req: Request;
  readonly res: Response;

  constructor(input: AnyInput, caller: Caller, targets: readonly Ask['resource'][], trail: Trail, req: Request, res: Response) {
    this.input = input;
    this.caller = caller;
    this.targets = targets;
    this.trail = trail;
    this.requestId = requestIdOf(res);
    this.req = req;
    this.res = res;
  }

  /** Made only when a handler asks for it: most answer at once. */
  get signal(): AbortSignal {
    const away = new AbortController();
    if (this.res.destroyed) away.abort();
    else this.res.once('close', () => away.abort());
    return away.signal;
  }
}

async function callerOf(row: Route, req: Request, parts: GuardParts, trail: Trail): Promise<Caller> {
  if (row.access.kind === 'open') return NOBODY;
  const credentials = readCredentials(req.headers);
  if (credentials.cookie !== undefined && req.method !== 'GET' && req.method !== 'HEAD') checkOrigin(row, req, parts.ownOrigin);
  // A key belongs to `/rpc`; here it is no credential.
  const isKey = credentials.bearer !== undefined && isApiKeyCredential(credentials.bearer);
  const caller = isKey ? undefined : await parts.identify.byCredentials(credentials);
  if (caller === undefined) throw new SvcError('session_required', { detail: 'sign in, then try again' });
  trail.by(whoOf(caller));
  if (row.access.kind === 'admin' && !caller.isAdmin) throw new SvcError('admin_required', { detail: 'this needs the role `admin`; ask an administrator to bind you to it' });
  return caller;
}

function checkOrigin(row: Route, req: Request, ownOrigin: OwnOrigin): void {
  if (row.path.startsWith('/api/')) ownOrigin.refuseOthers(req.headers);
  else ownOrigin.require(req.headers);
}

/** @throws {SvcError} `unsupported_media_type`, and the errors of Express's parsers. */
async function parseBody(row: Route, req: Request, res: Response, readBody: RequestHandler): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const next = (error?: Error) => (error === undefined ? resolve() : reject(asSvcError(error)));
    void readBody(req, res, next as NextFunction);
  });
  const unread = req.body === undefined && (req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0);
  if (unread && row.bodyType === 'application/json') throw new SvcError('unsupported_media_type', { detail: `send the body as \`${row.bodyType}\`` });
}

function readInput(row: Route, req: Request, checks: { path: Check | undefined; query: Check | undefined; body: Check | undefined }): AnyInput {
  const path: unknown = checks.path === undefined ? undefined : { ...req.params };
  const query: unknown = checks.query === undefined ? undefined : req.query;
  // An empty form is a form.
  const body: unknown = checks.body === undefined ? undefined : (req.body ?? (row.bodyType === 'application/json' ? undefined : {}));
  checks.path?.(path);
  checks.query?.(query);
  checks.body?.(body);
  return { path, query, body };
}

/** @returns false when the client went away before it had all of a stream. */
async function send(req: Request, res: Response, reply: Reply): Promise<boolean> {
  if ('redirect' in reply) {
    res.set('Cache-Control', 'no-store');
    // Without the page that Express would write: it repeats the address, which may hold an ID Token.
    res.status(303).location(reply.redirect).end();
    return true;
  }
  res.status(reply.status);
  // Not `res.set`: it would write a charset into a type that is stored without one, and `false` for one that it does not know.
  for (const [name, value] of Object.entries(reply.headers ?? {})) res.setHeader(name, value);
  if ('stream' in reply) {
    if (req.method === 'HEAD') {
      reply.stream.destroy();
      res.end();
      return true;
    }
    try {
      await pipeline(reply.stream, res);
      return true;
    } catch (error) {
      // A reader that went away is no fault of ours.
      if (res.destroyed && isPrematureClose(error)) return false;
      throw error;
    }
  }
  if (reply.json === undefined) res.end();
  else {
    if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', 'no-store');
    res.setHeader('Content-Type', 'application/json; charset=utf-8');
    res.end(JSON.stringify(reply.json));
  }
  return true;
}

function isPrematureClose(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && (error.code === 'ERR_STREAM_PREMATURE_CLOSE' || error.code === 'ABORT_ERR');
}
