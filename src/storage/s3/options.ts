import type { Credentials } from './signature.ts';

/** How to reach S3. */
export type S3Options = {
  /** Names the provider in errors. */
  readonly name: string;
  /** URL of the S3 endpoint that the service itself talks to. */
  readonly endpoint: string;
  readonly region: string;
  /** Bucket names, for credentials that may not list buckets. When present, storage is not asked for them. */
  readonly buckets?: readonly string[] | undefined;
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`. */
  readonly pathStyle: boolean;
  /** When left out, the AWS default chain provides the credentials. */
  readonly credentials?: Credentials | undefined;
  /** All trusted certificates, in PEM. When left out, Node's own are trusted. */
  readonly ca?: readonly string[] | undefined;
  readonly proxy?: ProxyOptions | undefined;
  /** Milliseconds to establish a connection. */
  readonly connectTimeoutMs: number;
  /** Milliseconds for which a connection may be silent while an answer or its next bytes are awaited. */
  readonly idleTimeoutMs: number;
};

/** URLs of the proxies for HTTP and HTTPS. `except` is a comma-separated list of hosts that are reached directly. */
export type ProxyOptions = {
  readonly http: string | undefined;
  readonly https: string | undefined;
  readonly except: string;
};
