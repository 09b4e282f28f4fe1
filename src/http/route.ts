import type { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import type { Ask } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { OperationName } from '../audit/operations.ts';
import type { Trail } from '../audit/trail.ts';
import type { Wire, WireSchema } from '../wire/schema.ts';
import type { RequestHeader, ResponseHeader } from './openapi/headers.ts';

export type Method = 'get' | 'post' | 'put' | 'delete';

/** What a request holds after validation; nothing deeper reads `req` for these. */
export type Input<P, Q, B> = { readonly path: P; readonly query: Q; readonly body: B };

/**
 * What a row asks before its handler runs. It is a required member: a route without a guard does not compile.
 *
 * - `open`: nobody is asked.
 * - `session`: someone is signed in.
 * - `admin`: someone with the admin role is signed in.
 * - `asks`: every question must be allowed. The handler gets the resources in the same order, as `targets`.
 * - `each`: nothing is refused as a whole; the handler asks policy for each thing and leaves out or reports what is denied.
 */
export type Access<I, T extends readonly Ask[]> =
  | { readonly kind: 'open' }
  | { readonly kind: 'session' }
  | { readonly kind: 'admin' }
  | { readonly kind: 'asks'; readonly asks: (input: I) => T }
  | { readonly kind: 'each' };

export type RouteRequest<I, T extends readonly Ask[]> = {
  readonly input: I;
  readonly caller: Caller;
  /** The resources that policy was asked about and allowed; storage gets these and no others. */
  readonly targets: { readonly [K in keyof T]: T[K]['resource'] };
  /** What the audit will say; the guard has told it who asks, and what policy said to the row's questions. */
  readonly trail: Trail;
  readonly requestId: string;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  readonly req: Request;
  readonly res: Response;
};

export type Reply =
  | { readonly status: number; readonly json?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly status: number; readonly stream: Readable; readonly headers: Readonly<Record<string, string>> }
  | { readonly redirect: string };

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

/** A route is a row: the server, the guard test and the OpenAPI document are all made from these. */
export type Route = RouteDoc & {
  readonly params: WireSchema | undefined;
  readonly query: WireSchema | undefined;
  /** A schema for JSON, `stream` when the handler reads the request itself. */
  readonly body: WireSchema | 'stream' | undefined;
  /** Media type that a body with a schema must have. */
  readonly bodyType: 'application/json' | 'application/x-www-form-urlencoded';
  readonly maxBodyBytes: number;
  readonly access: Access<Input<unknown, unknown, unknown>, readonly Ask[]>;
  readonly limit: 'sign-in' | undefined;
  readonly handle: (request: RouteRequest<Input<unknown, unknown, unknown>, readonly Ask[]>) => Promise<Reply | undefined> | Reply | undefined;
};

type Typed<S> = S extends WireSchema ? Wire<S> : undefined;

/** Makes a row whose handler and questions are typed by its schemas. */
export function route<
  const P extends WireSchema | undefined = undefined,
  const Q extends WireSchema | undefined = undefined,
  const B extends WireSchema | 'stream' | undefined = undefined,
  const T extends readonly Ask[] = readonly Ask[],
>(
  row: RouteDoc & {
    readonly params?: P;
    readonly query?: Q;
    readonly body?: B;
    /** Of a JSON body; 64 KiB when left out. */
    readonly maxBodyBytes?: number;
    /** JSON when left out. */
    readonly bodyType?: 'application/json' | 'application/x-www-form-urlencoded';
    readonly access: Access<Input<Typed<P>, Typed<Q>, Typed<B>>, T>;
    /** Counts against the limit of sign-in requests for each client address. */
    readonly limit?: 'sign-in';
    readonly handle: (request: RouteRequest<Input<Typed<P>, Typed<Q>, Typed<B>>, T>) => Promise<Reply | undefined> | Reply | undefined;
  },
): Route {
  const { params, query, body, bodyType = 'application/json', maxBodyBytes = 65_536, limit, ...rest } = row;
  return { ...rest, params, query, body, bodyType, maxBodyBytes, limit } as unknown as Route;
}
