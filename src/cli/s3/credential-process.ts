import { hostname } from 'node:os';
import type { Command } from 'commander';
import type { Connection } from '../../client/connection.ts';
import { ShortLivedKeys, type KeyWish, type ShortLivedKey } from '../../client/short-lived-keys.ts';
import { connect } from '../argument/connect.ts';
import { CliFailure, EXIT } from '../terminal/cli-failure.ts';
import type { Edge } from '../terminal/edge.ts';
import { keyPairOf, s3Connection } from './s3-connection.ts';
import { S3_SCOPE_HELP, s3ScopeOf, withS3Scope, type S3ScopeOptions } from './s3-scope.ts';

const LIFETIME_MS = 3_600_000;

type Options = S3ScopeOptions & { readonly provider: string };

export function addCredentialProcess(s3: Command, edge: Edge): void {
  withS3Scope(
    s3
      .command('credential-process')
      .description('print a key of one hour as the AWS CLI and SDKs read it')
      .requiredOption('--provider <name>', 'the provider of the key'),
  )
    .addHelpText(
      'after',
      `
${S3_SCOPE_HELP}

Makes a key that expires in one hour with the session of \`svc login\`, so that no
lasting secret is on this machine. The key is kept where the session is, and
printed again until five minutes before its end. \`svc logout\` revokes it.

\`svc s3 configure aws --process\` writes a profile that uses this command.

Examples:
  svc s3 credential-process --provider main
  svc s3 credential-process --provider main --read --prefix photos/2025/`,
    )
    .action(async (options: Options, command: Command) => {
      const { provider } = options;
      const wish = { provider, scope: s3ScopeOf(provider, options) };
      const keys = new ShortLivedKeys(edge.env, await connect(edge, command));
      const key = await keys.obtain(wish, async () => makeKey((await s3Connection(edge, command)).connection, wish));
      edge.print(
        JSON.stringify({
          Version: 1,
          AccessKeyId: key.accessKeyId,
          SecretAccessKey: key.secretAccessKey,
          Expiration: key.expiresAt,
        }),
      );
    });
}

async function makeKey(connection: Connection, { provider, scope }: KeyWish): Promise<ShortLivedKey> {
  const { key, secretAccessKey } = await connection.call('s3Key/create', {
    provider,
    description: `svc s3 credential-process on ${hostname()}`.slice(0, 200),
    expiresAt: new Date(Date.now() + LIFETIME_MS).toISOString(),
    ...(scope !== undefined && { scope }),
  });
  const { expiresAt } = key;
  if (expiresAt === null || !/^[\dTZ:.+-]{1,64}$/.test(expiresAt))
    throw new CliFailure(EXIT.failed, 'the service made a key that never expires');
  return { ...keyPairOf(key.accessKeyId, secretAccessKey), expiresAt };
}
