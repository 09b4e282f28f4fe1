import type { Caller } from '../access/caller.ts';
import type { RpcMethodName, RpcParams, RpcResult } from '../wire/rpc.ts';

export type RpcContext = {
  readonly caller: Caller;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
};

export type RpcMethod<M extends RpcMethodName> = {
  /** Needs a web or desktop session: an API key may not call it. */
  readonly interactive?: boolean;
  /** Of the message that calls it; by default what any message may have. */
  readonly maxMessageBytes?: number;
  /** Changes something, so it is audited. */
  readonly changes?: boolean;
  readonly call: (params: RpcParams<M>, context: RpcContext) => Promise<RpcResult<M>> | RpcResult<M>;
};

/** Rows by method name. Params fit their wire schema when a row is called. */
export type RpcMethods = { readonly [M in RpcMethodName]?: RpcMethod<M> };
