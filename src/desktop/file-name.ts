import { extname } from 'node:path';
import { DEVICE_NAME } from '../client/device-name.ts';

/** The maximum of most file systems. */
const MAX_BYTES = 255;
/** What follows the last dot is no extension if it is longer. */
const MAX_EXTENSION_BYTES = 32;
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * The last part of a key, as a file name that is valid on every system. Marks of direction, which names in Hebrew and Arabic have, reverse no text and stay.
 * A long name keeps its extension.
 */
export function fileNameOf(key: string): string {
  // A search from each of many blanks would take long, so it begins at the first.
  const name = (key.split('/').findLast((part) => part !== '') ?? '')
    .toWellFormed()
    .replace(/[<>:"\\|?*\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, '_')
    .replace(/(?<![. ])[. ]+$/, '');
  const seen = name.replace(INVISIBLE, '');
  return numberedName(seen === '' || DEVICE_NAME.test(seen) || seen.startsWith('.') ? `_${name}` : name, 1);
}

/** The name itself for the number 1; `a.txt` becomes `a (2).txt` for 2. A name that would be too long is shortened before the number. */
export function numberedName(name: string, number: number): string {
  const last = extname(name);
  const extension = Buffer.byteLength(last) > MAX_EXTENSION_BYTES ? '' : last;
  const end = number === 1 ? extension : ` (${number})${extension}`;
  return shortened(name.slice(0, name.length - extension.length), MAX_BYTES - Buffer.byteLength(end)) + end;
}

function shortened(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  // In a stream, the decoder leaves out half a character at the end. Windows takes no dot or space there.
  return new TextDecoder('utf-8', { ignoreBOM: true })
    .decode(bytes.subarray(0, maxBytes), { stream: true })
    .replace(/(?<![. ])[. ]+$/, (cut) => '_'.repeat(cut.length));
}
