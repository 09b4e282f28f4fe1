import { ACTION_NAMES } from '../policy/action.ts';
import { bucketName, keyPrefix, list, object, objectKey, oneOf, optional, providerName, type Wire } from './schema.ts';

/** The permission endpoints: the allowed actions of the endpoint's list, in its order. */
export const permissions = object({ actions: list(oneOf(ACTION_NAMES)) });
export type Permissions = Wire<typeof permissions>;

export const permissionOperations = {
  'permission/list': {
    input: object({
      provider: providerName,
      bucket: optional(bucketName),
      prefix: optional({ ...keyPrefix, description: 'Ask about the keys that start with this.' }),
      key: optional({ ...objectKey, description: 'Ask about exactly this key.' }),
    }),
    output: permissions,
  },
};
