import { queryOptions } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ApiKeyScopeWire, ApiKeyWire } from '../../wire/api-key.ts';
import type { S3KeyWire } from '../../wire/s3-key.ts';
import { unlessGone } from '../api/api-error.ts';
import { call } from '../api/rpc.ts';
import { rich } from '../words/rich.ts';
import { plural, t } from '../words/words.ts';
import type { ListPage, PageQuestion } from './paged.ts';

/** A key without its secret. Times are RFC 3339. */
export type Key = ApiKeyWire & {
  /** The provider of an S3 key. */
  readonly provider?: string;
};
export type Scope = ApiKeyScopeWire;
export type ActionName = Scope['rules'][number]['actions'][number];
/** A new or rotated key. Only this answer contains the secret. */
export type IssuedKey = { readonly key: Key; readonly secret: string };

/** The calls and words for one kind of key. Whatever else people do with keys is the same for both kinds. */
export type KeyKind = {
  /** The prefix of the query keys of all queries for these keys. */
  readonly queryKey: readonly [string];
  readonly list: (signal: AbortSignal) => Promise<readonly Key[]>;
  readonly listAll: (question: PageQuestion, signal: AbortSignal) => Promise<ListPage<Key>>;
  /** Gives a key a new secret; the old one stops working at once. */
  readonly rotate: (id: string) => Promise<IssuedKey>;
  readonly replaceScope: (id: string, scope: Scope) => Promise<unknown>;
  readonly revoke: (id: string) => Promise<unknown>;
  /** Revokes every key of a person at once. */
  readonly revokeAll: (person: Pick<Key['creator'], 'issuer' | 'subject'>) => Promise<unknown>;
  readonly words: {
    readonly everybodys: string;
    readonly none: string;
    readonly nobody: string;
    readonly counted: (count: number) => string;
    readonly revokeAll: string;
    readonly everyKeyOf: (person: ReactNode) => ReactNode;
  };
};

export const API_KEYS: KeyKind = {
  queryKey: ['api-keys'],
  list: async (signal) => (await call('apiKey/list', {}, signal)).keys,
  listAll: async (question, signal) => {
    const { keys, total, nextCursor } = await call('apiKey/listAll', question, signal);
    return { items: keys, total, next: nextCursor };
  },
  rotate: async (id) => {
    const { key, credential } = await call('apiKey/rotate', { id });
    return { key, secret: credential };
  },
  replaceScope: (id, scope) => call('apiKey/replaceScope', { id, scope }),
  revoke: (id) => unlessGone(call('apiKey/revoke', { id })),
  revokeAll: ({ issuer, subject }) => call('apiKey/revokeAll', { issuer, subject }),
  words: {
    everybodys: t("Everybody's API keys"),
    none: t('No API keys'),
    nobody: t('Nobody has created an API key.'),
    counted: (count) => plural(count, '{count} API key', '{count} API keys'),
    revokeAll: t('Revoke all API keys'),
    everyKeyOf: (person) =>
      rich('Every API key of {person} stops working at once. Everything that uses them fails. This cannot be undone.', {
        person,
      }),
  },
};

export const S3_KEYS: KeyKind = {
  queryKey: ['s3-keys'],
  list: async (signal) => (await call('s3Key/list', {}, signal)).keys.map(keyOf),
  listAll: async (question, signal) => {
    const { keys, total, nextCursor } = await call('s3Key/listAll', question, signal);
    return { items: keys.map(keyOf), total, next: nextCursor };
  },
  rotate: async (accessKeyId) => {
    const { key, secretAccessKey } = await call('s3Key/rotate', { accessKeyId });
    return { key: keyOf(key), secret: secretAccessKey };
  },
  replaceScope: (accessKeyId, scope) => call('s3Key/replaceScope', { accessKeyId, scope }),
  revoke: (accessKeyId) => unlessGone(call('s3Key/revoke', { accessKeyId })),
  revokeAll: ({ issuer, subject }) => call('s3Key/revokeAll', { issuer, subject }),
  words: {
    everybodys: t("Everybody's S3 keys"),
    none: t('No S3 keys'),
    nobody: t('Nobody has connected a tool.'),
    counted: (count) => plural(count, '{count} S3 key', '{count} S3 keys'),
    revokeAll: t('Revoke all S3 keys'),
    everyKeyOf: (person) =>
      rich('Every S3 key of {person} stops working at once. Everything that uses them fails. This cannot be undone.', {
        person,
      }),
  },
};

export function keyOf({ accessKeyId, ...key }: S3KeyWire): Key {
  return { id: accessKeyId, ...key };
}

/** The query for the keys of the user. */
export function ownKeysQuery({ queryKey, list }: KeyKind) {
  return queryOptions({ queryKey: [...queryKey, 'own'], queryFn: ({ signal }) => list(signal) });
}

export function isExpired({ expiresAt }: Key): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now();
}
