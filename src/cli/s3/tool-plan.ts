import type { Connection as ToolConnection } from '../../tool/connection.ts';
import { configurationOf, TOOLS } from '../../tool/tool.ts';
import { CliFailure, EXIT } from '../terminal/cli-failure.ts';
import type { Edge } from '../terminal/edge.ts';
import type { KeyPair } from './s3-connection.ts';

/** What a profile is made of, but for the key. */
export type Setup = {
  readonly env: Edge['env'];
  /** The name of the profile. */
  readonly profile: string;
  /** `bucket` and `prefix` are where to begin, and may be empty. */
  readonly place: Omit<ToolConnection, keyof KeyPair>;
};

/** A profile that can be written. Whatever stands in its way has been found before, so that no key is made in vain. */
export type ToolPlan<Key extends [] | [KeyPair] = [KeyPair]> = {
  /** The files that get the profile. */
  readonly files: readonly string[];
  readonly write: (...key: Key) => Promise<void>;
  /** What the person has to copy, because no file has it. */
  readonly shown?: (key: KeyPair) => readonly string[];
  /** What to do next. */
  readonly next: string;
};

/** The configuration of a tool, as the UI shows it too. */
export function configurationFor(id: string, { place, profile }: Setup, key: KeyPair): string {
  return configurationOf(
    TOOLS.find((tool) => tool.id === id)!,
    { ...place, ...key },
    profile,
  );
}

/** The lines of such a configuration below the header. */
export function sectionLines(configuration: string): string[] {
  const lines = configuration.trimEnd().split('\n');
  return lines.slice(lines.findIndex((line) => line.startsWith('[')) + 1);
}

/** `BUCKET`, `BUCKET/FOLDER/`, or nothing. */
export function placeText({ place: { bucket, prefix } }: Setup): string {
  return bucket === '' ? '' : `${bucket}/${prefix}`;
}

export function isAccessKeyId(text: string): boolean {
  return /^SVC[A-Z2-7]{17}$/.test(text);
}

/** Whether a section has a key of an svc. */
export function hasOurKey(section: string, member: string): boolean {
  const [, value = ''] = new RegExp(`^${member}[ \\t]*=[ \\t]*(\\S*)`, 'm').exec(section) ?? [];
  return isAccessKeyId(value);
}

/** The failure when somebody else's profile has the name. */
export function nameTaken(profile: string, file: string): CliFailure {
  return new CliFailure(
    EXIT.failed,
    `${file} has a profile \`${profile}\` that svc did not write; choose another name with \`--profile\``,
    'profile_exists',
  );
}
