import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/rpc.ts';
import type { IssuedKey, Scope } from './api-key.ts';

export const keysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: async ({ signal }) => (await call('apiKey/list', {}, signal)).keys,
});

export function createKey(description: string, scope: Scope, expiresAt: string | null): Promise<IssuedKey> {
  return call('apiKey/create', { description, scope, expiresAt });
}

/** Gives a key a new secret; the old credential stops working at once. */
export function rotateKey(id: string): Promise<IssuedKey> {
  return call('apiKey/rotate', { id });
}

export async function replaceScope(id: string, scope: Scope): Promise<void> {
  await call('apiKey/replaceScope', { id, scope });
}

export async function revokeKey(id: string): Promise<void> {
  await call('apiKey/revoke', { id });
}
