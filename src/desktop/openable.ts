import { extname } from 'node:path';
import { lookup } from 'mime-types';

/** Documents that are looked at. None of them runs when it is opened: no programs, scripts, shortcuts, installers or disk images, no documents with macros, and no pages of the web, which would run as pages of this computer. */
const DOCUMENTS = new Set(['.pdf', '.txt', '.md', '.csv', '.tsv', '.log', '.json', '.rtf', '.docx', '.xlsx', '.pptx', '.odt', '.ods', '.odp', '.epub']);

/** Whether a file that was downloaded may be opened with the system's program for it. What is not known to be looked at is not. */
export function isOpenable(file: string): boolean {
  const extension = extname(file).toLowerCase();
  const type = lookup(extension) || '';
  return DOCUMENTS.has(extension) || (/^(?:image|audio|video)\//.test(type) && !type.endsWith('+xml'));
}
