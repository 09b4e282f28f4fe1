/**
 * The steps from each version of the state database to the next. `PRAGMA user_version` counts how many have run.
 *
 * A migration that has been released is never changed; a new one is added at the end. All text is compared byte for byte.
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
  // Finds the sessions of one person.
  'CREATE INDEX sessions_by_person ON sessions (issuer, subject, started_at);',
  `
  ALTER TABLE sessions ADD COLUMN address TEXT;
  ALTER TABLE sessions ADD COLUMN last_used_at INTEGER;
  `,
  // Stores rows separately from their keys: in a table without row ids, rows of a kilobyte make the key's tree so deep that a lookup among a million rows reads
  // a dozen pages.
  `
  CREATE TABLE new_sessions (
    digest       TEXT PRIMARY KEY NOT NULL,
    id           TEXT NOT NULL UNIQUE,
    kind         TEXT NOT NULL,
    issuer       TEXT NOT NULL,
    subject      TEXT NOT NULL,
    groups       TEXT NOT NULL,
    name         TEXT NOT NULL,
    started_at   INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    address      TEXT,
    last_used_at INTEGER,
    id_token     TEXT NOT NULL
  ) STRICT;
  INSERT INTO new_sessions (digest, id, kind, issuer, subject, groups, name, started_at, expires_at, address, last_used_at, id_token)
    SELECT digest, id, kind, issuer, subject, groups, name, started_at, expires_at, address, last_used_at, id_token FROM sessions;
  DROP TABLE sessions;
  ALTER TABLE new_sessions RENAME TO sessions;
  CREATE INDEX sessions_by_expiry ON sessions (expires_at);
  CREATE INDEX sessions_by_person ON sessions (issuer, subject, started_at);

  CREATE TABLE new_api_keys (
    id              TEXT PRIMARY KEY NOT NULL,
    verifier        BLOB NOT NULL,
    revision        INTEGER NOT NULL,
    description     TEXT NOT NULL,
    expires_at      INTEGER,
    creator_issuer  TEXT NOT NULL,
    creator_subject TEXT NOT NULL,
    creator_groups  TEXT NOT NULL,
    creator_name    TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    rotated_at      INTEGER,
    last_used_at    INTEGER,
    scope           TEXT NOT NULL
  ) STRICT;
  INSERT INTO new_api_keys (id, verifier, revision, description, expires_at, creator_issuer, creator_subject, creator_groups, creator_name, created_at, rotated_at, last_used_at, scope)
    SELECT id, verifier, revision, description, expires_at, creator_issuer, creator_subject, creator_groups, creator_name, created_at, rotated_at, last_used_at, scope FROM api_keys;
  DROP TABLE api_keys;
  ALTER TABLE new_api_keys RENAME TO api_keys;
  CREATE INDEX api_keys_by_creator ON api_keys (creator_issuer, creator_subject);
  CREATE INDEX api_keys_by_expiry ON api_keys (expires_at);
  `,
  // Finds the sessions that the identity provider ends.
  `
  ALTER TABLE sessions ADD COLUMN login_sub TEXT;
  ALTER TABLE sessions ADD COLUMN login_sid TEXT;
  CREATE INDEX sessions_by_login_sub ON sessions (login_sub, issuer) WHERE login_sub IS NOT NULL;
  CREATE INDEX sessions_by_login_sid ON sessions (login_sid, issuer) WHERE login_sid IS NOT NULL;
  `,
  // Keeps the number of sessions, which each sign-in needs: counting a million rows takes longer than a request may.
  `
  CREATE TABLE tallies (name TEXT PRIMARY KEY NOT NULL, count INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO tallies SELECT 'sessions', count(*) FROM sessions;
  CREATE TRIGGER session_came AFTER INSERT ON sessions BEGIN UPDATE tallies SET count = count + 1 WHERE name = 'sessions'; END;
  CREATE TRIGGER session_went AFTER DELETE ON sessions BEGIN UPDATE tallies SET count = count - 1 WHERE name = 'sessions'; END;
  `,
  // S3 keys beside API keys, with the same columns, and the people whose keys of both kinds rest.
  `
  ALTER TABLE api_keys ADD COLUMN provider TEXT;
  ALTER TABLE api_keys ADD COLUMN signed_in_at INTEGER;
  ALTER TABLE api_keys ADD COLUMN suspended_at INTEGER;
  CREATE TABLE s3_keys (
    id              TEXT PRIMARY KEY NOT NULL,
    verifier        BLOB NOT NULL,
    revision        INTEGER NOT NULL,
    description     TEXT NOT NULL,
    provider        TEXT,
    expires_at      INTEGER,
    creator_issuer  TEXT NOT NULL,
    creator_subject TEXT NOT NULL,
    creator_groups  TEXT NOT NULL,
    creator_name    TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    rotated_at      INTEGER,
    last_used_at    INTEGER,
    signed_in_at    INTEGER,
    suspended_at    INTEGER,
    scope           TEXT NOT NULL
  ) STRICT;
  CREATE INDEX s3_keys_by_creator ON s3_keys (creator_issuer, creator_subject);
  CREATE INDEX s3_keys_by_expiry ON s3_keys (expires_at);
  CREATE TABLE suspensions (
    id           TEXT PRIMARY KEY NOT NULL,
    issuer       TEXT NOT NULL,
    subject      TEXT NOT NULL,
    suspended_at INTEGER NOT NULL,
    UNIQUE (issuer, subject)
  ) STRICT;
  `,
  // The favourite and recent places of people, each person's as JSON in one row.
  `
  CREATE TABLE kept_places (
    id         TEXT PRIMARY KEY NOT NULL,
    places     TEXT NOT NULL,
    changed_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX kept_places_by_change ON kept_places (changed_at);
  `,
  // The name by which an administrator knew a person whom they suspended.
  `
  ALTER TABLE suspensions ADD COLUMN person_name TEXT;
  `,
];
