import { ACTION_NAMES } from '../policy/action.ts';
import { keyPrefix, object, objectKey, type Wire } from './schema.ts';

/** The permission endpoints: the allowed actions of the endpoint's list, in its order. */
export const permissions = object({ actions: { type: 'array', items: { type: 'string', enum: ACTION_NAMES } } });
export type Permissions = Wire<typeof permissions>;

export const permissionQuery = {
  ...object(
    {
      prefix: { ...keyPrefix, description: 'Ask about the keys that start with this.' },
      key: { ...objectKey, description: 'Ask about exactly this key.' },
    },
    ['prefix', 'key'],
  ),
  not: { required: ['prefix', 'key'] },
} as const;
