const BY_ENDING: Readonly<Record<string, string>> = {
  sh: 'bash',
  bash: 'bash',
  zsh: 'bash',
  c: 'c',
  h: 'c',
  cpp: 'cpp',
  hpp: 'cpp',
  cs: 'csharp',
  css: 'css',
  diff: 'diff',
  patch: 'diff',
  dockerfile: 'dockerfile',
  go: 'go',
  ini: 'ini',
  conf: 'ini',
  toml: 'ini',
  java: 'java',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  json: 'json',
  jsonl: 'json',
  ndjson: 'json',
  kt: 'kotlin',
  makefile: 'makefile',
  md: 'markdown',
  markdown: 'markdown',
  php: 'php',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  scss: 'scss',
  sql: 'sql',
  swift: 'swift',
  ts: 'typescript',
  tsx: 'typescript',
  xml: 'xml',
  html: 'xml',
  htm: 'xml',
  yaml: 'yaml',
  yml: 'yaml',
};

/** Longer texts are not highlighted. */
const MOST_CHARACTERS = 200_000;

/** The language of a file that can be highlighted; undefined for other files. @param ending - the file extension in lower case, such as `ts`, or the whole name, such as `dockerfile`. */
export function languageOf(text: string, ending: string): string | undefined {
  return Object.hasOwn(BY_ENDING, ending) && text.length <= MOST_CHARACTERS ? BY_ENDING[ending] : undefined;
}
