import { join } from 'node:path';
import { homeFolder } from '../../client/user-folders.ts';
import { shellWord } from '../../tool/quote.ts';
import { usageFault } from '../terminal/cli-failure.ts';
import { ProfileFile } from './profile-file.ts';
import type { KeyPair } from './s3-connection.ts';
import {
  configurationFor,
  hasOurKey,
  nameTaken,
  placeText,
  sectionLines,
  type Setup,
  type ToolPlan,
} from './tool-plan.ts';

const OUR_PROCESS = /^credential_process[ \t]*=.* s3 credential-process /m;
const NO_KEY = { accessKeyId: '', secretAccessKey: '' };

type AwsFiles = {
  readonly credentials: ProfileFile;
  readonly config: ProfileFile;
  /** The name of the profile in `config`. */
  readonly section: string;
};

/**
 * The profile of the AWS CLI and SDKs, with a key.
 *
 * @throws {CliFailure} when the name is taken.
 */
export async function awsPlan(setup: Setup): Promise<ToolPlan> {
  const { credentials, config, section } = await awsFiles(setup);
  return {
    files: [credentials.path, config.path],
    next: nextOf(setup),
    write: async (key) => {
      const { secret, settings } = linesOf(setup, key);
      await credentials.write(setup.profile, secret);
      await config.write(section, settings);
    },
  };
}

/**
 * The profile of the AWS CLI and SDKs that runs a command for each key.
 *
 * @throws {CliFailure} when the name is taken.
 */
export async function awsProcessPlan(setup: Setup, command: string): Promise<ToolPlan<[]>> {
  const { credentials, config, section } = await awsFiles(setup);
  return {
    files: [config.path],
    next: nextOf(setup),
    write: async () => {
      // A key there would come before the process.
      await credentials.write(setup.profile, undefined);
      await config.write(section, [`credential_process = ${command}`, ...linesOf(setup, NO_KEY).settings]);
    },
  };
}

async function awsFiles({ env, profile }: Setup): Promise<AwsFiles> {
  const fileOf = (variable: string, name: string) =>
    ProfileFile.read((env[variable] || join('~', '.aws', name)).replace(/^~(?=[/\\])/, () => homeFolder(env)));
  const credentials = await fileOf('AWS_SHARED_CREDENTIALS_FILE', 'credentials');
  const config = await fileOf('AWS_CONFIG_FILE', 'config');
  const section = profile === 'default' ? profile : `profile ${profile}`;
  const [secret, settings] = [credentials.section(profile), config.section(section)];
  if (secret !== undefined && !hasOurKey(secret, 'aws_access_key_id')) throw nameTaken(profile, credentials.path);
  if (settings !== undefined && secret === undefined && !OUR_PROCESS.test(settings))
    throw nameTaken(profile, config.path);
  return { credentials, config, section };
}

function linesOf(setup: Setup, key: KeyPair): { readonly secret: string[]; readonly settings: string[] } {
  const lines = sectionLines(configurationFor('aws', setup, key));
  const isSecret = (line: string) => line.startsWith('aws_');
  return { secret: lines.filter(isSecret), settings: lines.filter((line) => !isSecret(line)) };
}

function nextOf(setup: Setup): string {
  const place = placeText(setup);
  return `run \`aws --profile ${setup.profile} s3 ls${place === '' ? '' : ` ${shellWord(`s3://${place}`)}`}\``;
}

/**
 * A command as the AWS CLI splits it, and as the shell does that some SDKs run it with.
 *
 * @throws {CliFailure} usage: an argument has a character that not all of them read in the same way.
 */
export function processLine(words: readonly string[], platform: NodeJS.Platform = process.platform): string {
  const quotable = platform === 'win32' ? /^[\p{L}\p{N}_./:@=+,~()\\ -]+$/u : /^[\p{L}\p{N}_./:@=+,~() -]+$/u;
  return words
    .map((word) => {
      if (/^[\p{L}\p{N}_./:@=+,-]+$/u.test(word)) return word;
      if (quotable.test(word)) return `"${word}"`;
      throw usageFault(`\`${word}\` has characters that \`credential_process\` cannot have; leave out \`--process\``);
    })
    .join(' ');
}
