import { pathOf, queryOf } from '../../sigv4/sigv4.ts';
import type { S3Options } from './options.ts';
import type { S3Request } from './request.ts';

/** Where a request goes. */
export type Place = { readonly origin: string; readonly host: string; readonly path: string; readonly query: string };

/** Paths at which MinIO and RustFS have their administration whatever the host is, also beside the name of a bucket. */
const WHATEVER_THE_HOST = /^\/*(?:minio|rustfs)(?:\/|$)/;

/** The address of S3. */
export class Endpoint {
  readonly #protocol: string;
  readonly #host: string;
  /** Ends with a slash. */
  readonly #base: string;
  /** Whether a bucket's name may become part of the host name. */
  readonly #mayPrefix: boolean;

  constructor({ endpoint, pathStyle }: Pick<S3Options, 'endpoint' | 'pathStyle'>) {
    const { protocol, host, hostname, pathname } = new URL(endpoint);
    const isAddress = /^[\d.]+$/.test(hostname) || hostname.startsWith('[');
    this.#protocol = protocol;
    this.#host = host;
    this.#base = pathname.endsWith('/') ? pathname : `${pathname}/`;
    this.#mayPrefix = !pathStyle && !isAddress;
  }

  /** Whether a bucket's name becomes part of the host name. */
  isHost(bucket: string): boolean {
    return this.#mayPrefix && isHostLabel(bucket, this.#protocol);
  }

  /** `endpoint/bucket/key` or, when the bucket's name can be part of a host name, `bucket.endpoint/key`. */
  placeOf({ bucket, key, query }: S3Request): Place {
    const base = this.#base;
    const asHost = bucket !== undefined && this.isHost(bucket) && !WHATEVER_THE_HOST.test(key ?? '');
    const rest = key === undefined ? '' : pathOf(key);
    const host = asHost ? `${bucket}.${this.#host}` : this.#host;
    return {
      origin: `${this.#protocol}//${host}`,
      host,
      path: bucket === undefined || asHost ? base + rest : `${base}${bucket}${key === undefined ? '' : `/${rest}`}`,
      query: query === undefined ? '' : queryOf(Object.entries(query)),
    };
  }
}

/** A certificate for `*.endpoint` does not cover names with dots. */
function isHostLabel(bucket: string, protocol: string): boolean {
  return /^[a-z0-9][a-z0-9.-]*[a-z0-9]$/.test(bucket) && (protocol === 'http:' || !bucket.includes('.'));
}
