import { catalogue, type ErrorCode } from '../errors/catalogue.ts';
import { SvcError, codeOf, detailToTell } from '../errors/svc-error.ts';

export type RpcError = {
  readonly code: number;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly code: ErrorCode };
};

/** The JSON-RPC error: its number from the catalogue, with `code` and further members in `data`. Foreign errors become `internal`. */
export function rpcErrorOf(error: unknown): RpcError {
  const known = codeOf(error) === undefined ? new SvcError('internal') : (error as SvcError);
  const { rpc, title } = catalogue[known.code];
  const detail = detailToTell(known);
  return {
    code: rpc,
    message: title,
    data: { code: known.code, ...(detail === undefined ? {} : { detail }), ...known.members },
  };
}
