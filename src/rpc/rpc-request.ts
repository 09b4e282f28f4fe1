const MAX_ID_CHARACTERS = 256;

/** A message and what is read of it take about so many times its bytes. */
export const TIMES_WHILE_ANSWERED = 2;

export type Id = string | number | null;

/** Missing params and an empty list count as an empty object. */
export function paramsOf({ params = {} }: RpcRequest): unknown {
  return Array.isArray(params) && params.length === 0 ? {} : params;
}

export type RpcRequest = { readonly id?: Id; readonly method: string; readonly params?: unknown };

/** A request or notification of JSON-RPC 2.0; undefined when it is none. */
export function readRequest(message: unknown): RpcRequest | undefined {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return undefined;
  const { jsonrpc, id, method, params } = message as Record<string, unknown>;
  const idFits =
    id === undefined ||
    id === null ||
    (typeof id === 'string' && id.length <= MAX_ID_CHARACTERS) ||
    typeof id === 'number';
  const paramsFit = params === undefined || (typeof params === 'object' && params !== null);
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !idFits || !paramsFit) return undefined;
  return { method, ...(id === undefined ? {} : { id }), ...(params === undefined ? {} : { params }) };
}
