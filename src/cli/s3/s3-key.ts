import type { Command } from 'commander';
import type { S3KeyWire } from '../../wire/s3-key.ts';
import { addList, addRevoke, addRotate, recordLines, type KeyKind } from '../account/key-verbs.ts';
import { expiryOf } from '../argument/expiry.ts';
import type { Edge } from '../terminal/edge.ts';
import { report } from '../terminal/report.ts';
import { timeText } from '../terminal/text.ts';
import { keyPairOf, providerOf, s3Connection, type KeyPair } from './s3-connection.ts';
import { S3_SCOPE_HELP, s3ScopeOf, withS3Scope, type S3ScopeOptions } from './s3-scope.ts';

const S3_KEYS: KeyKind<S3KeyWire> = {
  command: 'svc s3 key',
  idMember: 'accessKeyId',
  exampleId: 'SVCABCDEFGHIJ234567X',
  secret: 'secret access key',
  connect: async (edge, command) => (await s3Connection(edge, command)).connection,
  list: async (connection) => (await connection.call('s3Key/list', {})).keys,
  lines: (key) => [`${key.accessKeyId}  ${key.provider}  ${key.description}`, ...recordLines(key)],
  rotate: async (connection, accessKeyId) => {
    const issued = await connection.call('s3Key/rotate', { accessKeyId });
    return { issued, shown: pairLines(keyPairOf(accessKeyId, issued.secretAccessKey)) };
  },
  revoke: (connection, accessKeyId) => connection.call('s3Key/revoke', { accessKeyId }),
};

type CreateOptions = S3ScopeOptions & {
  readonly provider?: string;
  readonly description: string;
  readonly expires?: string;
};

export function addS3Key(s3: Command, edge: Edge): void {
  const key = s3
    .command('key')
    .description('S3 keys: create, list, rotate, revoke')
    .addHelpText(
      'after',
      `
Managing keys requires an interactive session (\`svc login\`).

Examples:
  svc s3 key create --description "nightly backup" --write --prefix backups/db/
  svc s3 key list`,
    );

  withS3Scope(
    key
      .command('create')
      .description('create a key; its secret access key is shown once')
      .option('--provider <name>', 'the provider of the key; default: the only one that you see')
      .requiredOption('--description <text>', 'the purpose of the key'),
  )
    .option(
      '--expires <when>',
      'a duration such as 30d, or a time such as 2030-01-31T12:00:00Z; without it, as late as the service allows',
    )
    .addHelpText(
      'after',
      `
${S3_SCOPE_HELP}

The key is printed to standard output as two variables that S3 tools read,
everything else to standard error.

Examples:
  svc s3 key create --provider main --description laptop --expires 30d
  svc s3 key create --description "nightly backup" --write --prefix backups/db/`,
    )
    .action(async ({ description, expires, ...options }: CreateOptions, command: Command) => {
      const expiresAt = expires === undefined ? null : expiryOf(expires);
      const { connection } = await s3Connection(edge, command);
      const provider = await providerOf(connection, options.provider);
      const scope = s3ScopeOf(provider, options);
      const issued = await connection.call('s3Key/create', {
        provider,
        description,
        expiresAt,
        ...(scope !== undefined && { scope }),
      });
      const { accessKeyId } = issued.key;
      report(edge, command, issued, pairLines(keyPairOf(accessKeyId, issued.secretAccessKey)));
      edge.printError(
        `this is key ${accessKeyId}, which expires ${timeText(issued.key.expiresAt)}; its secret is shown only now`,
      );
    });

  addList(key, edge, S3_KEYS);
  addRotate(key, edge, S3_KEYS);
  addRevoke(key, edge, S3_KEYS);
}

/** A key as the variables that S3 tools read. */
export function pairLines({ accessKeyId, secretAccessKey }: KeyPair): string[] {
  return [`AWS_ACCESS_KEY_ID=${accessKeyId}`, `AWS_SECRET_ACCESS_KEY=${secretAccessKey}`];
}
