declare module 's3rver' {
  import type { IncomingMessage, Server } from 'node:http';

  export type S3Metadata = Record<string, string | number | undefined>;

  export type FilesystemStore = {
    getBucketPath(bucket: string): string;
    getResourcePath(bucket: string, key: string | undefined, resource: string): string;
    getMetadata(bucket: string, key: string): Promise<S3Metadata>;
    putMetadata(bucket: string, key: string, metadata: S3Metadata, md5: string): Promise<void>;
    putObject(object: {
      bucket: string;
      key: string;
      content: NodeJS.ReadableStream | Buffer;
      metadata: S3Metadata;
    }): Promise<{ size: number; md5: string }>;
    putPart(
      bucket: string,
      uploadId: string,
      partNumber: string,
      content: NodeJS.ReadableStream,
    ): Promise<{ size: number; md5: string }>;
    putObjectMultipart(
      bucket: string,
      uploadId: string,
      parts: readonly { number: number; etag: string }[],
    ): Promise<{ size: number; md5: string }>;
    existsObject(bucket: string, key: string): Promise<boolean>;
    deleteObject(bucket: string, key: string): Promise<void>;
  };

  export type S3Context = {
    set(header: string, value: string): void;
    readonly method: string;
    readonly path: string;
    readonly query: Record<string, string | undefined>;
    readonly headers: Record<string, string | undefined>;
    readonly req: IncomingMessage;
    /** Of routes only. */
    readonly params: { readonly bucket: string };
    readonly store: FilesystemStore;
    status: number;
    body: unknown;
  };

  export type S3Middleware = (ctx: S3Context, next: () => Promise<void>) => Promise<void>;

  export type S3rverOptions = {
    address?: string;
    port?: number;
    silent?: boolean;
    directory?: string;
    resetOnClose?: boolean;
    vhostBuckets?: boolean;
    configureBuckets?: { name: string }[];
  };

  export default class S3rver {
    constructor(options: S3rverOptions);
    readonly store: FilesystemStore;
    readonly middleware: S3Middleware[];
    readonly httpServer: Server;
    run(): Promise<{ address: string; port: number }>;
    close(): Promise<void>;
    on(event: 'error', listener: (error: Error) => void): this;
  }
}

declare module 's3rver/lib/models/error.js' {
  export default class S3Error extends Error {
    constructor(code: string, message: string);
  }
}

declare module 's3rver/lib/controllers/bucket.js' {
  import type { S3Context } from 's3rver';

  const controller: { getBucket: (ctx: S3Context) => Promise<void> };
  export default controller;
}

declare module 's3rver/lib/controllers/object.js' {
  import type { S3Context } from 's3rver';

  const controller: { deleteMultipleObjects: (ctx: S3Context) => Promise<void> };
  export default controller;
}
