import type { ApiKey, ApiKeyScope } from './api-key.ts';
import type { ApiKeyOutline } from './api-key-store.ts';

type Row = Readonly<Record<string, unknown>>;

/** The key in a row of `api_keys`, whose columns have the same names in each state database. */
export function keyOf(row: Row): ApiKey {
  return {
    id: String(row['id']),
    description: String(row['description']),
    scope: JSON.parse(String(row['scope'])) as ApiKeyScope,
    expiresAt: numberOrNull(row['expires_at']),
    creator: { ...creatorOf(row), groups: JSON.parse(String(row['creator_groups'])) as string[] },
    createdAt: Number(row['created_at']),
    rotatedAt: numberOrNull(row['rotated_at']),
    lastUsedAt: numberOrNull(row['last_used_at']),
  };
}

export function outlineOf(row: Row): ApiKeyOutline {
  return { id: String(row['id']), createdAt: Number(row['created_at']), creator: creatorOf(row) };
}

function creatorOf(row: Row): ApiKeyOutline['creator'] {
  return {
    issuer: String(row['creator_issuer']),
    subject: String(row['creator_subject']),
    name: String(row['creator_name']),
  };
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
