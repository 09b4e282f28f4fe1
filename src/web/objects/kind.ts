import { endingOf, kindOfKey, type Kind } from '../../wire/kind.ts';

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

/** Types that people call by another name than their ending. */
const NAMES: Readonly<Record<string, string>> = {
  txt: 'Text', md: 'Markdown', markdown: 'Markdown', log: 'Log', json: 'JSON', yaml: 'YAML', yml: 'YAML', xml: 'XML', csv: 'CSV table', tsv: 'TSV table',
  html: 'Web page', htm: 'Web page', css: 'Stylesheet', js: 'JavaScript', mjs: 'JavaScript', ts: 'TypeScript', py: 'Python', sh: 'Shell script', sql: 'SQL',
  doc: 'Word document', docx: 'Word document', xls: 'Excel table', xlsx: 'Excel table', ppt: 'PowerPoint slides', pptx: 'PowerPoint slides', exe: 'Program', msi: 'Installer',
};

/** Kinds that people look for, in the words of a filter. */
export const KIND_CHOICES: readonly { readonly value: Kind; readonly label: string }[] = [
  { value: 'image', label: 'Images' },
  { value: 'video', label: 'Videos' },
  { value: 'audio', label: 'Audio' },
  { value: 'pdf', label: 'PDF' },
  { value: 'document', label: 'Documents' },
  { value: 'spreadsheet', label: 'Spreadsheets' },
  { value: 'presentation', label: 'Presentations' },
  { value: 'csv', label: 'Tables (CSV)' },
  { value: 'text', label: 'Text and logs' },
  { value: 'code', label: 'Code' },
  { value: 'archive', label: 'Archives' },
  { value: 'data', label: 'Data' },
];

/** What an object is, told by the ending of its key: for the type column, the icon and the choice of preview. */
export function kindOf(key: string): { readonly kind: Kind; /** `PNG image` or `Markdown`, for people. */ readonly label: string } {
  const ending = endingOf(key);
  const kind = kindOfKey(key);
  if (ending !== '') return { kind, label: NAMES[ending] ?? `${ending.toUpperCase()} ${NOUNS[kind]}` };
  const name = key.slice(key.lastIndexOf('/') + 1).toLowerCase();
  return { kind, label: kind === 'other' ? 'File' : `${name.charAt(0).toUpperCase()}${name.slice(1)}` };
}
