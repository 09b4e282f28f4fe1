/** One step of the schema in PostgreSQL. */
export type PostgresMigration = {
  readonly sql: string;
  /** The number of migrations that a program has to know to be compatible with this one. Older programs keep running during a rolling update. */
  readonly needs: number;
};

/**
 * The steps from each version of the schema `svc` in PostgreSQL to the next. The table `svc.migrations` contains those that have run.
 *
 * A migration that has been released is never changed; a new one is added at the end. It keeps everything that earlier programs read and write, because they
 * run at the same time during a rolling update; `needs` grows only with a migration that breaks them.
 *
 * A transaction that inserts or deletes sessions or keys locks the row of `svc.tallies` first, then rows, then `svc.latest_change`. So there are no deadlocks,
 * a count costs one row, and the numbers of changes grow in the order of the commits.
 */
export const POSTGRES_MIGRATIONS: readonly PostgresMigration[] = [
  {
    needs: 1,
    sql: `
    CREATE TABLE svc.tallies (name text PRIMARY KEY, count bigint NOT NULL);
    INSERT INTO svc.tallies VALUES ('sessions', 0), ('api_keys', 0);

    CREATE TABLE svc.latest_change (seq bigint NOT NULL);
    INSERT INTO svc.latest_change VALUES (0);
    CREATE TABLE svc.changes (
      seq    bigint PRIMARY KEY,
      source text NOT NULL,
      kind   text NOT NULL,
      id     text NOT NULL
    );

    CREATE TABLE svc.sessions (
      digest       text COLLATE "C" PRIMARY KEY,
      id           text COLLATE "C" NOT NULL UNIQUE,
      kind         text NOT NULL,
      issuer       text COLLATE "C" NOT NULL,
      subject      text COLLATE "C" NOT NULL,
      groups       text NOT NULL,
      name         text NOT NULL,
      id_token     text NOT NULL,
      started_at   bigint NOT NULL,
      expires_at   bigint NOT NULL,
      address      text,
      last_used_at bigint
    );
    CREATE INDEX sessions_by_expiry ON svc.sessions (expires_at);
    CREATE INDEX sessions_by_person ON svc.sessions (issuer, subject, started_at);

    CREATE TABLE svc.api_keys (
      id              text COLLATE "C" PRIMARY KEY,
      verifier        bytea NOT NULL,
      revision        bigint NOT NULL,
      description     text NOT NULL,
      scope           text NOT NULL,
      expires_at      bigint,
      creator_issuer  text COLLATE "C" NOT NULL,
      creator_subject text COLLATE "C" NOT NULL,
      creator_groups  text NOT NULL,
      creator_name    text NOT NULL,
      created_at      bigint NOT NULL,
      rotated_at      bigint,
      last_used_at    bigint
    );
    CREATE INDEX api_keys_by_creator ON svc.api_keys (creator_issuer, creator_subject);
    CREATE INDEX api_keys_by_expiry ON svc.api_keys (expires_at);

    CREATE TABLE svc.entries (
      id         text COLLATE "C" PRIMARY KEY,
      value      text NOT NULL,
      expires_at bigint NOT NULL,
      owner      text COLLATE "C",
      made       bigint GENERATED ALWAYS AS IDENTITY
    );
    CREATE INDEX entries_by_owner ON svc.entries (owner, made) WHERE owner IS NOT NULL;
    CREATE INDEX entries_by_expiry ON svc.entries (expires_at);
    CREATE TABLE svc.used (id text COLLATE "C" PRIMARY KEY, expires_at bigint NOT NULL);
    CREATE INDEX used_by_expiry ON svc.used (expires_at);

    CREATE FUNCTION svc.lock_tally() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM 1 FROM svc.tallies WHERE name = TG_TABLE_NAME FOR UPDATE;
      RETURN NULL;
    END $$;
    CREATE FUNCTION svc.count_added() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE svc.tallies SET count = count + (SELECT count(*) FROM added) WHERE name = TG_TABLE_NAME;
      RETURN NULL;
    END $$;
    CREATE FUNCTION svc.count_gone() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE svc.tallies SET count = count - (SELECT count(*) FROM gone) WHERE name = TG_TABLE_NAME;
      RETURN NULL;
    END $$;
    CREATE TRIGGER lock_tally BEFORE INSERT OR DELETE ON svc.sessions EXECUTE FUNCTION svc.lock_tally();
    CREATE TRIGGER count_added AFTER INSERT ON svc.sessions REFERENCING NEW TABLE AS added EXECUTE FUNCTION svc.count_added();
    CREATE TRIGGER count_gone AFTER DELETE ON svc.sessions REFERENCING OLD TABLE AS gone EXECUTE FUNCTION svc.count_gone();
    CREATE TRIGGER lock_tally BEFORE INSERT OR DELETE ON svc.api_keys EXECUTE FUNCTION svc.lock_tally();
    CREATE TRIGGER count_added AFTER INSERT ON svc.api_keys REFERENCING NEW TABLE AS added EXECUTE FUNCTION svc.count_added();
    CREATE TRIGGER count_gone AFTER DELETE ON svc.api_keys REFERENCING OLD TABLE AS gone EXECUTE FUNCTION svc.count_gone();
    `,
  },
  {
    needs: 1,
    sql: `
    CREATE TABLE svc.counts (id text COLLATE "C" PRIMARY KEY, count bigint NOT NULL, resets_at bigint NOT NULL);
    CREATE INDEX counts_by_reset ON svc.counts (resets_at);
    `,
  },
  {
    needs: 1,
    sql: `
    ALTER TABLE svc.sessions ADD COLUMN login_sub text COLLATE "C", ADD COLUMN login_sid text COLLATE "C";
    CREATE INDEX sessions_by_login_sub ON svc.sessions (login_sub, issuer) WHERE login_sub IS NOT NULL;
    CREATE INDEX sessions_by_login_sid ON svc.sessions (login_sid, issuer) WHERE login_sid IS NOT NULL;
    `,
  },
  {
    needs: 1,
    sql: `
    CREATE TABLE svc.recent (
      list text COLLATE "C" NOT NULL,
      made bigint GENERATED ALWAYS AS IDENTITY,
      text text NOT NULL,
      PRIMARY KEY (list, made)
    );
    `,
  },
  {
    needs: 1,
    sql: `
    -- It is unlogged, because every instance writes its row three times a second, and rows of before a crash mean nothing.
    CREATE UNLOGGED TABLE svc.instances (id uuid PRIMARY KEY, seen bigint NOT NULL, at timestamptz NOT NULL);
    `,
  },
  {
    needs: 1,
    sql: `
    ALTER TABLE svc.api_keys ADD COLUMN provider text, ADD COLUMN signed_in_at bigint, ADD COLUMN suspended_at bigint;
    CREATE TABLE svc.s3_keys (
      id              text COLLATE "C" PRIMARY KEY,
      verifier        bytea NOT NULL,
      revision        bigint NOT NULL,
      description     text NOT NULL,
      provider        text,
      scope           text NOT NULL,
      expires_at      bigint,
      creator_issuer  text COLLATE "C" NOT NULL,
      creator_subject text COLLATE "C" NOT NULL,
      creator_groups  text NOT NULL,
      creator_name    text NOT NULL,
      created_at      bigint NOT NULL,
      rotated_at      bigint,
      last_used_at    bigint,
      signed_in_at    bigint,
      suspended_at    bigint
    );
    CREATE INDEX s3_keys_by_creator ON svc.s3_keys (creator_issuer, creator_subject);
    CREATE INDEX s3_keys_by_expiry ON svc.s3_keys (expires_at);
    INSERT INTO svc.tallies VALUES ('s3_keys', 0);
    CREATE TRIGGER lock_tally BEFORE INSERT OR DELETE ON svc.s3_keys EXECUTE FUNCTION svc.lock_tally();
    CREATE TRIGGER count_added AFTER INSERT ON svc.s3_keys REFERENCING NEW TABLE AS added EXECUTE FUNCTION svc.count_added();
    CREATE TRIGGER count_gone AFTER DELETE ON svc.s3_keys REFERENCING OLD TABLE AS gone EXECUTE FUNCTION svc.count_gone();

    CREATE TABLE svc.suspensions (
      id           text COLLATE "C" PRIMARY KEY,
      issuer       text COLLATE "C" NOT NULL,
      subject      text COLLATE "C" NOT NULL,
      suspended_at bigint NOT NULL,
      UNIQUE (issuer, subject)
    );
    `,
  },
  {
    needs: 1,
    sql: `
    CREATE TABLE svc.kept_places (
      id         text COLLATE "C" PRIMARY KEY,
      places     text NOT NULL,
      changed_at bigint NOT NULL
    );
    CREATE INDEX kept_places_by_change ON svc.kept_places (changed_at);
    `,
  },
  {
    needs: 1,
    sql: `
    ALTER TABLE svc.suspensions ADD COLUMN person_name text;
    `,
  },
];
