import { methods, type OperationInput, type OperationOutput } from './operations.ts';

export type RpcMethodName = keyof typeof methods;
export const RPC_METHODS = Object.keys(methods) as readonly RpcMethodName[];
export type RpcParams<M extends RpcMethodName> = OperationInput<M>;
export type RpcResult<M extends RpcMethodName> = OperationOutput<M>;

/** The schema of each method's params and result. */
export const rpcSchemas = Object.fromEntries(
  RPC_METHODS.map((name) => [name, { params: methods[name].input, result: methods[name].output }]),
) as {
  readonly [M in RpcMethodName]: {
    readonly params: (typeof methods)[M]['input'];
    readonly result: (typeof methods)[M]['output'];
  };
};
