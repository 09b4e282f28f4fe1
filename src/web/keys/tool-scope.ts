import type { ActionName, Scope } from '../admin/key-kinds.ts';
import type { Place } from '../place/place.ts';
import { t } from '../words/words.ts';

export type ToolRights = 'read' | 'write';

/** The options of a select field for the rights of a key. */
export const RIGHTS: readonly { readonly value: ToolRights; readonly label: string }[] = [
  { value: 'read', label: t('Read') },
  { value: 'write', label: t('Read, write and delete') },
];

const ON_OBJECTS: Readonly<Record<ToolRights, readonly ActionName[]>> = {
  read: ['objects:list', 'objects:get'],
  write: ['objects:list', 'objects:get', 'objects:write', 'objects:delete'],
};

/** The scope of a tool's key. @param place - an empty bucket stands for all of the provider, an empty prefix for all of the bucket. */
export function scopeOfTool({ provider, bucket, prefix }: Place, rights: ToolRights): Scope {
  const inBucket =
    bucket === '' ? ({ type: 'provider', provider } as const) : ({ type: 'bucket', provider, bucket } as const);
  if (prefix === '') return { rules: [{ actions: ['buckets:list', ...ON_OBJECTS[rights]], resources: [inBucket] }] };
  return {
    rules: [
      { actions: ['buckets:list'], resources: [inBucket] },
      { actions: [...ON_OBJECTS[rights]], resources: [{ type: 'prefix', provider, bucket, prefix: asFolder(prefix) }] },
    ],
  };
}

/** The scope of an API key, which also sees the provider, as programs that begin there need it. */
export function scopeOfKey(place: Place, rights: ToolRights): Scope {
  const sees = {
    actions: ['providers:list'],
    resources: [{ type: 'provider', provider: place.provider }],
  } as const;
  return { rules: [sees, ...scopeOfTool(place, rights).rules] };
}

/** The place that a key is for: the narrowest that its scope names, if it names one. */
export function placeOfTool({ rules }: Scope): Pick<Place, 'bucket' | 'prefix'> {
  const resources = rules.flatMap((rule) => rule.resources);
  const folder = resources.find((resource) => resource.type === 'prefix');
  if (folder !== undefined) return folder;
  const bucket = resources.find((resource) => resource.type === 'bucket');
  return { bucket: bucket?.bucket ?? '', prefix: '' };
}

/** A prefix without a slash at its end would also match other folders that begin so. */
function asFolder(prefix: string): string {
  return prefix.endsWith('/') ? prefix : `${prefix}/`;
}
