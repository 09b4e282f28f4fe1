import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { Origin } from '../audit/record.ts';
import { catalogue } from '../errors/catalogue.ts';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import type { Logger } from '../log/logger.ts';
import type { OriginCheck } from '../access/origin.ts';
import { bodyReader } from './routing/body.ts';
import { Call, headersOfEvery } from './routing/call.ts';
import { useMessages, type Messages } from './own-messages.ts';
import type { ClientAddress } from './routing/client-address.ts';
import { FaultLimit } from './routing/fault-limit.ts';
import { pageHeaders, type PagePlace } from './routing/headers.ts';
import type { Metrics } from './rows/metrics.ts';
import { errorPage } from './pages/page.ts';
import { sendProblem, type SendErrorPage } from './routing/problem.ts';
import { parseQuery } from './routing/query.ts';
import { requestIdOf } from './routing/request-id.ts';
import { hasErrorPage, type Route } from './routing/route.ts';
import { readCookies } from './signin/login-cookie.ts';
import { signInLimit, type SharedCounts } from './routing/sign-in-limit.ts';

export type AppParts = {
  readonly rows: readonly Route[];
  readonly ownOrigin: OriginCheck;
  readonly log: Logger;
  readonly addressOf: ClientAddress;
  /** Requests are answered with and without the base path, because a proxy may strip it. */
  readonly place: PagePlace;
  /** How many sign-in requests a client address may send per minute; 0 turns the limit off. */
  readonly signInPerMinute: number;
  /** Undefined when this instance counts on its own. */
  readonly sharedCounts: SharedCounts | undefined;
  readonly metrics: Metrics | undefined;
  /** The classes of the server's requests and answers, when it has its own. */
  readonly messages: Messages | undefined;
  /** Milliseconds within which a body that is not a stream has to arrive. */
  readonly bodyDeadlineMs: number;
  /** Answers `/rpc`; it does not depend on Express. */
  readonly rpc: (req: IncomingMessage, res: ServerResponse, origin: Origin) => Promise<void>;
  /** Handlers of the paths outside of the API: the reference and the web UI. */
  readonly pages: readonly RequestHandler[];
  /** Sends the page of the web UI, which checks the session itself. */
  readonly sendUi: RequestHandler;
};

/** Some answers beneath this path are pages that the server writes itself. */
const AUTH_PATH = /^\/(?:api|v1)\/auth\//;
/** The paths of programs. The API reference is a page. */
const API_PATH = /^\/(?!api\/docs\/?$)(?:api|v1|rpc)(?:\/|$)/;

/** Combines the rows, the pages and the error answers into one Express application. */
export function createApp(parts: AppParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  // Express keeps the port that some proxies write, and looks at the connection, which is plain behind a proxy that ends TLS.
  Object.defineProperties(app.request, {
    ip: {
      get: function (this: Request) {
        return parts.addressOf(this);
      },
    },
    secure: { value: parts.place.publicOrigin.startsWith('https:') },
  });
  if (parts.messages !== undefined) useMessages(app, parts.messages);
  app.set('query parser', parseQuery);
  app.use(arrive(parts));

  // The faults of a row are counted apart from those of other strangers, who may share the address of the identity provider.
  const limiters = {
    'sign-in': signInLimit(parts.signInPerMinute, parts.sharedCounts),
    faults: new FaultLimit(parts.signInPerMinute).handler,
  };
  const ownPageHeaders = pageHeaders(parts.place);
  for (const row of parts.rows) {
    const handlers = observing(row.path, parts.metrics);
    const limiter = row.limit === undefined ? undefined : limiters[row.limit];
    if (limiter !== undefined) handlers.push(limiter);
    if (AUTH_PATH.test(row.path)) handlers.push(ownPageHeaders, readCookies);
    const readBody = typeof row.body === 'object' ? bodyReader(row, parts.bodyDeadlineMs) : undefined;
    handlers.push((req, res, next) => void row.serve(callOf(req, res), readBody).catch(next));
    if (row.head === false) handlers.unshift((req, _res, next) => next(req.method === 'HEAD' ? 'route' : undefined));
    app[row.method](row.path, ...handlers);
  }
  for (const observe of observing('/rpc', parts.metrics)) app.post('/rpc', observe);
  app.all('/rpc', (req, res, next) => {
    const { requestId, address } = callOf(req, res).setHeaders();
    void parts.rpc(req, res, { requestId, address, face: 'rpc' }).catch(next);
  });
  refuseOtherMethods(app, parts.rows);
  app.use((req, res, next) => {
    callOf(req, res).setHeaders();
    next();
  });
  for (const page of parts.pages) app.use(page);
  app.use((req, _res, next) => next(notFound(req)));
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    const sendPage = errorPageFor(req, res, error, parts);
    const call = callOf(req, res);
    const answer = (): void => sendProblem(call, error, parts.log, sendPage);
    if (sendPage === undefined || res.headersSent) answer();
    else {
      call.setHeaders();
      ownPageHeaders(req, res, answer);
    }
  });
  return app;
}

/**
 * The page that a person sees in place of a problem document; undefined for the paths of programs.
 *
 * The web UI offers to check the session when the store fails, or when a sign-out is not confirmed. It stays at the same address.
 */
function errorPageFor(
  req: Request,
  res: Response,
  error: unknown,
  { rows, place, sendUi }: AppParts,
): SendErrorPage | undefined {
  const row = rows.find((each) => each.path === req.path && hasErrorPage(each));
  if (row === undefined && API_PATH.test(req.path)) return undefined;
  const code = codeOf(error) ?? 'internal';
  const isUnconfirmed = row?.operation === 'session/end' && catalogue[code].status >= 500;
  if (isUnconfirmed || (row === undefined && code === 'session_store_unavailable'))
    return () => void sendUi(req, res, () => res.destroy());
  return (problem) => res.type('html').send(errorPage(problem, `${place.basePath}/api/auth/login`));
}

/** What precedes the path in an absolute target, which means the same as the path alone (RFC 9112 section 3.2.2). */
const BEFORE_PATH = /^https?:\/\/[^/?#]*/i;

/** Gives the request its id, strips what precedes its path and the base path, and checks its origin. */
function arrive({ place: { basePath }, ownOrigin }: AppParts): RequestHandler {
  return (req, res, next) => {
    (res.locals as { requestId: string }).requestId = randomUUID();
    if (BEFORE_PATH.test(req.url)) req.originalUrl = req.url = fromSlash(req.url.replace(BEFORE_PATH, ''));
    if (basePath !== '') {
      if (req.url === basePath || req.url.startsWith(`${basePath}/`) || req.url.startsWith(`${basePath}?`)) {
        req.url = fromSlash(req.url.slice(basePath.length));
      }
      req.originalUrl = basePath + req.url;
    }
    // `/rpc` checks the origin itself, because it refuses with a JSON-RPC error.
    if (req.path !== '/rpc') ownOrigin.admit(req.headers);
    next();
  };
}

function fromSlash(rest: string): string {
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function observing(path: string, metrics: Metrics | undefined): RequestHandler[] {
  const observe = metrics?.observe(path);
  return observe === undefined
    ? []
    : [
        (req, res, next) => {
          observe(req, res);
          next();
        },
      ];
}

/** A request that Express routed. */
function callOf(req: Request, res: Response): Call<Request, Response> {
  const params = req.params as Record<string, string>;
  const requestId = requestIdOf(res);
  return new Call({ req, res, params, requestId, address: req.ip, headers: headersOfEvery(requestId) });
}

/** Answers 405 on known paths for the methods that no row has. */
function refuseOtherMethods(app: Express, rows: readonly Route[]): void {
  const byPath = new Map<string, Set<string>>();
  for (const row of rows) {
    const methods = byPath.get(row.path) ?? new Set<string>();
    methods.add(row.method.toUpperCase());
    if (row.method === 'get' && row.head !== false) methods.add('HEAD');
    byPath.set(row.path, methods);
  }
  for (const [path, methods] of byPath) {
    const allow = [...methods].sort().join(', ');
    app.all(path, (req, res, next) => {
      res.set('Allow', allow);
      next(new SvcError('method_not_allowed', { detail: `\`${req.method}\` is not available here; use ${allow}` }));
    });
  }
}

function notFound(req: Request): SvcError {
  return new SvcError('not_found', {
    detail: API_PATH.test(req.path) ? 'there is no such path; see `/api/docs`' : 'there is no such page',
  });
}
