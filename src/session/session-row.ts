import type { Session, SessionKind } from './session.ts';

/** The columns of `sessions` that a request reads. They have the same names in each state database. */
export const SESSION_COLUMNS =
  'id, kind, issuer, subject, groups, name, started_at, expires_at, address, last_used_at, login_sub, login_sid';

export function sessionOf(row: Readonly<Record<string, unknown>>): Session {
  const sub = row['login_sub'] as string | null;
  return {
    id: row['id'] as string,
    kind: row['kind'] as SessionKind,
    identity: {
      issuer: row['issuer'] as string,
      subject: row['subject'] as string,
      groups: JSON.parse(row['groups'] as string) as string[],
    },
    name: row['name'] as string,
    startedAt: row['started_at'] as number,
    expiresAt: row['expires_at'] as number,
    address: (row['address'] as string | null) ?? undefined,
    lastUsedAt: (row['last_used_at'] as number | null) ?? undefined,
    login: sub === null ? undefined : { sub, sid: (row['login_sid'] as string | null) ?? undefined },
  };
}
