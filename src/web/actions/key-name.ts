import { t } from '../words/words.ts';
const MAX_KEY_BYTES = 1024;
const encoder = new TextEncoder();

/** The fault of a name of a file or folder, or undefined. @param prefix - the prefix that precedes the name in the key. */
export function faultOfName(name: string, prefix: string): string | undefined {
  if (name === '') return t('Type a name.');
  if (name.startsWith('/') || name.endsWith('/') || name.includes('//'))
    return t('A slash is only allowed between two names.');
  if (/(?:^|\/)\.\.?(?:\/|$)/.test(name))
    return t('A name cannot be “.” or “..”, because these stand for other folders.');
  if (!name.isWellFormed()) return t('The name has half a character. Type it again.');
  if (encoder.encode(prefix + name).length >= MAX_KEY_BYTES)
    return t('The name is too long. With its folders it can have up to 1,023 bytes.');
  return undefined;
}

/** The fault of a key or the beginning of keys, or undefined. */
export function faultOfKey(key: string): string | undefined {
  return encoder.encode(key).length > MAX_KEY_BYTES
    ? t('It is too long. A key can have up to 1,024 bytes.')
    : undefined;
}

/** The fault of a bucket name by the naming rules of S3, or undefined. */
export function faultOfBucketName(name: string): string | undefined {
  if (name.length < 3 || name.length > 63) return t('A bucket name has 3 to 63 characters.');
  if (!/^[a-z0-9.-]+$/.test(name)) return t('Use lower-case letters, digits, dots and hyphens only.');
  if (!/^[a-z0-9].*[a-z0-9]$/.test(name)) return t('Begin and end with a letter or a digit.');
  if (name.includes('..')) return t('Two dots cannot follow each other.');
  if (/^\d+\.\d+\.\d+\.\d+$/.test(name)) return t('The name cannot look like an IP address.');
  return undefined;
}
