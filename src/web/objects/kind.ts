import { endingOf, kindOfKey, type Kind } from '../../wire/kind.ts';
import { t } from '../words/words.ts';

/** Makes the label of a file from its kind and its upper-case extension: `PNG image`. */
const LABELS: Readonly<Record<Kind, (ending: string) => string>> = {
  image: (ending) => t('{ending} image', { ending }),
  video: (ending) => t('{ending} video', { ending }),
  audio: (ending) => t('{ending} audio', { ending }),
  pdf: (ending) => t('{ending} document', { ending }),
  csv: (ending) => t('{ending} table', { ending }),
  text: file,
  code: file,
  document: (ending) => t('{ending} document', { ending }),
  spreadsheet: (ending) => t('{ending} spreadsheet', { ending }),
  presentation: (ending) => t('{ending} slides', { ending }),
  archive: (ending) => t('{ending} archive', { ending }),
  data: file,
  font: (ending) => t('{ending} font', { ending }),
  other: file,
};

/** The labels of file types that have a better known name than their extension. */
const NAMES: Readonly<Record<string, string>> = {
  txt: t('Text'),
  md: 'Markdown',
  markdown: 'Markdown',
  log: t('Log'),
  json: 'JSON',
  yaml: 'YAML',
  yml: 'YAML',
  xml: 'XML',
  csv: t('CSV table'),
  tsv: t('TSV table'),
  html: t('Web page'),
  htm: t('Web page'),
  css: t('Stylesheet'),
  js: 'JavaScript',
  mjs: 'JavaScript',
  ts: 'TypeScript',
  py: 'Python',
  sh: t('Shell script'),
  sql: 'SQL',
  doc: t('Word document'),
  docx: t('Word document'),
  xls: t('Excel table'),
  xlsx: t('Excel table'),
  ppt: t('PowerPoint slides'),
  pptx: t('PowerPoint slides'),
  exe: t('Program'),
  msi: t('Installer'),
};

/** The options of the kind filter. */
export const KIND_CHOICES: readonly { readonly value: Kind; readonly label: string }[] = [
  { value: 'image', label: t('Images') },
  { value: 'video', label: t('Videos') },
  { value: 'audio', label: t('Audio') },
  { value: 'pdf', label: 'PDF' },
  { value: 'document', label: t('Documents') },
  { value: 'spreadsheet', label: t('Spreadsheets') },
  { value: 'presentation', label: t('Presentations') },
  { value: 'csv', label: t('Tables (CSV)') },
  { value: 'text', label: t('Text and logs') },
  { value: 'code', label: t('Code') },
  { value: 'archive', label: t('Archives') },
  { value: 'data', label: t('Data') },
];

/** The kind of a file by the extension of its key, for the type column, the icon and the preview. */
export function kindOf(key: string): { readonly kind: Kind; /** `PNG image` or `Markdown`. */ readonly label: string } {
  const ending = endingOf(key);
  const kind = kindOfKey(key);
  if (ending !== '') return { kind, label: NAMES[ending] ?? LABELS[kind](ending.toUpperCase()) };
  const name = key.slice(key.lastIndexOf('/') + 1).toLowerCase();
  return { kind, label: kind === 'other' ? t('File') : `${name.charAt(0).toUpperCase()}${name.slice(1)}` };
}

function file(ending: string): string {
  return t('{ending} file', { ending });
}
