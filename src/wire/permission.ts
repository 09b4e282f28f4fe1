import { ACTION_NAMES } from '../policy/model/action.ts';
import {
  anyOf,
  bucketName,
  keyPrefix,
  list,
  map,
  object,
  objectKey,
  oneOf,
  optional,
  providerName,
  type Wire,
} from './schema.ts';

const actions = list(oneOf(ACTION_NAMES));

/** The allowed actions, in the order of the endpoint's list. */
export const permissions = object({
  actions,
  here: optional({
    ...actions,
    description:
      'With `prefix`: the actions allowed on a new object directly beneath it, whose key no rule names more closely.',
  }),
});
export type Permissions = Wire<typeof permissions>;

/** The allowed actions of each requested key. */
export const keyPermissions = object({
  keys: map(actions, { examples: [{ '2025/summer/beach.jpg': ['objects:list', 'objects:get'] }] }),
});

export const permissionOperations = {
  'permission/list': {
    input: object({
      provider: providerName,
      bucket: optional(bucketName),
      prefix: optional({ ...keyPrefix, description: 'Ask about the keys that start with this.' }),
      key: optional({ ...objectKey, description: 'Ask about exactly this key.' }),
      keys: optional(list(objectKey, { minItems: 1, maxItems: 1000, description: 'Ask about each of these keys.' })),
    }),
    output: anyOf([permissions, keyPermissions]),
  },
};
