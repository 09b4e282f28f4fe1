import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import { didYouMean } from '../../config/read/nearest.ts';
import { AUDIT_COLUMNS, auditRows } from '../../format/audit-csv.ts';
import { auditPlaceOf, CONFIG, FOLDER } from './audit-place.ts';
import { usageFault } from '../terminal/cli-failure.ts';
import type { AuditFiles, AuditLine, AuditQuestion, Edge } from '../terminal/edge.ts';
import { momentOf } from '../argument/moment.ts';
import { report, wantsJson } from '../terminal/report.ts';
import { visible } from '../terminal/text.ts';
import { jsonText } from '../terminal/printing.ts';

type Asked = {
  readonly config: string;
  readonly subject?: string;
  readonly issuer?: string;
  readonly object?: string;
  readonly prefix?: string;
  readonly operation?: string;
  readonly outcome?: string;
  readonly since?: string;
  readonly to?: string;
};

const LOOK_MS = 250;
const OUTCOMES = ['done', 'denied', 'failed', 'partly', 'unknown'];

/** Adds the verbs that read audit lines: `query`, `export` and `tail`. */
export function addAuditQuestions(audit: Command, edge: Edge): void {
  asking(audit.command('query').description('show who did what, latest first'))
    .option('-n, --limit <count>', 'maximum number of lines', '100')
    .addHelpText(
      'after',
      `
A line has to match all filters. A change has the outcome \`unknown\` if the
service ended before the change did.

The first query builds an index beside the segments; later queries update it.
You can delete it at any time.

Examples:
  svc audit query --object main/photos/a.jpg
  svc audit query --subject ada --from 2026-05-04 --to 2026-05-05
  svc audit query --outcome denied --json`,
    )
    .action(
      async (folder: string | undefined, { limit, ...asked }: Asked & { readonly limit: string }, command: Command) => {
        const files = await edge.audit();
        warnOfOperation(asked, files, edge);
        const { lines } = files.latestLines(await pathOf(folder, asked, edge), {
          ...questionOf(asked),
          limit: countOf(limit),
        });
        report(edge, command, { lines }, lines.map(lineText));
        if (lines.length === 0) edge.printError('no line of the audit is about this; names are compared exactly');
      },
    );

  asking(audit.command('export').description('print all matching lines, oldest first'))
    .addOption(new Option('-f, --format <format>', 'JSON lines or CSV').choices(['jsonl', 'csv']).default('jsonl'))
    .addHelpText(
      'after',
      `
Prints the lines as they are in the segments, with the folder of their chain as
\`instance\`, and with each resource also as the text \`resource\`. CSV has one
row for each resource.

Examples:
  svc audit export > audit.jsonl
  svc audit export --from 2026-05-01 --to 2026-06-01 --format csv > may.csv`,
    )
    .action(async (folder: string | undefined, { format, ...asked }: Asked & { readonly format: 'jsonl' | 'csv' }) => {
      const files = await edge.audit();
      warnOfOperation(asked, files, edge);
      const lines = files.matchingLines(await pathOf(folder, asked, edge), questionOf(asked));
      if (format === 'csv') edge.print(AUDIT_COLUMNS.join(','));
      for (const line of lines) {
        const text =
          format === 'csv'
            ? auditRows(line)
                .map((row) => (edge.isTerminal ? visible(row) : row))
                .join('\n')
            : jsonText(line);
        if (!edge.stdout.write(`${text}\n`))
          await once(edge.stdout as NodeJS.WritableStream & NodeJS.EventEmitter, 'drain');
      }
    });

  audit
    .command('tail')
    .description('print lines as they are written')
    .argument(...FOLDER)
    .option(...CONFIG)
    .option('-n, --limit <count>', 'number of earlier lines to print first', '10')
    .addHelpText(
      'after',
      `
Runs until you interrupt it. With --json, each line is printed as
\`svc audit export\` prints it.

Examples:
  svc audit tail
  svc audit tail --json | jq 'select(.outcome == "denied")'`,
    )
    .action(
      async (folder: string | undefined, { limit, ...asked }: Asked & { readonly limit: string }, command: Command) => {
        const files = await edge.audit();
        const path = await pathOf(folder, asked, edge);
        const print = (line: AuditLine): void =>
          edge.print(wantsJson(command) ? jsonText(line) : visible(lineText(line)));
        const following = files.follow(path);
        const earlier = countOf(limit) > 0 ? files.latestLines(path, { limit: countOf(limit) }).lines.toReversed() : [];
        earlier.forEach(print);
        // A line that was written since is among the new ones too.
        const printed = new Set(earlier.map(idOf));
        // Asked only now, so that Ctrl-C also ends the work on the index, during which no signal is heard.
        const stopped = edge.stopAsked(['SIGHUP']).then(() => true as const);
        while ((await Promise.race([stopped, wait(LOOK_MS)])) !== true)
          for (const line of following.next()) if (!printed.delete(idOf(line))) print(line);
      },
    );
}

function asking(command: Command): Command {
  return command
    .argument(...FOLDER)
    .option(...CONFIG)
    .option('-s, --subject <subject>', 'subject claim of the person')
    .option('-i, --issuer <issuer>', 'identity provider of the person')
    .option('-o, --object <path>', 'PROVIDER/BUCKET/KEY, session/ID, apiKey/ID or s3Key/ID')
    .option('--prefix <path>', 'start of the path, such as PROVIDER/BUCKET/ or PROVIDER/BUCKET/FOLDER/')
    .option('--operation <name>', 'such as object/delete')
    .addOption(new Option('--outcome <outcome>', 'outcome of the operation').choices(OUTCOMES))
    .option('--from, --since <time>', 'a day or a time, such as 2026-05-04 or 2026-05-04T08:00Z, or an age: 90d, 12h')
    .option('--to <time>', 'before this time or age');
}

async function pathOf(folder: string | undefined, { config }: Asked, edge: Edge): Promise<string> {
  return folder ?? (await auditPlaceOf(undefined, { config }, edge)).path;
}

/** Without a warning, a mistyped name would look like an operation that nobody performed. */
function warnOfOperation({ operation }: Asked, { operationNames }: AuditFiles, edge: Edge): void {
  if (operation !== undefined && !operationNames.includes(operation))
    edge.printError(`warning: no operation is named \`${operation}\`${didYouMean(operation, operationNames)}`);
}

function questionOf({ object: resource, since, to, config: _config, ...asked }: Asked): AuditQuestion {
  return {
    ...asked,
    resource,
    from: since === undefined ? undefined : momentOf(since),
    to: to === undefined ? undefined : momentOf(to),
  };
}

function countOf(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw usageFault(`--limit: \`${text}\` is no number of lines`);
  return Number(text);
}

/** The same for the same line of an audit. */
function idOf({ instance, seq }: AuditLine): string {
  return `${instance} ${String(seq)}`;
}

function lineText({ time, operation, outcome = 'unknown', subject, resources, why }: AuditLine): string {
  const about = resources.map(
    (one) =>
      `${one.resource}${one.of === undefined || one.of.subject === subject ? '' : ` of ${one.of.subject}`}${one.outcome === undefined || one.outcome === outcome ? '' : ` (${one.outcome})`}`,
  );
  return [
    time,
    outcome,
    operation,
    subject === '' ? '-' : subject,
    ...new Set(about),
    ...(typeof why === 'string' ? [`(${why})`] : []),
  ].join('  ');
}
