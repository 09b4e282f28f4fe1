import type { Command } from 'commander';
import { ATOMIC_ACTIONS, resourceKindOf, type ActionName } from '../../policy/model/action.ts';
import type { Selector } from '../../policy/model/resource.ts';
import type { ApiKeyScopeWire } from '../../wire/api-key.ts';
import { gathered } from '../argument/gathered.ts';
import { asFolder, parseBeneath, type KeyPath } from '../argument/remote-path.ts';

export type S3ScopeOptions = {
  readonly read?: true;
  readonly write?: true;
  readonly prefix?: readonly string[];
};

const READ: readonly ActionName[] = ['objects:read'];
const WRITE: readonly ActionName[] = ['objects:read', 'objects:write', 'objects:delete'];
const EVERYTHING: readonly ActionName[] = ATOMIC_ACTIONS.filter((action) => resourceKindOf(action) === 'object');

export const S3_SCOPE_HELP = `A key is for one provider, and its buckets are those of the provider. It may do
what its creator could do there when it was created, under the policies of
today, as far as these options allow it:

  --read                 list and read objects
  --write                list, read, write and delete objects
  (neither)              all that you may do, presigned links included
  --prefix BUCKET        only in this bucket
  --prefix BUCKET/FOLDER only beneath this folder; may be repeated`;

/** Adds the options that limit a key. */
export function withS3Scope(command: Command): Command {
  return command
    .option('--read', 'only list and read')
    .option('--write', 'only list, read, write and delete')
    .option('--prefix <bucket/prefix>', 'only in this bucket or folder; may be repeated', gathered);
}

/** The bucket or folder of each `--prefix`. */
export function placesOf(provider: string, { prefix = [] }: S3ScopeOptions): KeyPath[] {
  return prefix.map((text) => asFolder(parseBeneath(`${provider}/${text}`)));
}

/**
 * The scope that the options describe; undefined for everything that the person may do.
 *
 * @throws {CliFailure} usage
 */
export function s3ScopeOf(provider: string, options: S3ScopeOptions): ApiKeyScopeWire | undefined {
  const { read, write, prefix } = options;
  if (read === undefined && write === undefined && prefix === undefined) return undefined;
  const objects = write === true ? WRITE : read === true ? READ : EVERYTHING;
  if (prefix === undefined)
    return { rules: [{ actions: ['buckets:list', ...objects], resources: [{ type: 'provider', provider }] }] };
  const places = placesOf(provider, options);
  // Tools look for the bucket in the list of buckets before they open a folder in it.
  const buckets = [...new Set(places.map(({ bucket }) => bucket))];
  return {
    rules: [
      { actions: ['buckets:list'], resources: buckets.map((bucket) => ({ type: 'bucket', provider, bucket })) },
      { actions: [...objects], resources: places.map(selectorOf) },
    ],
  };
}

function selectorOf({ provider, bucket, key }: KeyPath): Selector {
  return key === '' ? { type: 'bucket', provider, bucket } : { type: 'prefix', provider, bucket, prefix: key };
}

/** The options as they are written on a command line. */
export function scopeArguments({ read, write, prefix = [] }: S3ScopeOptions): string[] {
  return [
    ...(read === true ? ['--read'] : []),
    ...(write === true ? ['--write'] : []),
    ...prefix.flatMap((text) => ['--prefix', text]),
  ];
}
