import { shapes, type OperationInput, type OperationOutput } from './operations.ts';

/** The maximum number of calls in one message. */
export const MAX_BATCH = 50;

/** The operations that can be called with JSON-RPC: those whose input and output fit into a message. */
export const RPC_METHODS = [
  'initialize',
  'session/get',
  'provider/list',
  'bucket/list',
  'bucket/create',
  'bucket/delete',
  'object/list',
  'object/search',
  'object/size',
  'object/head',
  'object/delete',
  'object/copy',
  'object/presign',
  'permission/list',
  'policy/who',
  'audit/list',
  'object/activity',
  'transfer/create',
  'upload/create',
  'upload/get',
  'upload/complete',
  'upload/abort',
  'signIn/list',
  'session/list',
  'session/revoke',
  'session/revokeAll',
  'apiKey/create',
  'apiKey/list',
  'apiKey/listAll',
  'apiKey/revokeAll',
  'apiKey/rotate',
  'apiKey/replaceScope',
  'apiKey/revoke',
] as const;

export type RpcMethodName = (typeof RPC_METHODS)[number];
export type RpcParams<M extends RpcMethodName> = OperationInput<M>;
export type RpcResult<M extends RpcMethodName> = OperationOutput<M>;

/** The schema of each method's params and result. */
export const rpcSchemas = Object.fromEntries(
  RPC_METHODS.map((name) => [name, { params: shapes[name].input, result: shapes[name].output }]),
) as {
  readonly [M in RpcMethodName]: {
    readonly params: (typeof shapes)[M]['input'];
    readonly result: (typeof shapes)[M]['output'];
  };
};
