import type { ApiKeyScopeWire, ApiKeyWire } from '../../wire/api-key.ts';

/** An API key without its secret. Times are RFC 3339. */
export type ApiKey = ApiKeyWire;
export type Scope = ApiKeyScopeWire;
export type ActionName = Scope['rules'][number]['actions'][number];

/** A new or rotated API key. Only this answer contains the credential. */
export type IssuedKey = { readonly key: ApiKey; readonly credential: string };
