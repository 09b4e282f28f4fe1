import type { Caller } from '../access/caller.ts';
import type { Origin } from '../audit/record.ts';
import type { Trail } from '../audit/trail.ts';
import type { RpcMethodName, RpcParams, RpcResult } from '../wire/rpc.ts';

/** Who sends a message, and from where. */
export type RpcContext = {
  readonly caller: Caller;
  /** Aborts when the client goes away, and with `session_required` when its session or key ends. */
  readonly signal: AbortSignal;
  readonly origin: Origin;
  /** The caller as they are now, for what comes later in the same message; undefined when their session or key has ended. */
  readonly again: () => Promise<Caller | undefined>;
};

/** What a method is called with. */
export type RpcCall = Pick<RpcContext, 'caller' | 'signal'> & {
  /** What the audit will say; it has been told who asks. */
  readonly trail: Trail;
};

export type RpcMethod<M extends RpcMethodName> = {
  /** Needs a web or desktop session: an API key may not call it. */
  readonly interactive?: boolean;
  /** Of the message that calls it; by default what any message may have. */
  readonly maxMessageBytes?: number;
  readonly call: (params: RpcParams<M>, context: RpcCall) => Promise<RpcResult<M>> | RpcResult<M>;
};

/** Rows by method name. Params fit their wire schema when a row is called. */
export type RpcMethods = { readonly [M in RpcMethodName]?: RpcMethod<M> };
