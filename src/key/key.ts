import type { Identity } from '../policy/model/identity.ts';
import type { KeyScope } from '../policy/model/key-scope.ts';

/** The creator's identity as it was when the key was made. */
export type KeyCreator = Identity & { readonly name: string };

/**
 * The record of a key. Times are milliseconds since the epoch.
 *
 * @see spec "API key"
 */
export type Key = {
  /** Public id: safe to show and to log. */
  readonly id: string;
  readonly description: string;
  /** The one provider of an S3 key; absent for an API key. */
  readonly provider?: string;
  readonly scope: KeyScope;
  readonly expiresAt: number | null;
  readonly creator: KeyCreator;
  readonly createdAt: number;
  readonly rotatedAt: number | null;
  /** Rounded to the minute. */
  readonly lastUsedAt: number | null;
};

/** A kind of key. Each kind has a table of its own. */
export type KeyKind = {
  readonly table: 'api_keys' | 's3_keys';
  /** As messages name it. */
  readonly name: 'API key' | 'S3 key';
  /** The key of the configuration that limits all keys, and the one that limits those of one person. */
  readonly limits: { readonly capacity: string; readonly perSubject: string | undefined };
};
