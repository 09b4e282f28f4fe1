import type { HeadObjectCommandOutput } from '@aws-sdk/client-s3';

/**
 * Lower-case names, and only these: content-type, content-length, content-range, content-encoding, content-disposition,
 * content-language, cache-control, etag, last-modified, accept-ranges, and `x-amz-meta-…` for the object's own metadata.
 */
export type ObjectHeaders = Readonly<Record<string, string>>;

type Described = Pick<
  HeadObjectCommandOutput,
  'ContentType' | 'ContentLength' | 'ContentRange' | 'ContentEncoding' | 'ContentDisposition' | 'ContentLanguage' | 'CacheControl' | 'ETag' | 'LastModified' | 'Metadata'
>;

/** The headers of an object for a client. Other headers that storage sent are not passed on. */
export function headersOf(output: Described): ObjectHeaders {
  const headers: Record<string, string | undefined> = {
    'content-type': output.ContentType ?? 'application/octet-stream',
    'content-length': output.ContentLength?.toString(),
    'content-range': output.ContentRange,
    'content-encoding': storedEncoding(output.ContentEncoding),
    'content-disposition': output.ContentDisposition,
    'content-language': output.ContentLanguage,
    'cache-control': output.CacheControl,
    etag: output.ETag,
    'last-modified': output.LastModified?.toUTCString(),
    'accept-ranges': 'bytes',
    ...metadataHeaders(output.Metadata),
  };
  return present(headers);
}

/** Metadata as headers. Values that cannot be a header are left out, because the writer of the object could choose any text. */
function metadataHeaders(metadata: Readonly<Record<string, string>> = {}): Record<string, string> {
  const sendable = Object.entries(metadata).filter(([name, value]) => /^[\w.!#$%&'*+^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value));
  return Object.fromEntries(sendable.map(([name, value]) => [`x-amz-meta-${name.toLowerCase()}`, value]));
}

/** The headers of a 304, which the SDK throws; undefined for any other error. */
export function notModified(error: unknown): ObjectHeaders | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { $metadata, $response } = error as { $metadata?: { httpStatusCode?: number }; $response?: { headers?: Record<string, string> } };
  if ($metadata?.httpStatusCode !== 304) return undefined;
  const sent = $response?.headers ?? {};
  return present({ etag: sent.etag, 'last-modified': sent['last-modified'], 'cache-control': sent['cache-control'] });
}

/** `aws-chunked` says how the object was sent once, not how it is stored. */
export function storedEncoding(encoding: string | undefined): string | undefined {
  const stored = encoding
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'aws-chunked');
  return stored?.length ? stored.join(', ') : undefined;
}

function present(headers: Record<string, string | undefined>): ObjectHeaders {
  return Object.fromEntries(Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined));
}
