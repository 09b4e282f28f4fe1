import { isAtomicAction } from '../policy/model/action.ts';
import { isBucketName } from '../policy/model/name.ts';
import type { Scope } from '../policy/model/resource.ts';
import { readPlace, resourceAt } from '../policy/model/written-place.ts';

/** What an entry of a line is about: a place of storage, or a session, a key or a person. */
export type AuditResource =
  | Scope
  | { readonly session: string }
  | { readonly apiKey: string }
  | { readonly s3Key: string }
  | { readonly person: string };

const NAMES = ['provider', 'bucket', 'key', 'prefix', 'session', 'apiKey', 's3Key', 'person'] as const;

/** The members of an entry that name its resource. An entry of an earlier version may have none of them. */
export type ResourceNames = { readonly [N in (typeof NAMES)[number]]?: string };

/** An entry as it is read: `resource` is the text that people read. */
export type AuditedResource = ResourceNames & {
  readonly resource: string;
  readonly action?: string;
  readonly outcome?: string;
  readonly why?: string;
};

/** The text that people read. No provider is named `session`, `apiKey`, `s3Key` or `person`. */
export function resourceText({ provider, bucket, key, prefix, session, apiKey, s3Key, person }: ResourceNames): string {
  if (session !== undefined) return `session/${session}`;
  if (apiKey !== undefined) return `apiKey/${apiKey}`;
  if (s3Key !== undefined) return `s3Key/${s3Key}`;
  if (person !== undefined) return `person/${person}`;
  return [provider, bucket, key ?? prefix].filter((name) => name !== undefined).join('/');
}

/** Whether an entry is about exactly this provider, bucket or object. An entry about a prefix is not about the object of the same name. */
export function isAbout(
  entry: ResourceNames,
  { provider, bucket, key }: Pick<ResourceNames, 'provider' | 'bucket' | 'key'>,
): boolean {
  return entry.provider === provider && entry.bucket === bucket && entry.key === key && entry.prefix === undefined;
}

/** Reads an entry of a line; undefined for a damaged one. */
export function readEntry(entry: unknown, operation: unknown): AuditedResource | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const named = entry as Partial<AuditedResource>;
  if (NAMES.some((name) => named[name] !== undefined && typeof named[name] !== 'string')) return undefined;
  if (named.resource === undefined)
    return NAMES.some((name) => named[name] !== undefined) ? { ...named, resource: resourceText(named) } : undefined;
  return typeof named.resource === 'string'
    ? { ...named, ...formerNames({ ...named, resource: named.resource }, operation), resource: named.resource }
    : undefined;
}

/** These end well for any provider, also for one that does not exist. */
const WITHOUT_STORAGE: ReadonlySet<unknown> = new Set(['object/activity', 'transfer/create']);

/**
 * Reads the text with which earlier versions named a resource. They accepted a provider with slashes, so a text may mean two objects. It counts as a name only
 * if it can mean no other object, or if storage did what was asked, which it does for configured providers alone.
 */
function formerNames({ resource, action, outcome }: AuditedResource, operation: unknown): ResourceNames {
  const mayMeanAnother = resource.split('/').slice(2, -1).some(isBucketName);
  if (mayMeanAnother && (outcome !== 'done' || action === undefined || WITHOUT_STORAGE.has(operation))) return {};
  if (isAtomicAction(action)) {
    const read = resourceAt(action, resource);
    if ('fault' in read) return {};
    const { kind: _kind, ...names } = read;
    return names;
  }
  const place = operation === 'object/archive' ? readPlace(resource) : undefined;
  return place === undefined || 'fault' in place || place.bucket === undefined
    ? {}
    : { provider: place.provider, bucket: place.bucket, prefix: place.key };
}
