import type { StopSignal } from '../bounds/stop-signal.ts';
import type { DotSegments } from '../policy/model/name.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import type { Sealer } from '../secret/sealer.ts';
import type { KeyLocks } from './key-locks.ts';
import type { S3Client, SendOptions } from './s3/client.ts';
import type { S3Options } from './s3/options.ts';
import type { ProviderShares } from './provider-shares.ts';

/** The configuration of one storage provider. */
export type StorageProviderOptions = S3Options & {
  readonly type: 's3';
  /** Whether keys with a segment `.` or `..` may be requested; by default they are refused. */
  readonly dotSegments?: DotSegments | undefined;
  /** URL for presigned links, when clients reach storage at another address. */
  readonly publicEndpoint?: string | undefined;
};

/** One storage provider, ready to use. {@link Storage} makes it. */
export type StorageProvider = Pick<
  StorageProviderOptions,
  'name' | 'endpoint' | 'region' | 'buckets' | 'idleTimeoutMs'
> & {
  readonly dotSegments: DotSegments;
  /** Seals the positions in cursors. */
  readonly cursors: Sealer;
  readonly s3: S3Client;
  /** Signs links for the public endpoint. */
  readonly links: S3Client;
  /** Shared by all providers of a {@link Storage}, because two of them may lead to the same storage. */
  readonly keyLocks: KeyLocks;
  /** Shares the connections among people. */
  readonly shares: ProviderShares;
};

/** A place at a provider, with exactly the names about which policy was asked. */
export type ProviderRef = { readonly provider: StorageProvider };
export type BucketRef = ProviderRef & { readonly bucket: string };
export type ObjectRef = BucketRef & { readonly key: string };
export type ObjectsRef = BucketRef & { readonly keys: readonly string[] };
export type PrefixRef = BucketRef & { readonly prefix: string };

/** A permitted place with its provider in place of the provider's name. The functions that operations call accept only such places. */
export type Opened<P> = Permitted<{ readonly [K in keyof P]: K extends 'provider' ? StorageProvider : P[K] }>;

/** Aborts when the client disconnects. */
export type Abortable = { readonly signal?: StopSignal | undefined };

/** A question whose answer may be long. */
export type LongQuestion = Pick<SendOptions, 'signal' | 'hold'>;

export type ConditionalWrite = Abortable & {
  /** `If-None-Match: *`: refuses to overwrite. */
  readonly ifNoneMatchAny?: boolean | undefined;
  /** `If-Match`: writes only over the object with this ETag, with or without its quotes; `*`: only over an object. */
  readonly ifMatch?: string | undefined;
};
