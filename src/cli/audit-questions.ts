import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import { csvCells } from './csv.ts';
import { auditPlaceOf, CONFIG, FOLDER } from './audit-place.ts';
import { wantsJson } from './connect.ts';
import { usageFault } from './cli-failure.ts';
import type { AuditLine, AuditQuestion, Edge } from './edge.ts';
import { momentOf } from './moment.ts';
import { report, shown } from './report.ts';

type Asked = { readonly config: string; readonly subject?: string; readonly issuer?: string; readonly object?: string; readonly prefix?: string; readonly operation?: string; readonly outcome?: string; readonly since?: string; readonly to?: string };

const LOOK_MS = 250;
const OUTCOMES = ['done', 'denied', 'failed', 'partly', 'unknown'];

/** Adds the verbs that read lines: `query`, `export` and `tail`. */
export function addAuditQuestions(audit: Command, edge: Edge): void {
  asking(audit.command('query').description('who did what, the latest first'))
    .option('-n, --limit <count>', 'how many lines at most', '100')
    .addHelpText(
      'after',
      `
Every filter that is given has to hold. A change whose end nobody knows, because
the service ended in between, has the outcome \`unknown\`.

The first question makes an index beside the segments, later ones take in what
is new. It can be deleted at any time.

Examples:
  svc audit query --object main/photos/a.jpg
  svc audit query --subject ada --from 2026-05-04 --to 2026-05-05
  svc audit query --outcome denied --json`,
    )
    .action(async (folder: string | undefined, { limit, ...asked }: Asked & { readonly limit: string }, command: Command) => {
      const { lines } = (await edge.audit()).latestLines(await pathOf(folder, asked, edge), { ...questionOf(asked), limit: countOf(limit) });
      report(edge, command, { lines }, lines.map(lineText));
      if (lines.length === 0) edge.printError('no line of the audit is about this; names are compared exactly');
    });

  asking(audit.command('export').description('every line that is asked for, the oldest first'))
    .addOption(new Option('-f, --format <format>', 'JSON lines, or a table').choices(['jsonl', 'csv']).default('jsonl'))
    .addHelpText(
      'after',
      `
Lines are read from the segments and printed as they stand there, with the
folder of their chain as \`instance\`; as CSV with a row for each resource.

Examples:
  svc audit export > audit.jsonl
  svc audit export --from 2026-05-01 --to 2026-06-01 --format csv > may.csv`,
    )
    .action(async (folder: string | undefined, { format, ...asked }: Asked & { readonly format: 'jsonl' | 'csv' }) => {
      const lines = (await edge.audit()).linesAskedFor(await pathOf(folder, asked, edge), questionOf(asked));
      if (format === 'csv') edge.print(COLUMNS.join(','));
      for (const line of lines) {
        const text = format === 'csv' ? rowsOf(line).map((row) => shown(edge, row)).join('\n') : JSON.stringify(line);
        if (!edge.stdout.write(`${text}\n`)) await once(edge.stdout as NodeJS.WritableStream & NodeJS.EventEmitter, 'drain');
      }
    });

  audit
    .command('tail')
    .description('print lines as they are written')
    .argument(...FOLDER)
    .option(...CONFIG)
    .option('-n, --limit <count>', 'how many lines of before to print first', '10')
    .addHelpText(
      'after',
      `
Goes on until it is interrupted. With --json each line is printed as it is.

Examples:
  svc audit tail
  svc audit tail --json | jq 'select(.outcome == "denied")'`,
    )
    .action(async (folder: string | undefined, { limit, ...asked }: Asked & { readonly limit: string }, command: Command) => {
      const files = await edge.audit();
      const path = await pathOf(folder, asked, edge);
      const print = (line: AuditLine): void => edge.print(wantsJson(command) ? JSON.stringify(line) : shown(edge, lineText(line)));
      const following = files.follow(path);
      const stopped = edge.stopAsked(['SIGHUP']).then(() => true as const);
      if (countOf(limit) > 0) files.latestLines(path, { limit: countOf(limit) }).lines.toReversed().forEach(print);
      while ((await Promise.race([stopped, wait(LOOK_MS)])) !== true) following.next().forEach(print);
    });
}

function asking(command: Command): Command {
  return command
    .argument(...FOLDER)
    .option(...CONFIG)
    .option('-s, --subject <subject>', 'the subject claim of who asked')
    .option('-i, --issuer <issuer>', 'their identity provider')
    .option('-o, --object <path>', 'PROVIDER/BUCKET/KEY, session/ID or apiKey/ID')
    .option('--prefix <path>', 'what the path begins with, such as PROVIDER/BUCKET/ or PROVIDER/BUCKET/FOLDER/')
    .option('--operation <name>', 'such as object/delete')
    .addOption(new Option('--outcome <outcome>', 'how it ended').choices(OUTCOMES))
    .option('--from, --since <time>', 'a day or a time, such as 2026-05-04 or 2026-05-04T08:00Z, or how long ago: 90d, 12h')
    .option('--to <time>', 'before this time, or this long ago');
}

async function pathOf(folder: string | undefined, { config }: Asked, edge: Edge): Promise<string> {
  return folder ?? (await auditPlaceOf(undefined, { config }, edge)).path;
}

function questionOf({ object: resource, since, to, config: _config, ...asked }: Asked): AuditQuestion {
  return { ...asked, resource, from: since === undefined ? undefined : momentOf(since), to: to === undefined ? undefined : momentOf(to) };
}

function countOf(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw usageFault(`--limit: \`${text}\` is no number of lines`);
  return Number(text);
}

function lineText({ time, operation, outcome = 'unknown', subject, resources, why }: AuditLine): string {
  const about = resources.map((one) => (one.outcome === undefined || one.outcome === outcome ? one.resource : `${one.resource} (${one.outcome})`));
  return [time, outcome, operation, subject === '' ? '-' : subject, ...new Set(about), ...(typeof why === 'string' ? [`(${why})`] : [])].join('  ');
}

const COLUMNS = ['instance', 'seq', 'time', 'kind', 'operation', 'outcome', 'why', 'issuer', 'subject', 'name', 'via', 'credentialId', 'address', 'face', 'requestId', 'bytes', 'durationMs', 'resource', 'action', 'resourceOutcome', 'rule'] as const;

function rowsOf(line: AuditLine): string[] {
  const resources: readonly Readonly<Record<string, unknown>>[] = line.resources.length === 0 ? [{}] : line.resources;
  return resources.map((one) => csvCells(COLUMNS.map((column) => text(column === 'resourceOutcome' ? one['outcome'] : (line[column] ?? one[column])))));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
