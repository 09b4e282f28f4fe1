import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { Argument, type Command } from 'commander';
import type { Connection } from '../../client/connection.ts';
import { expiryOf } from '../argument/expiry.ts';
import { usageFault } from '../terminal/cli-failure.ts';
import type { Edge } from '../terminal/edge.ts';
import { report } from '../terminal/report.ts';
import { timeText } from '../terminal/text.ts';
import { keyPairOf, providerOf, s3Connection, type KeyPair } from './s3-connection.ts';
import { placesOf, S3_SCOPE_HELP, s3ScopeOf, scopeArguments, withS3Scope, type S3ScopeOptions } from './s3-scope.ts';
import { awsPlan, awsProcessPlan, processLine } from './aws-profile.ts';
import { cyberduckPlan, rclonePlan, resticPlan } from './tool-plans.ts';
import { isAccessKeyId, type Setup, type ToolPlan } from './tool-plan.ts';

const NAMES = ['aws', 'rclone', 'restic', 'cyberduck'] as const;
type Tool = (typeof NAMES)[number];

type Options = S3ScopeOptions & {
  readonly profile: string;
  readonly provider?: string;
  readonly description?: string;
  readonly expires?: string;
  readonly key?: string;
  readonly process?: true;
};

const PLANS: Readonly<Record<Exclude<Tool, 'aws'>, (setup: Setup) => ToolPlan | Promise<ToolPlan>>> = {
  rclone: rclonePlan,
  restic: resticPlan,
  cyberduck: cyberduckPlan,
};

export function addConfigure(s3: Command, edge: Edge): void {
  withS3Scope(
    s3
      .command('configure')
      .description('make a key, and write the profile of a tool')
      .addArgument(new Argument('<tool>').choices(NAMES))
      .option('--profile <name>', 'the name of the profile', 'svc')
      .option('--provider <name>', 'the provider of the key; default: the only one that you see'),
  )
    .option('--expires <when>', 'a duration such as 30d, or a time; without it, as late as the service allows')
    .option('--description <text>', 'the purpose of the key; default: the tool and this machine')
    .option('--key <id>', 'use this key; its secret access key is read from standard input')
    .option('--process', 'aws: keep no key, and get one of an hour from `svc s3 credential-process`')
    .addHelpText(
      'after',
      `
${S3_SCOPE_HELP}

  aws        writes to ~/.aws/credentials and ~/.aws/config (SDKs, and AWS CLI
             from 1.29 and 2.13 on)
  rclone     writes a remote to rclone.conf
  restic     prints variables for a shell
  cyberduck  writes NAME.cyberduckprofile to this folder, and prints the key

Only you can read the files that are written. Other profiles in them stay as
they are. A profile that svc wrote is replaced; its old key goes on working
until you revoke it.

Examples:
  svc s3 configure aws --provider main
  svc s3 configure aws --provider main --process
  svc s3 configure rclone --read --prefix photos/2025/ --expires 30d
  eval "$(svc s3 configure restic --prefix backups/laptop)"
  svc s3 configure aws --key SVCABCDEFGHIJ234567X < secret.txt`,
    )
    .action(async (tool: Tool, options: Options, command: Command) => configure(edge, command, tool, options));
}

async function configure(edge: Edge, command: Command, tool: Tool, options: Options): Promise<void> {
  checkOptions(tool, options);
  const given = options.key === undefined ? undefined : await givenKey(edge, options.key);
  const { connection, s3 } = await s3Connection(edge, command);
  const provider = given ? (options.provider ?? options.profile) : await providerOf(connection, options.provider);
  const [place] = placesOf(provider, options);
  const setup = {
    env: edge.env,
    profile: options.profile,
    place: { ...s3, provider, bucket: place?.bucket ?? '', prefix: place?.key ?? '' },
  };
  if (options.process === true) {
    const args = ['--provider', provider, ...scopeArguments(options)];
    const plan = await awsProcessPlan(setup, processOf(edge, command, connection, args));
    await plan.write();
    tell(edge, command, { tool, options, plan });
    return;
  }
  const plan = await (tool === 'aws' ? awsPlan(setup) : PLANS[tool](setup));
  const key = given ?? (await makeKey(edge, connection, { tool, provider, options }));
  try {
    await plan.write(key);
  } catch (error) {
    // Nobody would ever see its secret.
    if (given === undefined)
      await connection.call('s3Key/revoke', { accessKeyId: key.accessKeyId }).catch(() => undefined);
    throw error;
  }
  tell(edge, command, { tool, options, plan, key });
}

function checkOptions(tool: Tool, options: Options): void {
  const { profile, key, process, expires, description, read, write } = options;
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(profile))
    throw usageFault(`\`${profile}\` is no name of a profile; use letters, digits, \`-\`, \`_\` and \`.\``);
  if (process === true && tool !== 'aws') throw usageFault('only the AWS CLI and SDKs run a process: `configure aws`');
  const ofNewKey = expires !== undefined || description !== undefined;
  if (process === true && (key !== undefined || ofNewKey))
    throw usageFault('`--process` makes keys of an hour; leave out `--key`, `--expires` and `--description`');
  if (key !== undefined && (ofNewKey || read === true || write === true))
    throw usageFault(
      '`--read`, `--write`, `--expires` and `--description` are for a new key; leave them out, or `--key`',
    );
}

async function givenKey(edge: Edge, accessKeyId: string): Promise<KeyPair> {
  if (!isAccessKeyId(accessKeyId))
    throw usageFault(`\`${accessKeyId}\` is no access key ID; \`svc s3 key list\` has them`);
  const secretAccessKey = (await edge.input()).trim();
  if (!/^[\w-]{40}$/.test(secretAccessKey))
    throw usageFault('give the secret access key, 40 characters, on standard input');
  return { accessKeyId, secretAccessKey };
}

type NewKey = { readonly tool: Tool; readonly provider: string; readonly options: Options };

async function makeKey(edge: Edge, connection: Connection, { tool, provider, options }: NewKey): Promise<KeyPair> {
  const scope = s3ScopeOf(provider, options);
  const { key, secretAccessKey } = await connection.call('s3Key/create', {
    provider,
    description: options.description ?? `${tool} on ${hostname()}`.slice(0, 200),
    expiresAt: options.expires === undefined ? null : expiryOf(options.expires),
    ...(scope !== undefined && { scope }),
  });
  const pair = keyPairOf(key.accessKeyId, secretAccessKey);
  edge.printError(`made key ${key.accessKeyId} for \`${provider}\`, which expires ${timeText(key.expiresAt)}`);
  return pair;
}

/** The command that a profile runs. It names the server, so that a sign-in elsewhere changes nothing. */
function processOf(edge: Edge, command: Command, { server }: Connection, args: readonly string[]): string {
  const { ca } = command.optsWithGlobals<{ readonly ca?: string }>();
  const authority = ca === undefined ? [] : ['--ca', resolve(ca)];
  return processLine([...edge.command, '--server', server, ...authority, 's3', 'credential-process', ...args]);
}

type Done = {
  readonly tool: Tool;
  readonly options: Options;
  readonly plan: Omit<ToolPlan, 'write'>;
  readonly key?: KeyPair;
};

function tell(edge: Edge, command: Command, { tool, options, plan, key }: Done): void {
  const { files, next } = plan;
  const shown = (key && plan.shown?.(key)) ?? [];
  const result = {
    tool,
    profile: options.profile,
    files,
    accessKeyId: key?.accessKeyId ?? null,
    ...(shown.length > 0 && { secretAccessKey: key?.secretAccessKey, shown }),
    next,
  };
  report(edge, command, result, shown);
  if (files.length > 0) edge.printError(`wrote \`${options.profile}\` to ${files.join(' and ')}`);
  edge.printError(`next: ${next}`);
}
