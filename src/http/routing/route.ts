import type { Request, Response } from 'express';
import type { Admission } from '../../access/admit.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import type { OperationName } from '../../audit/operations.ts';
import type { Trail } from '../../audit/trail.ts';
import type { AtomicAction } from '../../policy/model/action.ts';
import type { Wire, WireSchema } from '../../wire/schema.ts';
import type { ReadBody } from './body.ts';
import type { Call } from './call.ts';
import type { RequestHeader, ResponseHeader } from './documented-headers.ts';
import type { Method, Reply } from './row.ts';

/** The validated input of a request. Handlers read it instead of `req`. */
export type Input<P, Q, B> = { readonly path: P; readonly query: Q; readonly body: B };

/** Who may use the route. The operation asks policy itself; with `each`, the caller may get part of the result. */
export type RouteAccess = { readonly kind: Admission; readonly each?: AtomicAction };

export type RouteRequest<I> = {
  readonly input: I;
  /** Collects the audit line. The guard has already recorded the caller and the decisions of policy. */
  readonly trail: Trail;
  readonly req: Request;
  readonly res: Response;
};

export type ResponseDoc = {
  readonly description: string;
  readonly schema?: WireSchema;
  /** JSON when left out. Without a schema the body is bytes or a page. */
  readonly mediaType?: string;
  /** Headers in addition to those that every response of this status has. */
  readonly headers?: readonly ResponseHeader[];
};

export type RouteDoc = {
  readonly method: Method;
  /** A path of Express, such as `/api/providers/:provider`. */
  readonly path: string;
  readonly tag: string;
  /** False when HEAD would have the effects of GET; HEAD is then answered with 405. */
  readonly head?: false;
  /** The operation's name in the audit. */
  readonly operation: OperationName;
  /** The handler itself checks whether the audit line can be written, because it tells a desktop client otherwise. */
  readonly checksAudit?: true;
  readonly summary: string;
  readonly description?: string;
  readonly requestHeaders?: readonly (RequestHeader | 'If-None-Match: *')[];
  /** The responses by status. `problems` adds the problem documents. */
  readonly responses: Readonly<Record<number, ResponseDoc>>;
  /** Problems of this row, in addition to those that the guard and storage answer on every row of its kind. */
  readonly problems?: readonly ErrorCode[];
  /** Schemas of input that the handler checks itself, because the protocol requires another answer to faults than the guard's. */
  readonly documents?: { readonly query?: WireSchema; readonly body?: WireSchema };
};

/** Which requests count towards the sign-in limit of a client address: every request, or only refused ones. */
export type Limit = 'sign-in' | 'faults';

/** A route. The application and the OpenAPI document are made from it. */
export type Route = RouteDoc & {
  readonly params: WireSchema | undefined;
  readonly query: WireSchema | undefined;
  /** The schema of a JSON body or form; `stream` when the operation reads the bytes itself. */
  readonly body: WireSchema | 'stream' | undefined;
  /** Media type that a body with a schema must have. */
  readonly bodyType: 'application/json' | 'application/x-www-form-urlencoded';
  readonly maxBodyBytes: number;
  readonly access: RouteAccess;
  readonly limit: Limit | undefined;
  readonly serve: (call: Call<Request, Response>, readBody: ReadBody | undefined) => Promise<void>;
  /** Serves a hot row, also when Express was not asked. */
  readonly hot?: (call: Call) => Promise<void>;
};

/** Whether a person who opens the route in a browser gets a page in place of a problem document. */
export function hasErrorPage({ method, limit, operation }: Route): boolean {
  return method === 'get' && (limit === 'sign-in' || operation === 'session/end');
}

/** A route that is written by hand, because it sets cookies, sends pages or redirects. */
export type HandRoute = Omit<Route, 'serve' | 'hot'> & {
  readonly handle: (
    request: RouteRequest<Input<unknown, unknown, unknown>>,
  ) => Promise<Reply | undefined> | Reply | undefined;
};

type Typed<S> = S extends WireSchema ? Wire<S> : undefined;

/** `in out` tells the compiler that only equal schemas fit. Without it the compiler compared every type of TypeBox, which took half of the type check. */
interface TypedInput<in out P, in out Q, in out B> {
  readonly path: Typed<P>;
  readonly query: Typed<Q>;
  readonly body: Typed<B>;
}

/** Makes a hand-written route. The schemas give the handler its types. */
export function route<
  const P extends WireSchema | undefined = undefined,
  const Q extends WireSchema | undefined = undefined,
  const B extends WireSchema | undefined = undefined,
>(
  row: RouteDoc & {
    readonly params?: P;
    readonly query?: Q;
    readonly body?: B;
    /** The size limit of a body with a schema; 64 KiB when left out. */
    readonly maxBodyBytes?: number;
    /** JSON when left out. */
    readonly bodyType?: 'application/json' | 'application/x-www-form-urlencoded';
    readonly access: RouteAccess;
    readonly limit?: Limit;
    readonly handle: (request: RouteRequest<TypedInput<P, Q, B>>) => Promise<Reply | undefined> | Reply | undefined;
  },
): HandRoute {
  const { params, query, body, bodyType = 'application/json', maxBodyBytes = 65_536, limit, ...rest } = row;
  return { ...rest, params, query, body, bodyType, maxBodyBytes, limit } as unknown as HandRoute;
}
