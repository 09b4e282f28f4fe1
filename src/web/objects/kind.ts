/** What an object is, told by the ending of its key: for the type column, the icon and the choice of preview. */
export type Kind = 'image' | 'video' | 'audio' | 'pdf' | 'csv' | 'text' | 'code' | 'document' | 'spreadsheet' | 'presentation' | 'archive' | 'data' | 'font' | 'other';

const ENDINGS: Record<Exclude<Kind, 'other'>, string> = {
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
};

const NOUNS: Record<Kind, string> = {
  image: 'image',
  video: 'video',
  audio: 'audio',
  pdf: 'document',
  csv: 'table',
  text: 'file',
  code: 'file',
  document: 'document',
  spreadsheet: 'spreadsheet',
  presentation: 'slides',
  archive: 'archive',
  data: 'file',
  font: 'font',
  other: 'file',
};

const KINDS = new Map<string, Kind>(Object.entries(ENDINGS).flatMap(([kind, endings]) => endings.split(' ').map((ending) => [ending, kind as Kind] as const)));
const LONGEST_ENDING = 10;

/** The ending of a key, in lower case, without the dot; empty when there is none. */
export function endingOf(key: string): string {
  const name = key.slice(key.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const ending = dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
  return ending.length <= LONGEST_ENDING && /^[a-z0-9]+$/.test(ending) ? ending : '';
}

export function kindOf(key: string): { readonly kind: Kind; /** `PNG image`, for people. */ readonly label: string } {
  const ending = endingOf(key);
  const name = key.slice(key.lastIndexOf('/') + 1).toLowerCase();
  const kind = KINDS.get(ending === '' ? name : ending) ?? 'other';
  if (ending === '') return { kind, label: kind === 'other' ? 'File' : `${name.charAt(0).toUpperCase()}${name.slice(1)}` };
  return { kind, label: `${ending.toUpperCase()} ${NOUNS[kind]}` };
}
