import type { Readable } from 'node:stream';

/** One request to S3. Header names are in lower case. Undefined headers and query members are left out. */
export type S3Request = {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  readonly bucket?: string;
  readonly key?: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** A stream needs the header `content-length` and is never sent twice. */
  readonly body?: Buffer | Readable;
};
