import type { DotSegments } from '../policy/name.ts';
import type { Sealer } from '../secret/sealer.ts';
import type { KeyTurns } from './key-turns.ts';
import type { S3Client } from './s3/client.ts';
import type { S3Options } from './s3/options.ts';
import type { SweepTurns } from './sweep-turns.ts';

/** One storage provider, from the configuration. */
export type StorageProviderOptions = S3Options & {
  readonly type: 's3';
  /** Whether keys with a segment `.` or `..` may be requested; they are refused when this is left out. */
  readonly dotSegments?: DotSegments | undefined;
  /** URL that presigned links are made for, where clients reach storage at another address. */
  readonly publicEndpoint?: string | undefined;
  /** Bucket names, for credentials that may not list buckets; storage is not asked for them when present. */
  readonly buckets?: readonly string[] | undefined;
};

/** One storage provider, ready to use. Made by `Storage`. */
export type StorageProvider = Pick<StorageProviderOptions, 'name' | 'endpoint' | 'region' | 'buckets' | 'idleTimeoutMs'> & {
  readonly dotSegments: DotSegments;
  /** Seals the positions that listings hand out. */
  readonly cursors: Sealer;
  readonly s3: S3Client;
  /** Signs links for the public endpoint. */
  readonly links: S3Client;
  /** Shared by all providers of a `Storage`, because two of them may lead to the same storage. */
  readonly turns: KeyTurns;
  /** Keeps sweeps through whole folders from taking every connection. */
  readonly sweeps: SweepTurns;
};

/** One object, named byte for byte as policy was asked about it. */
export type ObjectRef = { readonly bucket: string; readonly key: string };

/** Aborts when the client goes away. */
export type Abortable = { readonly signal?: AbortSignal | undefined };

export type ConditionalWrite = Abortable & {
  /** `If-None-Match: *`: refuse to overwrite. */
  readonly ifNoneMatchAny?: boolean | undefined;
};
