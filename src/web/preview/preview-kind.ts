import { endingOf } from '../../wire/kind.ts';
import { kindOf } from '../objects/kind.ts';

export type PreviewKind = 'image' | 'svg' | 'video' | 'audio' | 'pdf' | 'csv' | 'text' | 'zip' | 'parquet';

const SHOWN_IMAGES = new Set(['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'bmp', 'ico']);
const SVG = 'image/svg+xml';
const ZIP_ARCHIVES = new Set(['zip', 'jar']);
const TEXT_TYPES = new Set([
  'application/json',
  'application/xml',
  'application/yaml',
  'application/x-yaml',
  'application/javascript',
  'application/toml',
  'application/sql',
  'application/x-sh',
]);

/** The kind of preview for an object, by the extension of its key or by its stored type; undefined if browsers cannot show it. */
export function previewKindOf(key: string, storedType: string): PreviewKind | undefined {
  const { kind } = kindOf(key);
  const ending = endingOf(key);
  // The browser draws what the type says, whatever the name is.
  if (kind === 'image')
    return ending === 'svg' || isSvg(storedType) ? 'svg' : SHOWN_IMAGES.has(ending) ? 'image' : undefined;
  if (kind === 'text' || kind === 'code') return 'text';
  if (kind === 'video' || kind === 'audio' || kind === 'pdf' || kind === 'csv') return kind;
  if (kind === 'archive') return ZIP_ARCHIVES.has(ending) ? 'zip' : undefined;
  if (ending === 'parquet') return 'parquet';
  return kind === 'other' ? kindOfType(storedType) : undefined;
}

function kindOfType(stored: string): PreviewKind | undefined {
  if (isSvg(stored)) return 'svg';
  const type = essenceOf(stored);
  if (type === 'application/pdf') return 'pdf';
  if (type === 'text/csv') return 'csv';
  if (type === 'application/zip') return 'zip';
  if (type.startsWith('image/')) return SHOWN_IMAGES.has(type.slice('image/'.length)) ? 'image' : undefined;
  if (type.startsWith('video/')) return 'video';
  if (type.startsWith('audio/')) return 'audio';
  return type.startsWith('text/') || TEXT_TYPES.has(type) || type.endsWith('+json') || type.endsWith('+xml')
    ? 'text'
    : undefined;
}

/** Whether the browser may take what is stored with a type for SVG. Of a list of types it uses the last one. */
function isSvg(stored: string): boolean {
  return stored.toLowerCase().includes(SVG);
}

/** A media type without its parameters. */
function essenceOf(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase();
}
