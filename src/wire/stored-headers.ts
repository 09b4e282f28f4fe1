/** Headers to store with an object, by their names in lower case. */
export type StoredHeaders = Readonly<Record<string, string>>;

/** How the name of a header begins that stores metadata of one's own. */
export const META = 'x-amz-meta-';
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

/** Why storage does not get these headers; undefined when it does. `name` is that of the header, if it is one alone. */
export function storedFault(
  given: StoredHeaders,
): { readonly name?: string | undefined; readonly message: string } | undefined {
  let metaBytes = 0;
  for (const [name, value] of Object.entries(given)) {
    const message = faultOf(name, value);
    if (message !== undefined) return { name, message };
    if (name.startsWith(META)) metaBytes += name.length - META.length + value.length;
  }
  return metaBytes > MAX_META_BYTES ? { message: 'has more than 2 KiB of `x-amz-meta-`' } : undefined;
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
