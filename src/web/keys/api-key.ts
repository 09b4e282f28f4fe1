import type { Permissions } from '../../wire/permission.ts';
import type { Selector } from '../admin/records.ts';

export type ActionName = Permissions['actions'][number];
export type ScopeRule = { readonly actions: readonly ActionName[]; readonly resources: readonly Selector[] };
export type Scope = { readonly rules: readonly ScopeRule[] };

/** An API key without its secret. Times are RFC 3339. */
export type ApiKey = {
  readonly id: string;
  readonly description: string;
  readonly scope: Scope;
  readonly expiresAt: string | null;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly creator: { readonly issuer: string; readonly subject: string; readonly name: string };
};

/** The credential is told once: here, and never again. */
export type IssuedKey = { readonly key: ApiKey; readonly credential: string };
