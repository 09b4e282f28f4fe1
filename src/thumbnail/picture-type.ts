/** A kind of picture that is drawn. Documents that name other files or hold scripts (SVG, PDF) are none. */
export type PictureType = 'jpeg' | 'png' | 'webp' | 'gif' | 'avif' | 'tiff';

/** So many bytes tell the type of any picture. */
export const LEADING_BYTES = 32;

/** What the content begins with, which nobody can declare otherwise; undefined for all else. */
export function pictureTypeOf(leading: Buffer): PictureType | undefined {
  const text = leading.toString('latin1', 0, LEADING_BYTES);
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'gif';
  if (text.startsWith('RIFF') && text.startsWith('WEBP', 8)) return 'webp';
  if (text.startsWith('II*\0') || text.startsWith('MM\0*')) return 'tiff';
  // The brand, or one of those that it is compatible with.
  if (text.startsWith('ftyp', 4) && /^(?:.{4})*avi[fs]/s.test(text.slice(8))) return 'avif';
  return undefined;
}
