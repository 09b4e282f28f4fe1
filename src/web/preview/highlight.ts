import hljs from 'highlight.js/lib/core';
import type { LanguageFn } from 'highlight.js';

type Loader = () => Promise<{ default: LanguageFn }>;

const LANGUAGES: Readonly<Record<string, Loader>> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  go: () => import('highlight.js/lib/languages/go'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  makefile: () => import('highlight.js/lib/languages/makefile'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  php: () => import('highlight.js/lib/languages/php'),
  python: () => import('highlight.js/lib/languages/python'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  scss: () => import('highlight.js/lib/languages/scss'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
};

const BY_ENDING: Readonly<Record<string, string>> = {
  sh: 'bash', bash: 'bash', zsh: 'bash', c: 'c', h: 'c', cpp: 'cpp', hpp: 'cpp', cs: 'csharp', css: 'css', diff: 'diff', patch: 'diff', dockerfile: 'dockerfile',
  go: 'go', ini: 'ini', conf: 'ini', toml: 'ini', java: 'java', js: 'javascript', mjs: 'javascript', cjs: 'javascript', jsx: 'javascript', json: 'json',
  jsonl: 'json', ndjson: 'json', kt: 'kotlin', makefile: 'makefile', md: 'markdown', markdown: 'markdown', php: 'php', py: 'python', rb: 'ruby', rs: 'rust',
  scss: 'scss', sql: 'sql', swift: 'swift', ts: 'typescript', tsx: 'typescript', xml: 'xml', html: 'xml', htm: 'xml', yaml: 'yaml', yml: 'yaml',
};

/** Longer texts would block the page. */
const MOST_CHARACTERS = 200_000;
/** Markdown with longer lines is not highlighted: each bracket is compared with the rest of its line, so a line of 200,000 brackets takes a minute. */
const LONG_LINE = /^.{2000}/m;

/**
 * Highlights source text. @returns HTML with the text escaped, or undefined if the language is unknown or highlighting would take too long.
 *
 * @param ending - the file extension in lower case, such as `ts`, or the whole name, such as `dockerfile`.
 */
export async function highlight(text: string, ending: string): Promise<string | undefined> {
  const language = Object.hasOwn(BY_ENDING, ending) ? BY_ENDING[ending] : undefined;
  const load = language === undefined ? undefined : LANGUAGES[language];
  if (language === undefined || load === undefined || text.length > MOST_CHARACTERS) return undefined;
  if (language === 'markdown' && LONG_LINE.test(text)) return undefined;
  if (!hljs.getLanguage(language)) hljs.registerLanguage(language, (await load()).default);
  return hljs.highlight(text, { language, ignoreIllegals: true }).value;
}
