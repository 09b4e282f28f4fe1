/**
 * What brings the state database from each version to the next. `PRAGMA user_version` counts how many have run.
 *
 * A migration that has been released is never changed; a new one is added at the end. All text compares byte for byte.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE sessions (
    digest     TEXT PRIMARY KEY NOT NULL,
    id         TEXT NOT NULL UNIQUE,
    kind       TEXT NOT NULL,
    issuer     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    groups     TEXT NOT NULL,
    name       TEXT NOT NULL,
    id_token   TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sessions_by_expiry ON sessions (expires_at);

  CREATE TABLE api_keys (
    id              TEXT PRIMARY KEY NOT NULL,
    verifier        BLOB NOT NULL,
    revision        INTEGER NOT NULL,
    description     TEXT NOT NULL,
    scope           TEXT NOT NULL,
    expires_at      INTEGER,
    creator_issuer  TEXT NOT NULL,
    creator_subject TEXT NOT NULL,
    creator_groups  TEXT NOT NULL,
    creator_name    TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    rotated_at      INTEGER,
    last_used_at    INTEGER
  ) STRICT, WITHOUT ROWID;
  `,
  // For the sessions of one person.
  'CREATE INDEX sessions_by_person ON sessions (issuer, subject, started_at);',
  `
  ALTER TABLE sessions ADD COLUMN address TEXT;
  ALTER TABLE sessions ADD COLUMN last_used_at INTEGER;
  `,
];
