/** The file name extensions of each kind of object. */
const ENDINGS = {
  image: 'png jpg jpeg gif webp avif svg bmp ico tif tiff heic',
  video: 'mp4 webm mov m4v mkv avi ogv',
  audio: 'mp3 wav ogg oga flac m4a aac opus',
  pdf: 'pdf',
  csv: 'csv tsv',
  text: 'txt md markdown log rst adoc srt vtt',
  code: 'js mjs cjs ts tsx jsx json jsonl ndjson yaml yml toml ini conf xml html htm css scss py rb go rs java kt c h cpp hpp cs php swift sh bash zsh ps1 sql lua r pl tf dockerfile makefile diff patch',
  document: 'doc docx odt rtf pages epub',
  spreadsheet: 'xls xlsx ods numbers',
  presentation: 'ppt pptx odp key',
  archive: 'zip tar gz tgz bz2 xz zst 7z rar jar',
  data: 'parquet avro orc db sqlite sqlite3 bin dat h5 npy npz arrow pb iso img dmg',
  font: 'woff woff2 ttf otf',
} as const;

export type Kind = keyof typeof ENDINGS | 'other';

export const KINDS: readonly Kind[] = [...(Object.keys(ENDINGS) as (keyof typeof ENDINGS)[]), 'other'];

const KIND_OF = new Map<string, Kind>(
  Object.entries(ENDINGS).flatMap(([kind, endings]) =>
    endings.split(' ').map((ending) => [ending, kind as Kind] as const),
  ),
);
const LONGEST_ENDING = 10;

/** The extension of a key, in lower case and without the dot; empty when there is none. */
export function endingOf(key: string): string {
  const name = key.slice(key.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const ending = dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
  return ending.length <= LONGEST_ENDING && /^[a-z0-9]+$/.test(ending) ? ending : '';
}

/** The kind of an object. A key without an extension may have a kind by its whole name, such as `Makefile`. */
export function kindOfKey(key: string): Kind {
  const ending = endingOf(key);
  return KIND_OF.get(ending === '' ? key.slice(key.lastIndexOf('/') + 1).toLowerCase() : ending) ?? 'other';
}
