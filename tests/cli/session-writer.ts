/** Starts sessions in a state database one after the other until it is killed, and says the digest of each that was acknowledged. Run with the path of the database. */
import { writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { newSecret, digestOf } from '../../src/secret/secret.ts';
import { Sessions } from '../../src/session/sessions.ts';
import { SqliteSessionStore } from '../../src/session/sqlite-store.ts';
import { StateDatabase } from '../../src/state/database.ts';

const database = StateDatabase.open(process.argv[2]!);
const store = new SqliteSessionStore({ database, capacity: 1_000_000, perSubject: 1_000_000, now: Date.now });
const sessions = new Sessions({ store, ttlSeconds: 3_600, isAdmin: () => false, now: Date.now });
for (;;) {
  const credential = newSecret();
  await sessions.start(
    {
      kind: 'web',
      identity: { issuer: 'https://id.example', subject: 'ada', groups: [] },
      name: 'Ada',
      idToken: 'x'.repeat(2_000),
      address: undefined,
    },
    credential,
  );
  writeSync(1, `${digestOf(credential)}\n`);
  await wait(1);
}
