import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { API_KEYS } from '../../src/apikey/api-key.ts';
import { SqliteKeyStore } from '../../src/key/sqlite-store.ts';
import { ApiKeys } from '../../src/apikey/api-keys.ts';
import { StateDatabase } from '../../src/state/database.ts';
import { ACTOR, CAPACITY, markOf, type ChangeName, type WorkerLine } from './protocol.ts';

const WORKER = join(import.meta.dirname, 'worker.ts');
/** In lines, so that a process gets to change something on a busy machine too. */
const LONGEST_LIFE_LINES = 12;
const LONGEST_WAIT_MS = 4;

/** A key as it must be, going by what was acknowledged. */
type Expected = { credential: string; mark: string; former: string[] };

export type KillReport = {
  readonly kills: number;
  readonly acknowledged: Readonly<Record<ChangeName, number>>;
  /** Kills that came between the beginning of a change and its acknowledgement. */
  readonly inTheMiddle: number;
  /** What was lost or came back, a line each; empty when all is well. */
  readonly faults: readonly string[];
};

/**
 * Kills a process that changes API keys, with SIGKILL at a random moment, `kills` times over the same database, and looks after each
 * whether every acknowledged change is there and the database whole.
 */
export async function killLoop(
  path: string,
  kills: number,
  onKill: (done: number) => void = () => undefined,
): Promise<KillReport> {
  const expected = new Map<string, Expected>();
  const revoked = new Map<string, string>();
  const acknowledged = { create: 0, rotate: 0, replaceScope: 0, revoke: 0 };
  const faults: string[] = [];
  let inTheMiddle = 0;
  for (let kill = 1; kill <= kills; kill++) {
    let pending: Extract<WorkerLine, { begin: ChangeName }> | undefined;
    for (const line of await runAndKill(path)) {
      if ('begin' in line) pending = line;
      else {
        pending = undefined;
        acknowledged[line.done]++;
        apply(line, expected, revoked);
      }
    }
    if (pending !== undefined) inTheMiddle++;
    faults.push(...(await compare(path, expected, revoked, pending)).map((fault) => `kill ${kill}: ${fault}`));
    onKill(kill);
  }
  return { kills, acknowledged, inTheMiddle, faults };
}

/** The lines that the worker wrote before it was killed. */
async function runAndKill(path: string): Promise<WorkerLine[]> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', WORKER, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines: WorkerLine[] = [];
  const life = Math.ceil(Math.random() * LONGEST_LIFE_LINES);
  const lived = Promise.withResolvers<undefined>();
  const reader = createInterface(child.stdout).on('line', (line) => {
    lines.push(JSON.parse(line) as WorkerLine);
    if (lines.length === life) lived.resolve(undefined);
  });
  const read = once(reader, 'close');
  await Promise.race([lived.promise, exited]);
  await wait(Math.random() * LONGEST_WAIT_MS);
  child.kill('SIGKILL');
  const [code] = (await exited) as [number | null];
  await read;
  if (code !== null) throw new Error(`the worker ended by itself with status ${code}`);
  return lines;
}

function apply(
  line: Extract<WorkerLine, { done: ChangeName }>,
  expected: Map<string, Expected>,
  revoked: Map<string, string>,
): void {
  const key = expected.get(line.id) ?? { credential: '', mark: '', former: [] };
  if (line.done === 'revoke') {
    expected.delete(line.id);
    revoked.set(line.id, key.credential);
    return;
  }
  if (line.credential !== undefined) {
    if (key.credential !== '') key.former.push(key.credential);
    key.credential = line.credential;
  }
  if (line.mark !== undefined) key.mark = line.mark;
  expected.set(line.id, key);
}

/**
 * What differs between the database and what was acknowledged. A change that was begun and not acknowledged may have happened or not:
 * the model then takes over what is there.
 */
async function compare(
  path: string,
  expected: Map<string, Expected>,
  revoked: Map<string, string>,
  pending: { readonly begin: ChangeName; readonly id?: string } | undefined,
): Promise<string[]> {
  const faults: string[] = [];
  const database = StateDatabase.open(path);
  const keys = new ApiKeys({
    store: new SqliteKeyStore(database, API_KEYS),
    capacity: CAPACITY,
    perSubject: CAPACITY,
    now: Date.now,
  });
  const integrity = database.prepare('PRAGMA integrity_check').all();
  if (JSON.stringify(integrity) !== '[{"integrity_check":"ok"}]')
    faults.push(`integrity check: ${JSON.stringify(integrity)}`);
  for (const [id, key] of expected) {
    const open = pending?.id === id ? pending.begin : undefined;
    const found = await keys.find(id);
    if (found === undefined && open === 'revoke') {
      expected.delete(id);
      continue;
    }
    const authenticated = await keys.authenticate(key.credential);
    if (authenticated === undefined && open !== 'rotate') faults.push(`key ${id} lost its credential`);
    const mark = found === undefined ? undefined : markOf(found);
    if (mark !== key.mark && open !== 'replaceScope') faults.push(`key ${id} lost its scope`);
    if (mark !== undefined) key.mark = mark;
    // Nobody knows the credential of a rotation that was not acknowledged.
    if (authenticated === undefined) expected.delete(id);
    for (const former of key.former)
      if ((await keys.authenticate(former)) !== undefined) faults.push(`a rotated credential of key ${id} came back`);
  }
  for (const [id, credential] of revoked) {
    if ((await keys.authenticate(credential)) !== undefined || (await keys.find(id)) !== undefined)
      faults.push(`the revoked key ${id} came back`);
  }
  // What was made and not acknowledged is nobody's. The worker begins with keys that the model knows.
  for (const { id } of await keys.list(ACTOR)) if (!expected.has(id)) await keys.revoke(id, ACTOR);
  await keys.close();
  database.close();
  return faults;
}
