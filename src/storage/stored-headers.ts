import type { HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import { SvcError } from '../errors/svc-error.ts';
import { storedEncoding } from './object-headers.ts';

/** The headers that are kept with an object, in addition to its content type. */
export type StoredHeaders = {
  readonly CacheControl?: string;
  readonly ContentDisposition?: string;
  readonly ContentEncoding?: string;
  readonly ContentLanguage?: string;
  readonly Metadata?: Record<string, string>;
};

export function storedHeadersOf(head: HeadObjectCommandOutput): StoredHeaders {
  const encoding = storedEncoding(head.ContentEncoding);
  return {
    ...(head.CacheControl !== undefined && { CacheControl: head.CacheControl }),
    ...(head.ContentDisposition !== undefined && { ContentDisposition: head.ContentDisposition }),
    ...(encoding !== undefined && { ContentEncoding: encoding }),
    ...(head.ContentLanguage !== undefined && { ContentLanguage: head.ContentLanguage }),
    ...(head.Metadata !== undefined && { Metadata: head.Metadata }),
  };
}

/** @throws {SvcError} `invalid_request`: it could not be sent as a header. */
export function checkContentType(contentType: string | undefined): void {
  if (contentType === undefined || /^[\x20-\x7e]{1,255}$/.test(contentType)) return;
  throw new SvcError('invalid_request', { detail: 'the content type is not one: use 1 to 255 printable ASCII characters' });
}
