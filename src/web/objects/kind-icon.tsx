import {
  IconBraces,
  IconDatabase,
  IconFile,
  IconFileSpreadsheet,
  IconFileText,
  IconFileTypePdf,
  IconFileTypeSvg,
  IconFileZip,
  IconFolderFilled,
  IconLetterCase,
  IconMovie,
  IconMusic,
  IconPhoto,
  IconPresentation,
  IconTable,
} from '@tabler/icons-react';
import type { Entry } from './entry.ts';
import { endingOf, type Kind } from '../../wire/kind.ts';
import { kindOf } from './kind.ts';
import classes from './kind-icon.module.css';

const ICONS: Record<Kind, typeof IconFile> = {
  image: IconPhoto,
  video: IconMovie,
  audio: IconMusic,
  pdf: IconFileTypePdf,
  csv: IconTable,
  text: IconFileText,
  code: IconBraces,
  document: IconFileText,
  spreadsheet: IconFileSpreadsheet,
  presentation: IconPresentation,
  archive: IconFileZip,
  data: IconDatabase,
  font: IconLetterCase,
  other: IconFile,
};

export function EntryIcon({ entry, size = 20 }: { entry: Pick<Entry, 'kind' | 'key'>; size?: number }) {
  if (entry.kind === 'folder') return <IconFolderFilled size={size} className={classes.folder} aria-hidden />;
  const { kind } = kindOf(entry.key);
  // An SVG has no thumbnail, because it may hold scripts and references to other places.
  const Picture = endingOf(entry.key) === 'svg' ? IconFileTypeSvg : ICONS[kind];
  return <Picture size={size} stroke={1.6} className={classes.file} data-kind={kind} aria-hidden />;
}
