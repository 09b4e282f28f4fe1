import { catalogue, type ErrorCode } from '../errors/catalogue.ts';
import { SvcError, codeOf } from '../errors/svc-error.ts';

export type RpcError = {
  readonly code: number;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly code: ErrorCode };
};

/** The JSON-RPC error: its number from the catalogue, with `code` and further members in `data`. Foreign errors become `internal`. */
export function rpcErrorOf(error: unknown): RpcError {
  const known = codeOf(error) === undefined ? new SvcError('internal') : (error as SvcError);
  const { rpc, title } = catalogue[known.code];
  return {
    code: rpc,
    message: title,
    data: { code: known.code, ...(known.detail === undefined ? {} : { detail: known.detail }), ...known.members },
  };
}
