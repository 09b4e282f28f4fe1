import type { ApiKeyScopeWire, ApiKeyWire } from '../../wire/api-key.ts';

/** An API key without its secret. Times are RFC 3339. */
export type ApiKey = ApiKeyWire;
export type Scope = ApiKeyScopeWire;
export type ActionName = Scope['rules'][number]['actions'][number];

/** The credential is told once: here, and never again. */
export type IssuedKey = { readonly key: ApiKey; readonly credential: string };
