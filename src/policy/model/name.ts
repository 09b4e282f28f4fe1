/** Checks of the names that a request may use. They run before policy is asked, so that policy and storage see valid names only. */

const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const IPV4_ADDRESS = /^\d+\.\d+\.\d+\.\d+$/;
/**
 * The pattern of a provider's name, in the configuration and in requests. Resources of the audit that are not in storage are written as `session/…`,
 * `apiKey/…`, `s3Key/…` and `person/…`, so no provider has one of these names.
 */
export const PROVIDER_NAME = '^(?!(?:session|apiKey|s3Key|person)$)[A-Za-z0-9][A-Za-z0-9._-]{0,62}$';
const IS_PROVIDER_NAME = new RegExp(PROVIDER_NAME);
/** What is wrong with a name that is no name of a provider. */
export const NO_PROVIDER_NAME =
  'must be a letter or digit, and at most 62 more letters, digits, dots, hyphens and underscores; it cannot be `session`, `apiKey`, `s3Key` or `person`';

/** The limit of S3. */
export const MAX_KEY_BYTES = 1024;
const KEY_LENGTH = `a key is 1 to ${MAX_KEY_BYTES} bytes of UTF-8`;

/** Whether it is a valid S3 bucket name. `..` is refused above all: in a path it would address another bucket. */
export function isBucketName(name: string): boolean {
  return BUCKET_NAME.test(name) && !name.includes('..') && !IPV4_ADDRESS.test(name);
}

/** Whether it can be the name of a provider in the configuration. */
export function isProviderName(name: string): boolean {
  return IS_PROVIDER_NAME.test(name);
}

/** Says what is wrong with a provider's name; undefined when it is valid. */
export function providerFault(name: string): string | undefined {
  return isProviderName(name) ? undefined : NO_PROVIDER_NAME;
}

/**
 * Whether keys with a segment `.` or `..` may be requested. Storage that resolves paths, or is behind a proxy that does, reads another key than policy was
 * asked about, so `keep` is only for storage that is known to keep such keys apart.
 */
export type DotSegments = 'refuse' | 'keep';

/** Says what is wrong with a bucket's name, for the person who wrote it; undefined when it is valid. */
export function bucketFault(name: string): string | undefined {
  return isBucketName(name) ? undefined : `a bucket name ${whyNoBucket(name)}`;
}

function whyNoBucket(name: string): string {
  if (name.length < 3 || name.length > 63) return 'has 3 to 63 characters';
  if (/[^a-z0-9.-]/.test(name)) return 'holds only a-z, 0-9, `-` and `.`';
  if (!BUCKET_NAME.test(name)) return 'begins and ends with a letter or digit';
  return name.includes('..') ? 'has no two dots in a row' : 'is no IP address';
}

/** Says what is wrong with an object's key; undefined when it has 1 to {@link MAX_KEY_BYTES} bytes of well-formed UTF-8 and no refused segment. */
export function keyFault(key: string, dots: DotSegments): string | undefined {
  return key === '' ? KEY_LENGTH : prefixFault(key, dots);
}

/** Says what is wrong with a prefix of a key; unlike a key it may be empty. */
export function prefixFault(prefix: string, dots: DotSegments): string | undefined {
  if (!isKeyText(prefix)) return KEY_LENGTH;
  return dots === 'refuse' && hasDotSegment(prefix)
    ? 'has a segment `.` or `..`, which storage may resolve to another key; use another name'
    : undefined;
}

/** Whether a text can be a key or its beginning: well-formed, and of at most {@link MAX_KEY_BYTES} bytes of UTF-8. */
export function isKeyText(text: string): boolean {
  // No character has more than three bytes for each of its code units.
  const fits = text.length * 3 <= MAX_KEY_BYTES || (text.length <= MAX_KEY_BYTES && utf8Length(text) <= MAX_KEY_BYTES);
  return fits && text.isWellFormed();
}

/** Whether a segment between the slashes is `.` or `..`. */
export function hasDotSegment(key: string): boolean {
  // Most keys have no such character there, which is found sooner.
  return (key.startsWith('.') || key.includes('/.')) && /(?:^|\/)\.\.?(?:\/|$)/.test(key);
}

/** The end of the name under which MinIO and RustFS keep a key that ends with a slash, without it. They take a key with this end for that key. */
const STORED_SLASH = '__XLDIR__';

/**
 * The keys for which some storage takes a key with an empty segment or with {@link STORED_SLASH}: without the slashes at its start, with one slash in place of
 * several, and with the slash at its end; the last one has all of it. None for any other key.
 */
export function mergedKeys(key: string): readonly string[] {
  const merged = mergedPrefixes(key);
  if (!key.endsWith(STORED_SLASH)) return merged.filter((each) => each !== '');
  const folder = `${key.slice(0, -STORED_SLASH.length)}/`;
  return [...merged, folder, ...mergedPrefixes(folder)].filter((each) => each !== '');
}

/** The beginnings of the keys for which some storage takes the keys that start with a prefix. */
export function mergedPrefixes(prefix: string): readonly string[] {
  if (!prefix.startsWith('/') && !prefix.includes('//')) return [];
  const rest = prefix.replace(/^\/+/, '');
  return [...new Set([rest, rest.replace(/\/{2,}/g, '/')])].filter((each) => each !== prefix);
}

/** Whether some storage takes both keys for one. */
export function mayBeMerged(a: string, b: string): boolean {
  const [one, other] = [a, b].map((key) => mergedKeys(key).at(-1) ?? key);
  return one === other;
}

/** The bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    const isSurrogate = unit >= 0xd800 && unit <= 0xdfff;
    bytes += unit < 0x800 || isSurrogate ? 1 : 2;
  }
  return bytes;
}
