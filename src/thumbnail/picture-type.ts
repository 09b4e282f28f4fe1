/** The types of pictures that are drawn. SVG and PDF are excluded, because they can reference other files or contain scripts. */
export type PictureType = 'jpeg' | 'png' | 'webp' | 'gif' | 'avif' | 'tiff';

/** The number of leading bytes that suffice to tell the type of a picture. */
export const LEADING_BYTES = 32;

/** The picture type that the leading bytes show, whatever type was declared; undefined for other content. */
export function pictureTypeOf(leading: Buffer): PictureType | undefined {
  const text = leading.toString('latin1', 0, LEADING_BYTES);
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'gif';
  if (text.startsWith('RIFF') && text.startsWith('WEBP', 8)) return 'webp';
  if (text.startsWith('II*\0') || text.startsWith('MM\0*')) return 'tiff';
  // The major brand or a compatible brand.
  if (text.startsWith('ftyp', 4) && /^(?:.{4})*avi[fs]/s.test(text.slice(8))) return 'avif';
  return undefined;
}
