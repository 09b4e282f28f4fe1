import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writePrivately } from '../../client/private-file.ts';
import { homeFolder } from '../../client/user-folders.ts';
import { shellWord } from '../../tool/quote.ts';
import { CliFailure, EXIT } from '../terminal/cli-failure.ts';
import { ProfileFile } from './profile-file.ts';
import { pairLines } from './s3-key.ts';
import {
  configurationFor,
  hasOurKey,
  nameTaken,
  placeText,
  sectionLines,
  type Setup,
  type ToolPlan,
} from './tool-plan.ts';

/** The remote of rclone. @throws {CliFailure} when the name is taken, or the configuration is encrypted. */
export async function rclonePlan(setup: Setup): Promise<ToolPlan> {
  const { env, profile } = setup;
  const file = await ProfileFile.read(rcloneFile(env));
  if (/^RCLONE_ENCRYPT_V\d+:/m.test(file.text))
    throw new CliFailure(
      EXIT.failed,
      `${file.path} is encrypted, so only rclone can write to it; make a key with \`svc s3 key create\`, then run \`rclone config\``,
      'encrypted',
    );
  const section = file.section(profile);
  if (section !== undefined && !hasOurKey(section, 'access_key_id')) throw nameTaken(profile, file.path);
  return {
    files: [file.path],
    next: `run \`rclone lsf ${shellWord(`${profile}:${placeText(setup)}`)}\``,
    write: (key) => file.write(profile, sectionLines(configurationFor('rclone', setup, key))),
  };
}

/** Where rclone looks, unless a configuration is beside the program. */
function rcloneFile(env: Setup['env']): string {
  const { RCLONE_CONFIG, XDG_CONFIG_HOME, APPDATA } = env;
  if (RCLONE_CONFIG) return RCLONE_CONFIG;
  const home = homeFolder(env);
  const folder = (process.platform === 'win32' && APPDATA) || XDG_CONFIG_HOME || join(home, '.config');
  const [usual, old] = [join(folder, 'rclone', 'rclone.conf'), join(home, '.rclone.conf')];
  return !existsSync(usual) && existsSync(old) ? old : usual;
}

/** The environment of restic, which has no file of settings. */
export function resticPlan(setup: Setup): ToolPlan {
  const { bucket, endpoint } = setup.place;
  const repository = bucket === '' ? `-r s3:${endpoint}/BUCKET/restic ` : '';
  return {
    files: [],
    shown: (key) =>
      configurationFor('restic', setup, key)
        .split('\n')
        .filter((line) => /^export (?!RESTIC_REPOSITORY)/.test(line) || (bucket !== '' && line.startsWith('export '))),
    next: `run \`restic -o s3.bucket-lookup=path ${repository}init\` where these variables are set`,
    write: () => Promise.resolve(),
  };
}

/** The connection profile of Cyberduck and Mountain Duck, which ask for the key and keep it in the keychain. */
export async function cyberduckPlan(setup: Setup): Promise<ToolPlan> {
  const path = resolve(`${setup.profile}.cyberduckprofile`);
  const { text } = await ProfileFile.read(path);
  if (text !== '' && !text.includes('<key>Vendor</key><string>svc-')) throw nameTaken(setup.profile, path);
  return {
    files: [path],
    shown: pairLines,
    next: `open ${shellWord(path)} with Cyberduck, and enter this access key ID and secret access key`,
    write: (key) => writePrivately(path, configurationFor('cyberduck', setup, key)),
  };
}
