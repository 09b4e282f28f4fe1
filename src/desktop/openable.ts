import { extname } from 'node:path';

/**
 * Extensions of documents, pictures, audio and video. None of them executes anything or fetches something when it is opened: no programs, scripts, shortcuts,
 * installers, disk images, documents with macros, web pages, playlists, or pictures that consist of commands.
 */
const OPENABLE: ReadonlySet<string> = new Set(
  `pdf txt md csv tsv log json rtf docx xlsx pptx odt ods odp epub
  png jpg jpeg jpe gif webp avif heic heif jxl bmp tif tiff ico
  mp3 m4a aac ogg oga opus flac wav weba
  mp4 m4v webm ogv mov mkv avi mpg mpeg`.split(/\s+/),
);

/** Whether a downloaded file may be opened with the system's program for it. Unknown types may not. */
export function isOpenable(file: string): boolean {
  return OPENABLE.has(extname(file).slice(1).toLowerCase());
}
