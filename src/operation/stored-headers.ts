import { refuseFault } from '../access/invalid.ts';

type Headers = Readonly<Record<string, string>>;

const META = 'x-amz-meta-';
const NAMES: ReadonlySet<string> = new Set([
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'expires',
  'x-amz-storage-class',
  'x-amz-tagging',
]);
/** The limit of S3 for the names, without their beginning, and the values of an object's own metadata. */
const MAX_META_BYTES = 2_048;

/**
 * The headers that a client wants to store with an object. No other header of a client reaches storage.
 *
 * @throws {SvcError} `invalid_request`
 */
export function storedHeadersOf(given: Headers = {}): Headers {
  let metaBytes = 0;
  for (const [name, value] of Object.entries(given)) {
    refuseFault(`stored.${name.slice(0, 100)}`, faultOf(name, value));
    if (name.startsWith(META)) metaBytes += name.length - META.length + value.length;
  }
  refuseFault('stored', metaBytes > MAX_META_BYTES ? 'has more than 2 KiB of `x-amz-meta-`' : undefined);
  return given;
}

function faultOf(name: string, value: string): string | undefined {
  if (!NAMES.has(name) && !/^x-amz-meta-[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name))
    return 'is no header that is stored with an object';
  // Each character is a byte: a client of S3 may send UTF-8.
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return 'has a character that no header can have';
  return name === 'content-encoding' && /\baws-chunked\b/i.test(value)
    ? 'has `aws-chunked`, with which nothing is stored'
    : undefined;
}
