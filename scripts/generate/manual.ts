import { helpOfAll, type Help } from './help.ts';

/** A manual page: its file in section 1, such as `svc-key-create.1`, and its text for `man`. */
export type ManualPage = { readonly file: string; readonly text: string };

/** The manual pages of `svc` and of each command, made from their help. */
export function manualPages(version: string): ManualPage[] {
  return helpOfAll().map((help) => manualPage(help, version));
}

function manualPage({ name, usage, summary, terms, commands, notes, examples }: Help, version: string): ManualPage {
  const title = name.replaceAll(' ', '-');
  const section = (heading: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`.SH ${heading}`, ...lines];
  const listed = (all: Help['terms']) =>
    all.flatMap(({ term, meaning }) => ['.TP', `\\fB${escaped(term)}\\fR`, lineOf(meaning)]);
  const text = [
    `.TH ${title.toUpperCase()} 1 "" "svc ${version}"`,
    // Words are neither hyphenated nor spread, because many of them are names.
    '.nh',
    '.ad l',
    ...section('NAME', [`${escaped(title)} \\- ${escaped(summary)}`]),
    ...section('SYNOPSIS', [`\\fB${escaped(usage)}\\fR`]),
    ...section('OPTIONS', listed(terms)),
    ...section('COMMANDS', listed(commands)),
    ...section('DESCRIPTION', notes.flatMap(paragraph)),
    ...section('EXAMPLES', examples.length === 0 ? [] : literal(examples)),
    ...section('SEE ALSO', [name === 'svc' ? '\\fBman svc\\-\\fICOMMAND\\fR' : '\\fBsvc\\fR(1)']),
  ];
  return { file: `${title}.1`, text: `${text.join('\n')}\n` };
}

/** A paragraph that flows; a table, whose lines begin with spaces, as it is. */
function paragraph(text: string): string[] {
  const lines = text.split('\n');
  return lines.some((line) => line.startsWith('  ')) ? literal(lines) : ['.PP', ...lines.map(lineOf)];
}

function literal(lines: readonly string[]): string[] {
  return ['.PP', '.nf', ...lines.map(lineOf), '.fi'];
}

/** A line of text. `man` takes one that begins with a dot or a quote for a request. */
function lineOf(text: string): string {
  return escaped(text).replace(/^(?=[.'])/, '\\&');
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\e').replaceAll('-', '\\-');
}
