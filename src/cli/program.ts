import { Command } from 'commander';
import { addAlias } from './account/alias.ts';
import { addAccess } from './review/access.ts';
import { addAudit } from './audit/audit.ts';
import { addCat } from './objects/cat.ts';
import { addConfig } from './service/config-verb.ts';
import { addCompletion } from './completion/completion.ts';
import { addCp } from './objects/cp.ts';
import { addDiff } from './objects/diff.ts';
import { addDesktop } from './service/desktop.ts';
import { addDoctor } from './service/doctor.ts';
import { addDu } from './objects/du.ts';
import { addEdit } from './objects/edit.ts';
import type { Edge } from './terminal/edge.ts';
import { addFind } from './objects/find.ts';
import { addHead } from './objects/head.ts';
import { addHelp, commandMeant } from './help.ts';
import { addKey } from './account/key.ts';
import { addLogin } from './account/login.ts';
import { addLogout } from './account/logout.ts';
import { addLs } from './objects/ls.ts';
import { addMb } from './objects/mb.ts';
import { addMv } from './objects/mv.ts';
import { addPolicy } from './policy/policy.ts';
import { addPresign } from './objects/presign.ts';
import { addProviders } from './objects/providers.ts';
import { addRb } from './objects/rb.ts';
import { addRestore } from './objects/restore.ts';
import { addRm } from './objects/rm.ts';
import { addUnarchive } from './objects/unarchive.ts';
import { addUndelete } from './objects/undelete.ts';
import { addVersions } from './objects/versions.ts';
import { addStat } from './objects/stat.ts';
import { addState } from './service/state.ts';
import { addS3 } from './s3/s3.ts';
import { addServe } from './service/serve-verb.ts';
import { addSync } from './objects/sync.ts';
import { addTree } from './objects/tree.ts';
import { visible } from './terminal/text.ts';
import { trustAuthorities } from '../client/trusted-authority.ts';
import { addTags } from './objects/tags.ts';
import { addUploads } from './objects/uploads.ts';
import { addWhoami } from './account/whoami.ts';

const VERBS = [
  addLogin,
  addLogout,
  addWhoami,
  addAlias,
  addProviders,
  addLs,
  addTree,
  addFind,
  addDu,
  addStat,
  addCat,
  addHead,
  addEdit,
  addCp,
  addSync,
  addDiff,
  addUploads,
  addMv,
  addRm,
  addTags,
  addVersions,
  addUndelete,
  addRestore,
  addUnarchive,
  addMb,
  addRb,
  addPresign,
  addKey,
  addS3,
  addCompletion,
  addHelp,
  addDesktop,
  addServe,
  addDoctor,
  addConfig,
  addState,
  addAudit,
  addPolicy,
  addAccess,
];

/** The command line: verbs, options and help. */
export function createProgram(edge: Edge): Command {
  /** Prints Commander's messages about a wrong command line. With --json, these errors are reported like any other. */
  const writeErr = (text: string): void => {
    if (program.opts<{ json?: true }>().json !== true)
      for (const line of text.replace(/\n$/, '').split('\n')) edge.printError(line);
  };
  /** An argument in the message begins no line; the suggestion after it does. */
  const outputErrorOf = (holder: Command) => (text: string) => {
    const [, message = '', similar = ''] = /^(.*?)(\n\(Did you mean [^\n]+\?\))?\n$/s.exec(text) ?? [];
    const meant = commandMeant(holder, /^error: unknown command '(.*)'$/s.exec(message)?.[1] ?? '');
    writeErr(visible(message) + (meant === undefined ? similar : `\n(Did you mean ${meant}?)`));
  };
  // Options that the verbs inherit have to be set before the verbs are added.
  const program: Command = new Command('svc')
    .description('Browse and manage S3-compatible object storage through svc, or run the service.')
    .version(edge.version, '-V, --version', 'print the version')
    .option(
      '--server <url>',
      'the address of the service, or its name of `svc alias` (SVC_SERVER); default: where you last signed in',
    )
    .option(
      '--credential <credential>',
      'an API key or session credential (SVC_CREDENTIAL is safer, because others can see a command line); default: the session of `svc login`',
    )
    .option(
      '--ca <file>',
      "PEM file with further certificate authorities to trust, such as your company's (SVC_CA_FILE)",
    )
    .option('--json', 'print one JSON document, for scripts')
    .exitOverride()
    .showHelpAfterError('(see `--help`)')
    .showSuggestionAfterError(true)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => void edge.stdout.write(text), writeErr })
    .addHelpText(
      'after',
      `
Remote paths are PROVIDER/BUCKET/KEY. In commands that also take local paths
(svc cp), they begin with \`svc:\`.

Exit status: 0 done, 1 failed, 2 wrong usage or configuration, 3 not allowed, 4
not signed in.

Examples:
  svc login --server https://files.example.com
  svc ls -l main/photos
  svc cp -r ./album svc:main/photos/album
  svc cp --help`,
    );
  program.hook('preAction', () => {
    const file = program.opts<{ ca?: string }>().ca ?? edge.env['SVC_CA_FILE'];
    if (file !== undefined && file !== '') trustAuthorities(file);
  });
  for (const add of VERBS) add(program, edge);
  const suggest = (holder: Command): void => {
    holder.configureOutput({ outputError: outputErrorOf(holder) });
    holder.commands.forEach(suggest);
  };
  suggest(program);
  return program;
}
