import type { KeyScope } from '../policy/model/key-scope.ts';
import type { Key } from './key.ts';
import type { KeyOutline, StoredKey } from './key-store.ts';

type Row = Readonly<Record<string, unknown>>;

/** The columns of a new key, which are the same in the table of each kind and in each state database. `revision` grows with each change. */
export const COLUMNS = [
  'id',
  'verifier',
  'description',
  'provider',
  'scope',
  'expires_at',
  'creator_issuer',
  'creator_subject',
  'creator_groups',
  'creator_name',
  'created_at',
  'rotated_at',
  'last_used_at',
] as const;

/** The values of {@link COLUMNS}. */
export function valuesOf({
  key,
  verifier,
}: Pick<StoredKey, 'key' | 'verifier'>): (string | number | Uint8Array | null)[] {
  return [
    key.id,
    verifier,
    key.description,
    key.provider ?? null,
    JSON.stringify(key.scope),
    key.expiresAt,
    key.creator.issuer,
    key.creator.subject,
    JSON.stringify(key.creator.groups),
    key.creator.name,
    key.createdAt,
    key.rotatedAt,
    key.lastUsedAt,
  ];
}

export function storedOf(row: Row): StoredKey {
  return {
    key: keyOf(row),
    verifier: row['verifier'] as Uint8Array,
    signedInAt: numberOrNull(row['signed_in_at']),
    isSuspended: typeof row['suspended_at'] === 'number',
  };
}

/** The key in a row. */
export function keyOf(row: Row): Key {
  return {
    id: String(row['id']),
    description: String(row['description']),
    ...(typeof row['provider'] === 'string' && { provider: row['provider'] }),
    scope: JSON.parse(String(row['scope'])) as KeyScope,
    expiresAt: numberOrNull(row['expires_at']),
    creator: { ...creatorOf(row), groups: JSON.parse(String(row['creator_groups'])) as string[] },
    createdAt: Number(row['created_at']),
    rotatedAt: numberOrNull(row['rotated_at']),
    lastUsedAt: numberOrNull(row['last_used_at']),
  };
}

export function outlineOf(row: Row): KeyOutline {
  return { id: String(row['id']), createdAt: Number(row['created_at']), creator: creatorOf(row) };
}

function creatorOf(row: Row): KeyOutline['creator'] {
  return {
    issuer: String(row['creator_issuer']),
    subject: String(row['creator_subject']),
    name: String(row['creator_name']),
  };
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
