import type { Command } from 'commander';
import { CliFailure, EXIT, usageFault } from '../terminal/cli-failure.ts';
import type { AuditChain, Edge } from '../terminal/edge.ts';
import { gathered } from '../argument/gathered.ts';
import { addAuditQuestions } from './audit-questions.ts';
import { auditPlaceOf, CONFIG, FOLDER, noLineIn, type AuditPlaceOptions } from './audit-place.ts';
import { report } from '../terminal/report.ts';
import { count } from '../terminal/text.ts';

type VerifyOptions = AuditPlaceOptions & { readonly seen?: readonly string[] };

const KEY = ['-k, --key <key>', 'with a folder: a public key of the signatures; may be repeated', gathered] as const;

export function addAudit(program: Command, edge: Edge): void {
  const audit = program
    .command('audit')
    .configureHelp({ showGlobalOptions: false })
    .description('the audit in files: verify, query, export, tail')
    .addHelpText(
      'after',
      `
Reads the files of \`audit.path\` in a configuration, or a copy of them. The
service does not have to run, but may.

Examples:
  svc audit verify
  svc audit query --object main/photos/a.jpg
  svc audit verify /mnt/audit --key J8jJ0d0gTq0rj3hGmUf7sEJm2bRyGzCnSxGkPq3zY2w`,
    );

  audit
    .command('verify')
    .description('check that no line was changed, moved or removed')
    .argument(...FOLDER)
    .option(...CONFIG)
    .option(...KEY)
    .option('-s, --seen <line>', 'CHAIN:LINE:HASH from the log; may be repeated', gathered)
    .addHelpText(
      'after',
      `
Checks every line of every chain, and all signatures. It needs only the public
key: without a configuration, give it with --key.

The files alone cannot show that the newest lines, or a whole chain, were
removed. The service therefore logs the number and the hash of a line at each
start, at each closed segment, and every five minutes. Give these values with
--seen.

Exit status 0 if the audit is unchanged, 1 if not or if there is no audit.

Examples:
  svc audit verify
  svc audit verify --config /etc/svc/svc.config.yaml --json
  svc audit verify --seen files-1:1841:9c1f0e...`,
    )
    .action(async (folder: string | undefined, { seen = [], ...options }: VerifyOptions, command: Command) => {
      const { path, keys } = await auditPlaceOf(folder, options, edge);
      const { verifyAudit } = await edge.audit();
      const chains = verifyAudit(
        path,
        keys,
        Map.groupBy(seen.map(witnessOf), ({ chain }) => chain),
      );
      const lines = chains.flatMap(({ name, segments, lines: of, last, tip, signed, removed, notes, faults }) => [
        `${name}: ${count(segments, 'segment')}, ${count(of, 'line')}${removed > 0 ? `, without the first ${removed}, which were removed for their age` : ''}`,
        ...(last === 0 ? [] : [`  last line ${last}, signed up to line ${signed}, hash ${tip}`]),
        ...notes.map((note) => `  note: ${note}`),
        ...faultLines(faults),
      ]);
      report(
        edge,
        command,
        { path, keys, chains },
        lines.length === 0
          ? [noLineIn(path)]
          : [
              ...lines,
              `public key: ${keys.join(', ')}`,
              ...otherKeysIn(chains).map(
                (key) =>
                  `if \`${key}\` is the key of a former secret of yours, add it to \`audit.former_keys\` or give it with \`--key\``,
              ),
            ],
      );
      if (chains.length === 0 || chains.some(({ faults }) => faults.length > 0))
        throw new CliFailure(EXIT.failed, '', 'audit_broken');
    });

  addAuditQuestions(audit, edge);
}

/** A fault that several segments in a row have is said once. */
function faultLines(faults: AuditChain['faults']): string[] {
  const spans = new Map<string, { first: number; last: number }[]>();
  for (const { segment, what } of faults) {
    const known = spans.get(what) ?? [];
    const span = known.at(-1);
    if (span?.last === segment - 1) span.last = segment;
    else spans.set(what, [...known, { first: segment, last: segment }]);
  }
  const lines = Array.from(spans, ([what, of]) =>
    of.map(({ first, last }) => ({
      first,
      text: `  FAULT in ${first === last ? `segment ${first}` : `segments ${first} to ${last}`}: ${what}`,
    })),
  ).flat();
  return lines.sort((a, b) => a.first - b.first).map(({ text }) => text);
}

/** The keys of signatures that are not trusted. */
function otherKeysIn(chains: readonly AuditChain[]): string[] {
  return [
    ...new Set(
      chains.flatMap(({ faults }) =>
        faults.flatMap(({ what }) => /was signed with another key, `([^`]*)`$/.exec(what)?.[1] ?? []),
      ),
    ),
  ];
}

function witnessOf(text: string): { readonly chain: string; readonly line: number; readonly hash: string } {
  const [, name = '', line = '', hash = ''] = /^([^:]+):(\d+):([0-9a-f]{64})$/.exec(text) ?? [];
  if (name === '') throw usageFault(`\`${text}\` is not of the form CHAIN:LINE:HASH, with a hash of 64 digits`);
  return { chain: name, line: Number(line), hash };
}
