import { expiryOf } from '../access/caller.ts';
import type { RpcMethods } from './method.ts';

export type SessionMethodParts = { readonly version: string; readonly hasApiKeys: boolean };

/** What a client asks first. */
export function sessionMethods({ version, hasApiKeys }: SessionMethodParts): RpcMethods {
  return {
    'initialize': { call: () => ({ server: { name: 'svc', version }, capabilities: { apiKeys: hasApiKeys } }) },
    'session/get': {
      call: (_params, { caller }) => {
        const expiresAt = expiryOf(caller);
        return {
          issuer: caller.identity.issuer,
          subject: caller.identity.subject,
          groups: [...caller.identity.groups],
          name: caller.name,
          kind: caller.kind === 'apiKey' ? caller.kind : (caller.session?.kind ?? 'web'),
          expiresAt: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
        };
      },
    },
  };
}
