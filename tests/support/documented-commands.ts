import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const CHECKOUT = join(import.meta.dirname, '../..');

/** The commands of a page, a line each, in the blocks of the shell beneath a heading, or of the whole page. */
export function commandsIn(page: string, heading?: string): string[] {
  return blocksIn(page, 'sh', heading).flatMap((block) => block.split('\n'));
}

/** The blocks of a page in a language, beneath a heading, or of the whole page. */
export function blocksIn(page: string, language: string, heading?: string): string[] {
  const text = readFileSync(join(CHECKOUT, page), 'utf8');
  const sections = text.split(/^## /m).filter((section) => heading === undefined || section.startsWith(`${heading}\n`));
  if (sections.length === 0) throw new Error(`${page} has no heading \`${heading}\``);
  const pattern = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm');
  return sections.flatMap((section) => Array.from(section.matchAll(pattern), ([, block = '']) => block.trim()));
}
