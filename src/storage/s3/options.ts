import type { Credentials } from './signature.ts';

/** How to reach S3. */
export type S3Options = {
  /** Names the provider in errors. */
  readonly name: string;
  /** URL of the S3 endpoint that the service itself talks to. */
  readonly endpoint: string;
  readonly region: string;
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`. */
  readonly pathStyle: boolean;
  /** When left out, the AWS default chain gives the credentials. */
  readonly credentials?: Credentials | undefined;
  /** Every certificate to trust, in PEM. When left out, Node's own are trusted. */
  readonly ca?: readonly string[] | undefined;
  readonly proxy?: ProxyOptions | undefined;
  /** Milliseconds to get a connection. */
  readonly connectTimeoutMs: number;
  /** Milliseconds that a connection may stay silent, while an answer or its next bytes are awaited. */
  readonly idleTimeoutMs: number;
};

/** URLs of the proxies for HTTP and HTTPS. `except` lists the hosts that are reached directly, with commas between. */
export type ProxyOptions = { readonly http: string | undefined; readonly https: string | undefined; readonly except: string };
