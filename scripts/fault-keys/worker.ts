/**
 * Changes API keys as fast as it can until it is killed, and says of each change that it begins it and that it was acknowledged.
 *
 * Run by `kill-loop.ts` with the path of a state database.
 */
import { writeSync } from 'node:fs';
import { API_KEYS } from '../../src/apikey/api-key.ts';
import { SqliteKeyStore } from '../../src/key/sqlite-store.ts';
import { ApiKeys } from '../../src/apikey/api-keys.ts';
import { StateDatabase } from '../../src/state/database.ts';
import { ACTOR, CAPACITY, scopeWithMark, type WorkerLine } from './protocol.ts';

const KEYS_TO_KEEP = 12;

const database = StateDatabase.open(process.argv[2]!);
const keys = new ApiKeys({
  store: new SqliteKeyStore(database, API_KEYS),
  capacity: CAPACITY,
  perSubject: CAPACITY,
  now: Date.now,
});

/** In one system call, so that the line is out before anything else happens. */
function say(line: WorkerLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

const ids = (await keys.list(ACTOR)).map(({ id }) => id);
for (;;) {
  const dice = Math.random();
  const index = Math.floor(Math.random() * ids.length);
  const id = ids[index];
  if (id === undefined || (ids.length < KEYS_TO_KEEP && dice < 0.4)) {
    say({ begin: 'create' });
    const { credential, key } = await keys.create(
      { description: 'made to be killed', scope: scopeWithMark('new'), expiresAt: null },
      ACTOR,
    );
    say({ done: 'create', id: key.id, credential, mark: 'new' });
    ids.push(key.id);
  } else if (dice < 0.7) {
    say({ begin: 'rotate', id });
    say({ done: 'rotate', id, credential: (await keys.rotate(id, ACTOR)).credential });
  } else if (dice < 0.85) {
    const mark = String(dice);
    say({ begin: 'replaceScope', id });
    await keys.replaceScope(id, scopeWithMark(mark), ACTOR);
    say({ done: 'replaceScope', id, mark });
  } else {
    say({ begin: 'revoke', id });
    await keys.revoke(id, ACTOR);
    say({ done: 'revoke', id });
    ids.splice(index, 1);
  }
}
