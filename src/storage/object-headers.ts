import type { Headers } from './s3/fault.ts';

/**
 * Lower-case names, and only these: content-type, content-length, content-range of a range, content-encoding, content-disposition, content-language, cache-control, etag,
 * last-modified, accept-ranges, `x-amz-meta-…` for the object's own metadata, and what storage says about its class and its lock; and {@link MoreHeaders}.
 */
export type ObjectHeaders = Headers;

/** Headers that only a client of S3 understands. */
export type MoreHeaders = {
  /** `expires`, and the number of the tags of the object. */
  readonly stored?: boolean | undefined;
  /** `x-amz-checksum-…`, when the whole object was asked for. */
  readonly checksums?: boolean | undefined;
};

/** The headers that storage keeps with an object, in addition to its content type and its metadata. */
const STORED = ['cache-control', 'content-disposition', 'content-encoding', 'content-language'] as const;
/** What storage says about how it keeps the object. Storage leaves out what its credentials of the service may not know. */
const KEEPING = [
  'x-amz-storage-class',
  'x-amz-restore',
  'x-amz-object-lock-mode',
  'x-amz-object-lock-retain-until-date',
  'x-amz-object-lock-legal-hold',
] as const;
const DESCRIBING = ['content-type', 'content-length', ...STORED, ...KEEPING, 'etag', 'last-modified'] as const;
const OF_RANGE = [...DESCRIBING, 'content-range'] as const;
const UNCHANGED = ['etag', 'last-modified', 'cache-control'] as const;
const OF_S3 = ['expires', 'x-amz-tagging-count'] as const;
const META = 'x-amz-meta-';
const CHECKSUM = 'x-amz-checksum-';

/** The headers of an object, or of a range of it, for a client. Other headers from storage are not passed on. */
export function headersOf(status: number, answer: Headers, { stored, checksums }: MoreHeaders = {}): ObjectHeaders {
  const isRange = status === 206;
  const always = isRange ? OF_RANGE : DESCRIBING;
  const names = stored === true ? [...always, ...OF_S3] : always;
  // A client would compare the checksum of the whole object with the range.
  const prefixes = checksums === true && !isRange ? [META, CHECKSUM] : [META];
  const headers = described(answer, names, prefixes, isHeaderText);
  headers['content-type'] ??= 'application/octet-stream';
  headers['accept-ranges'] = 'bytes';
  return headers;
}

/** The headers of a 304. */
export function unchangedHeadersOf(answer: Headers): ObjectHeaders {
  return Object.fromEntries(UNCHANGED.flatMap((name) => (answer[name] === undefined ? [] : [[name, answer[name]]])));
}

/** The headers of an object that a copy sets again when it writes it like a new object. */
export function storedHeadersOf(answer: Headers): ObjectHeaders {
  return described(answer, STORED, [META], () => true);
}

/** Leaves out values that cannot be sent as a header, because the writer of the object could choose any text. */
function described(
  answer: Headers,
  names: readonly string[],
  prefixes: readonly string[],
  isSendable: (value: string) => boolean,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name in answer) {
    const value = name === 'content-encoding' ? storedEncoding(answer[name]!) : answer[name]!;
    const isNamed = names.includes(name) || prefixes.some((prefix) => name.startsWith(prefix));
    if (value !== undefined && isNamed && isSendable(value)) headers[name] = value;
  }
  return headers;
}

/** Whether a text can be sent as the value of a header. Its characters are bytes. */
export function isHeaderText(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

/** Drops `aws-chunked`, which describes how the object was once sent, not how it is stored. */
export function storedEncoding(encoding: string): string | undefined {
  const stored = encoding
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'aws-chunked');
  return stored.length === 0 ? undefined : stored.join(', ');
}
