import { readdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { WrittenPolicy } from '../../policy/model/rule.ts';
import { checkTeamFile } from './check.ts';
import { Faults, type Warn } from './fault.ts';
import { didYouMean } from './nearest.ts';
import type { Config, PolicyDocument } from '../schema/schema.ts';
import { SecretValues } from './secret-values.ts';
import { substitute } from './substitute.ts';
import { readRegularFile, unreadable } from './regular-file.ts';
import { readYaml } from './yaml.ts';

/** A file of `policies_dir`, with its faults and warnings. */
export type TeamFile = {
  /** The path with its folder, as messages name it. */
  readonly file: string;
  readonly owner: string;
  readonly documents: readonly PolicyDocument[];
  /** The buckets that its rules may name; undefined when it may name everything. */
  readonly buckets: ReadonlySet<string> | undefined;
  readonly faults: Faults;
  readonly warn: Warn;
  readonly warnings: readonly { readonly path: string; readonly message: string }[];
  readonly lineOf: (path: string) => number | undefined;
};

const MAX_FILES = 1000;
const MAX_BYTES = 8 * 1024 * 1024;
/** The size limit keeps a team from delaying a reload for long. */
const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Reads the files of `policies_dir`, ordered by name. A problem with the folder is a fault of the configuration; a problem with a file is a fault of that file.
 */
export function readTeamFiles(
  { policies_dir: folder, team_files: reach }: Config,
  {
    directory,
    instead,
    faults,
    warn,
  }: {
    readonly directory: string;
    readonly instead?: ReadonlyMap<string, string> | undefined;
    readonly faults: Faults;
    readonly warn: Warn;
  },
): TeamFile[] {
  if (folder === undefined) {
    if (reach !== undefined) faults.add('team_files', 'is about the files of `policies_dir`, which is missing');
    return [];
  }
  const path = isAbsolute(folder) ? folder : join(directory, folder);
  const names = namesIn(path, faults, warn);
  if (names === undefined) return [];
  for (const name of Object.keys(reach ?? {}))
    if (!names.includes(name))
      faults.add(
        `team_files.${name}`,
        `there is no file \`${name}\` in \`policies_dir\`${didYouMean(name, names.slice(0, 100))}`,
      );
  let left = MAX_BYTES;
  return names.map((name) => {
    const file = join(path, name);
    const source = instead?.get(file) ?? readTeamFile(file, left);
    left -= typeof source === 'string' ? Buffer.byteLength(source) : 0;
    const team = teamFile(file, source);
    const buckets = reach === undefined || !Object.hasOwn(reach, name) ? undefined : reach[name]!.buckets;
    if (reach !== undefined && buckets === undefined)
      team.faults.add('', `\`team_files\` has no entry \`${name}\` with the buckets that the file may name`);
    return { ...team, buckets: buckets === undefined ? undefined : new Set(buckets) };
  });
}

/** Checks that the rules of a team only name the team's buckets, whatever form they are written in. */
export function checkReach({ rules }: WrittenPolicy, path: string, { buckets, faults }: TeamFile): void {
  if (buckets === undefined) return;
  const own = [...buckets]
    .slice(0, 5)
    .map((bucket) => `\`${bucket}\``)
    .join(', ');
  for (const [i, { resources }] of rules.entries()) {
    for (const [j, selector] of resources.entries()) {
      const bucket = 'bucket' in selector ? `${selector.provider}/${selector.bucket}` : undefined;
      if (bucket !== undefined && buckets.has(bucket)) continue;
      faults.add(
        `${path}.rules.${i}.resources.${j}`,
        `${bucket === undefined ? `\`type: ${selector.type}\`` : `\`${bucket}\``} is not allowed in this file: \`team_files\` allows ${own === '' ? 'nothing' : `only ${own}`}${buckets.size > 5 ? ' and others' : ''}`,
      );
    }
  }
}

/** Undefined when the folder cannot be read, which is a fault. */
function namesIn(path: string, faults: Faults, warn: Warn): string[] | undefined {
  let entries;
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    faults.addOutside(
      'policies_dir',
      code === 'ENOENT'
        ? `there is no folder \`${path}\``
        : code === 'ENOTDIR'
          ? `\`${path}\` is a file, and has to be a folder`
          : `the folder \`${path}\` cannot be read: ${code}`,
    );
    return undefined;
  }
  const visibleEntries = entries.filter(({ name }) => !name.startsWith('.'));
  const isRead = (entry: (typeof visibleEntries)[number]) => /\.ya?ml$/.test(entry.name) && !entry.isDirectory();
  const others = visibleEntries
    .filter((entry) => !isRead(entry))
    .map((entry) => `\`${entry.name}\`${entry.isDirectory() ? ' (a folder)' : ''}`);
  if (others.length > 0)
    warn(
      'policies_dir',
      `${others.slice(0, 5).join(', ')}${others.length > 5 ? ` and ${others.length - 5} more` : ''}: not read, because only files in the folder itself that end with \`.yaml\` or \`.yml\` are`,
    );
  if (visibleEntries.some(({ name }) => /\p{Cc}/u.test(name)))
    faults.add('policies_dir', `a name in \`${path}\` has control characters`);
  const names = visibleEntries
    .filter(isRead)
    .map(({ name }) => name)
    .sort();
  if (names.length > MAX_FILES)
    faults.add('policies_dir', `there are ${names.length} files in \`${path}\`, and ${MAX_FILES} are the most`);
  return names.slice(0, MAX_FILES);
}

const REFUSED =
  'takes nothing from outside, because the file belongs to a team: write the value out, and `$$` for a plain `$`';

function teamFile(file: string, source: string | { readonly message: string }): Omit<TeamFile, 'buckets'> {
  const faults = new Faults();
  const warnings: { path: string; message: string }[] = [];
  const draft = {
    file,
    owner: '',
    documents: [],
    faults,
    warnings,
    warn: (path: string, message: string) => void warnings.push({ path, message }),
    lineOf: () => undefined,
  };
  const yaml = typeof source === 'string' ? readYaml(source) : { fault: { ...source, line: undefined } };
  if (yaml.fault !== undefined) {
    faults.add('', yaml.fault.message);
    const { line } = yaml.fault;
    return { ...draft, lineOf: () => line };
  }
  const { value } = substitute(yaml.value, {
    env: {},
    directory: '',
    faults,
    secrets: new SecretValues(),
    refused: REFUSED,
  });
  const content = checkTeamFile(value, faults);
  return {
    ...draft,
    lineOf: yaml.lineOf,
    ...(content !== undefined && { owner: content.owner, documents: content.policies }),
  };
}

/** Reads a file of `policies_dir`. `left` is how many bytes they may still take together. */
function readTeamFile(file: string, left: number): string | { readonly message: string } {
  try {
    const bytes = readRegularFile(file, MAX_FILE_BYTES);
    return bytes.length > left
      ? { message: 'the files of `policies_dir` are larger than 8 MiB together' }
      : bytes.toString();
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return { message: isGone ? 'is a link to a file that does not exist' : unreadable(error) };
  }
}
