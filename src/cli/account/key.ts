import type { Command } from 'commander';
import { didYouMean } from '../../config/read/nearest.ts';
import type { ApiKeyScopeWire, ApiKeyWire } from '../../wire/api-key.ts';
import { CliFailure, EXIT } from '../terminal/cli-failure.ts';
import { connect } from '../argument/connect.ts';
import type { Connection } from '../../client/connection.ts';
import { gathered } from '../argument/gathered.ts';
import { expiryOf } from '../argument/expiry.ts';
import type { Edge } from '../terminal/edge.ts';
import { addList, addRevoke, addRotate, recordLines, type KeyKind } from './key-verbs.ts';
import { report } from '../terminal/report.ts';
import { SCOPE_HELP, scopeOf, type ScopeOptions } from '../argument/scope-option.ts';
import { timeText } from '../terminal/text.ts';

const API_KEYS: KeyKind<ApiKeyWire> = {
  command: 'svc key',
  idMember: 'id',
  exampleId: '5f3a9c',
  secret: 'credential',
  connect: keyConnection,
  list: async (connection) => (await connection.call('apiKey/list', {})).keys,
  lines: keyLines,
  rotate: async (connection, id) => {
    const issued = await connection.call('apiKey/rotate', { id });
    return { issued, shown: [issued.credential] };
  },
  revoke: (connection, id) => connection.call('apiKey/revoke', { id }),
};

export function addKey(program: Command, edge: Edge): void {
  const key = program
    .command('key')
    .description('API keys for scripts: create, list, rotate, replace-scope, revoke')
    .addHelpText(
      'after',
      `
Managing keys requires an interactive session (\`svc login\`); a key cannot manage
keys.

Examples:
  svc key create "nightly backup" --allow objects:read=main/photos --expires 90d
  svc key list`,
    );

  withScope(key.command('create'))
    .description('create a key; its credential is shown once')
    .argument('<description>', 'the purpose of the key')
    .option('--expires <when>', 'a duration such as 90d, or a time such as 2030-01-31T12:00:00Z; without it, never')
    .addHelpText(
      'after',
      `
${SCOPE_HELP}

The credential is printed to standard output, everything else to standard error.

Examples:
  svc key create "nightly backup" --allow objects:read=main/photos --expires 90d
  SVC_CREDENTIAL=$(svc key create ci --allow objects:write=main/builds/nightly/)`,
    )
    .action(
      async (description: string, { expires, ...scope }: ScopeOptions & { expires?: string }, command: Command) => {
        const params = {
          description,
          scope: await scopeOf(scope),
          expiresAt: expires === undefined ? null : expiryOf(expires),
        };
        const connection = await keyConnection(edge, command);
        const issued = await connection.call('apiKey/create', params);
        report(edge, command, issued, [issued.credential]);
        const { id, expiresAt } = issued.key;
        edge.printError(
          `this is the credential of key ${id}, which ${expiresAt === null ? 'never expires' : `expires ${timeText(expiresAt)}`}; it is shown only now`,
        );
        await warnOfUnseenProviders(edge, connection, params.scope);
      },
    );

  addList(key, edge, API_KEYS);
  addRotate(key, edge, API_KEYS);

  withScope(key.command('replace-scope'))
    .description('replace what a key may do; its credential stays')
    .argument('<id>', 'as `svc key list` shows it')
    .addHelpText(
      'after',
      `
${SCOPE_HELP}

Examples:
  svc key replace-scope 5f3a9c --allow objects:read=main/photos/2026/`,
    )
    .action(async (id: string, options: ScopeOptions, command: Command) => {
      const scope = await scopeOf(options);
      const connection = await keyConnection(edge, command);
      const { key: changed } = await connection.call('apiKey/replaceScope', { id, scope });
      report(edge, command, changed, keyLines(changed));
      await warnOfUnseenProviders(edge, connection, scope);
    });

  addRevoke(key, edge, API_KEYS);
}

function withScope(command: Command): Command {
  return command
    .option('--allow <actions=place>', 'what the key may do; may be repeated', gathered)
    .option('--scope <file>', 'the whole scope as JSON');
}

/** @throws {CliFailure} when the service has no API keys. */
async function keyConnection(edge: Edge, command: Command): Promise<Connection> {
  const connection = await connect(edge, command);
  const { capabilities } = await connection.call('initialize', {});
  if (!capabilities.apiKeys)
    throw new CliFailure(
      EXIT.failed,
      `${connection.server} keeps no API keys; whoever runs it can turn them on with \`auth.api_keys\``,
      'no_api_keys',
    );
  return connection;
}

/** Warns about providers that the user cannot see. The service accepts any name, because a refusal would reveal which providers exist. */
async function warnOfUnseenProviders(edge: Edge, connection: Connection, { rules }: ApiKeyScopeWire): Promise<void> {
  const named = new Set(
    rules.flatMap(({ resources }) =>
      resources.flatMap((resource) => (resource.type === 'all' ? [] : [resource.provider])),
    ),
  );
  const { providers } = await connection.call('provider/list', {});
  const seen = providers.map(({ name }) => name);
  for (const name of named)
    if (!seen.includes(name))
      edge.printError(`warning: there is no provider \`${name}\` that you may see${didYouMean(name, seen)}`);
}

function keyLines(key: ApiKeyWire): string[] {
  return [`${key.id}  ${key.description}`, ...recordLines(key)];
}
