import { extname } from 'node:path';

/**
 * Documents, pictures, audio and video that are looked at. None of them runs when it is opened, and none fetches something: no programs, scripts, shortcuts,
 * installers or disk images, no documents with macros, no pages of the web, no playlists, and no pictures that are lists of commands.
 */
const OPENABLE: ReadonlySet<string> = new Set(
  `pdf txt md csv tsv log json rtf docx xlsx pptx odt ods odp epub
  png jpg jpeg jpe gif webp avif heic heif jxl bmp tif tiff ico
  mp3 m4a aac ogg oga opus flac wav weba
  mp4 m4v webm ogv mov mkv avi mpg mpeg`.split(/\s+/),
);

/** Whether a file that was downloaded may be opened with the system's program for it. What is not known to be looked at is not. */
export function isOpenable(file: string): boolean {
  return OPENABLE.has(extname(file).slice(1).toLowerCase());
}
