import { ACTION_NAMES } from '../policy/model/action.ts';
import { inPages, nextPage, onePerson } from './paged.ts';
import {
  integer,
  list,
  nothing,
  object,
  oneOf,
  optional,
  string,
  strings,
  text,
  textOrNull,
  time,
  timeOrNull,
  type Wire,
} from './schema.ts';
import { selector } from './selector.ts';

export type ScopeSelector = Wire<typeof selector>;

/** The most that a key may do. A scope has only `allow` rules. */
export const apiKeyScope = object({
  rules: list(
    object({
      actions: list(oneOf(ACTION_NAMES), { maxItems: ACTION_NAMES.length }),
      resources: list(selector, { maxItems: 1000 }),
    }),
    { maxItems: 100 },
  ),
});
export type ApiKeyScopeWire = Wire<typeof apiKeyScope>;

/** What keys of every kind have, but for their id. */
export const keyRecord = {
  description: string,
  scope: apiKeyScope,
  expiresAt: timeOrNull,
  creator: object({ issuer: string, subject: string, groups: strings, name: string }),
  createdAt: time,
  rotatedAt: timeOrNull,
  lastUsedAt: timeOrNull,
};

export const apiKey = object({ id: text('Public id.'), ...keyRecord });
export type ApiKeyWire = Wire<typeof apiKey>;

const id = text('Public id of the key.', { minLength: 1, maxLength: 64 });
export const purpose = text('Purpose of the key.', { maxLength: 200 });
export const pagesOfKeys = { ...inPages, limit: optional(integer({ minimum: 1, maximum: 100, default: 100 })) };
const issued = object({
  key: apiKey,
  credential: text('The credential of the key. It is returned here and never again.'),
});

export const apiKeyOperations = {
  'apiKey/create': {
    input: object({
      description: purpose,
      scope: apiKeyScope,
      expiresAt: optional(
        textOrNull('When the key expires, as RFC 3339. A key without it, or with null, never expires.', {
          maxLength: 64,
        }),
      ),
    }),
    output: issued,
  },
  'apiKey/list': { input: nothing, output: object({ keys: list(apiKey) }) },
  'apiKey/listAll': {
    input: object(pagesOfKeys),
    output: object({ keys: list(apiKey), ...nextPage }),
  },
  'apiKey/revokeAll': {
    input: object(onePerson),
    output: object({ revoked: integer({ description: 'Number of revoked keys.' }) }),
  },
  'apiKey/rotate': { input: object({ id }), output: issued },
  'apiKey/replaceScope': { input: object({ id, scope: apiKeyScope }), output: object({ key: apiKey }) },
  'apiKey/revoke': { input: object({ id }), output: nothing },
};
