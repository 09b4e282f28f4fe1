import type { Request, Response } from 'express';
import type { Admission } from '../access/admit.ts';
import type { Caller } from '../access/caller.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { OperationName } from '../audit/operations.ts';
import type { Trail } from '../audit/trail.ts';
import type { AtomicAction } from '../policy/action.ts';
import type { Wire, WireSchema } from '../wire/schema.ts';
import type { ReadBody } from './body.ts';
import type { RequestHeader, ResponseHeader } from './openapi/headers.ts';
import type { Method, Reply } from './row.ts';

/** What a request holds after validation; nothing deeper reads `req` for these. */
export type Input<P, Q, B> = { readonly path: P; readonly query: Q; readonly body: B };

/** Who may ask. The questions to policy are the operation's; where it has `each`, the caller may get part of what was asked for. */
export type RouteAccess = { readonly kind: Admission; readonly each?: AtomicAction };

export type RouteRequest<I> = {
  readonly input: I;
  readonly caller: Caller;
  /** What the audit will say; the guard has told it who asks, and what policy said to the row's questions. */
  readonly trail: Trail;
  readonly requestId: string;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  readonly req: Request;
  readonly res: Response;
};

export type ResponseDoc = {
  readonly description: string;
  readonly schema?: WireSchema;
  /** JSON when left out; without a schema the body is bytes, or a page. */
  readonly mediaType?: string;
  /** Beside those that come with the status. */
  readonly headers?: readonly ResponseHeader[];
};

export type RouteDoc = {
  readonly method: Method;
  /** Express form, such as `/api/providers/:provider`. */
  readonly path: string;
  readonly tag: string;
  /** False where HEAD would do what GET does: it is then 405. */
  readonly head?: false;
  /** What the audit calls it. */
  readonly operation: OperationName;
  readonly summary: string;
  readonly description?: string;
  readonly requestHeaders?: readonly (RequestHeader | 'If-None-Match: *')[];
  /** What the row answers; its problem documents are named by `problems`. */
  readonly responses: Readonly<Record<number, ResponseDoc>>;
  /** Problems of this row, beside those that the guard and storage answer on every row of its kind. */
  readonly problems?: readonly ErrorCode[];
  /** What the handler reads itself, since the guard's answer to a fault is not the one that the protocol asks for. */
  readonly documents?: { readonly query?: WireSchema; readonly body?: WireSchema };
};

/** A route as the application mounts it, and as its documentation is made from it. */
export type Route = RouteDoc & {
  readonly params: WireSchema | undefined;
  readonly query: WireSchema | undefined;
  /** A schema for JSON or a form; `stream` when the operation reads the bytes itself. */
  readonly body: WireSchema | 'stream' | undefined;
  /** Media type that a body with a schema must have. */
  readonly bodyType: 'application/json' | 'application/x-www-form-urlencoded';
  readonly maxBodyBytes: number;
  readonly access: RouteAccess;
  readonly limit: 'sign-in' | undefined;
  readonly serve: (req: Request, res: Response, readBody: ReadBody | undefined) => Promise<void>;
};

/** A route that is about cookies, pages and redirects rather than about an operation. */
export type HandRoute = Omit<Route, 'serve'> & {
  readonly handle: (request: RouteRequest<Input<unknown, unknown, unknown>>) => Promise<Reply | undefined> | Reply | undefined;
};

type Typed<S> = S extends WireSchema ? Wire<S> : undefined;

/** `in out` tells the compiler that only equal schemas fit: it would otherwise compare all that TypeBox can type, which took half of the type check. */
interface TypedInput<in out P, in out Q, in out B> {
  readonly path: Typed<P>;
  readonly query: Typed<Q>;
  readonly body: Typed<B>;
}

/** Makes a row whose handler and questions are typed by its schemas. */
export function route<
  const P extends WireSchema | undefined = undefined,
  const Q extends WireSchema | undefined = undefined,
  const B extends WireSchema | undefined = undefined,
>(
  row: RouteDoc & {
    readonly params?: P;
    readonly query?: Q;
    readonly body?: B;
    /** Of a JSON body; 64 KiB when left out. */
    readonly maxBodyBytes?: number;
    /** JSON when left out. */
    readonly bodyType?: 'application/json' | 'application/x-www-form-urlencoded';
    readonly access: RouteAccess;
    /** Counts against the limit of sign-in requests for each client address. */
    readonly limit?: 'sign-in';
    readonly handle: (request: RouteRequest<TypedInput<P, Q, B>>) => Promise<Reply | undefined> | Reply | undefined;
  },
): HandRoute {
  const { params, query, body, bodyType = 'application/json', maxBodyBytes = 65_536, limit, ...rest } = row;
  return { ...rest, params, query, body, bodyType, maxBodyBytes, limit } as unknown as HandRoute;
}
