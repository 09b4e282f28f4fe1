import type { RpcMethodName, RpcParams, RpcResult } from '../../wire/rpc.ts';
import { ApiError, apiErrorOf, errorOfBody, reportError, problemMessage } from './api-error.ts';
import { unreadable } from './client.ts';
import { parsed } from './parsed.ts';
import { rpcBody, sendRpc } from './rpc-request.ts';

type RpcError = { readonly message?: string; readonly data?: { readonly code?: string; readonly detail?: string } };
type Answer = { readonly id?: unknown; readonly result?: unknown; readonly error?: RpcError | null } | null;
type Params<M extends readonly RpcMethodName[]> = { readonly [K in keyof M]: RpcParams<M[K]> };
type Results<M extends readonly RpcMethodName[]> = { readonly [K in keyof M]: RpcResult<M[K]> };

/** Calls a JSON-RPC method with the session cookie. @throws {ApiError} with the problem code of the error's `data`. */
export async function call<M extends RpcMethodName>(
  method: M,
  params: RpcParams<M>,
  signal?: AbortSignal,
): Promise<RpcResult<M>> {
  const [result] = await callAll([method], [params], signal);
  return result;
}

/** Calls several methods with one request and returns their results in the same order. @throws {ApiError} the first error. */
export async function callAll<const M extends readonly RpcMethodName[]>(
  methods: M,
  params: Params<M>,
  signal?: AbortSignal,
): Promise<Results<M>> {
  const { status, answers } = await post(rpcBody(methods, params), signal);
  // If the service refuses the whole request, its single error is the answer to every call.
  const results = methods.map((_method, id) =>
    resultOf(answers.find((answer) => answer?.id === id) ?? answers[0] ?? {}, status),
  );
  return results as unknown as Results<M>;
}

function resultOf({ result, error }: NonNullable<Answer>, status: number): unknown {
  if (!error) {
    if (result === undefined) throw unreadable(status);
    return result;
  }
  const { code = 'unexpected_answer', detail = error.message } = error.data ?? {};
  const failure =
    typeof detail === 'string' ? new ApiError(code, problemMessage(code, detail), { status }) : unreadable(status);
  reportError(failure);
  throw failure;
}

async function post(
  calls: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly status: number; readonly answers: readonly Answer[] }> {
  try {
    const response = await sendRpc(calls, signal ?? null);
    const text = await response.text();
    const body = parsed(text);
    const answers = (Array.isArray(body) ? body : [body ?? null]) as readonly Answer[];
    // A proxy may answer in JSON too, with an error of its own.
    const isOurs = response.ok || answers.some((answer) => answer?.error?.data?.code !== undefined);
    if (!isOurs) throw errorOfBody(response.status, text, response.headers.get('retry-after'));
    if (body === undefined) throw unreadable(response.status);
    return { status: response.status, answers };
  } catch (error) {
    throw apiErrorOf(error);
  }
}
