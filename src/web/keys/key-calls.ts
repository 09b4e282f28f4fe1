import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '../api/api-error.ts';
import { request } from '../api/request.ts';
import type { ApiKey, IssuedKey, Scope } from './api-key.ts';

type RpcAnswer<T> = { readonly result?: T; readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly code?: string; readonly detail?: string } } };

let nextId = 1;

/** Calls a JSON-RPC method with the session cookie. @throws {ApiError} with the problem code of the error's `data`. */
async function call<T>(method: string, params: object, signal?: AbortSignal): Promise<T> {
  const json = { jsonrpc: '2.0', id: nextId++, method, params };
  const { result, error } = await request<RpcAnswer<T>>(['rpc'], { method: 'POST', json, ...(signal ? { signal } : {}) });
  if (error) throw new ApiError(error.data?.code ?? 'unexpected_answer', error.data?.detail ?? error.message);
  if (result === undefined) throw new ApiError('unexpected_answer', 'The answer could not be read. Try again in a moment.');
  return result;
}

export const keysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: async ({ signal }) => (await call<{ readonly keys: readonly ApiKey[] }>('apiKey/list', {}, signal)).keys,
});

export function createKey(description: string, scope: Scope, expiresAt: string | null): Promise<IssuedKey> {
  return call<IssuedKey>('apiKey/create', { description, scope, expiresAt });
}

/** Gives a key a new secret; the old credential stops working at once. */
export function rotateKey(id: string): Promise<IssuedKey> {
  return call<IssuedKey>('apiKey/rotate', { id });
}

export async function replaceScope(id: string, scope: Scope): Promise<void> {
  await call('apiKey/replaceScope', { id, scope });
}

export async function revokeKey(id: string): Promise<void> {
  await call('apiKey/revoke', { id });
}
