import { t } from '../words/words.ts';
const MAX_KEY_BYTES = 1024;
const encoder = new TextEncoder();

/** What is wrong with a name that becomes the end of a key, or undefined. */
export function faultOfName(name: string, prefix: string): string | undefined {
  if (name === '') return t('Type a name.');
  if (name.startsWith('/') || name.endsWith('/') || name.includes('//')) return t('A slash can only stand between two names.');
  if (/(?:^|\/)\.\.?(?:\/|$)/.test(name)) return t('A name cannot be “.” or “..”: it may be taken for the way to another place.');
  if (encoder.encode(prefix + name).length >= MAX_KEY_BYTES) return t('The name is too long: with its folders it may have 1,023 bytes.');
  return undefined;
}

/** What is wrong with the name of a new bucket, or undefined: the naming rules of S3. */
export function faultOfBucketName(name: string): string | undefined {
  if (name.length < 3 || name.length > 63) return t('A bucket name has 3 to 63 characters.');
  if (!/^[a-z0-9.-]+$/.test(name)) return t('Use lower-case letters, digits, dots and hyphens only.');
  if (!/^[a-z0-9].*[a-z0-9]$/.test(name)) return t('Begin and end with a letter or a digit.');
  if (name.includes('..')) return t('Two dots cannot follow each other.');
  if (/^\d+\.\d+\.\d+\.\d+$/.test(name)) return t('The name cannot look like an IP address.');
  return undefined;
}
