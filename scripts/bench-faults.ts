/**
 * Faults made on purpose, against the real service in a process of its own: `npm run bench -- faults [name …]`, by default all of them.
 *
 * Everything stays on loopback, and every fault is bounded in time and in number. That one callback sent fifty times at once signs in
 * once is tested in `tests/http/sign-in.test.ts`, on two instances in `tests/system/rpc/instances.test.ts`.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { badCredentials } from './bench-faults/bad-credentials.ts';
import type { Figure } from './bench-faults/figure.ts';
import { goneClients } from './bench-faults/gone-clients.ts';
import { halfOpen } from './bench-faults/half-open.ts';
import { largeBodies } from './bench-faults/large-bodies.ts';
import { loginFlood } from './bench-faults/login-flood.ts';
import { onePerson } from './bench-faults/one-person.ts';
import { oneWriter } from './bench-faults/one-writer.ts';
import { pausedSockets } from './bench-faults/paused-sockets.ts';
import { providerFaults } from './bench-faults/provider-faults.ts';
import { slowReaders } from './bench-faults/slow-readers.ts';
import { stopUnderLoad } from './bench-faults/stop-under-load.ts';
import { storageFaults } from './bench-faults/storage-faults.ts';
import { ticketFlood } from './bench-faults/ticket-flood.ts';
import { worstBodiesOfAll } from './bench-faults/worst-bodies.ts';
import { worstNames } from './bench-faults/worst-names.ts';

const LONGEST_MS = 300_000;

const FAULTS: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  'slow-readers': slowReaders,
  'half-open': halfOpen,
  'gone-clients': goneClients,
  stop: stopUnderLoad,
  'bad-credentials': badCredentials,
  'login-flood': loginFlood,
  'large-bodies': largeBodies,
  'worst-bodies': worstBodiesOfAll,
  'worst-names': worstNames,
  'one-writer': oneWriter,
  'one-person': onePerson,
  'paused-sockets': pausedSockets,
  'ticket-flood': ticketFlood,
  storage: storageFaults,
  provider: providerFaults,
};

const asked = process.argv.slice(3);
const unknown = asked.find((name) => !(name in FAULTS));
if (unknown !== undefined) {
  console.error(`there is no fault \`${unknown}\`; choose from ${Object.keys(FAULTS).join(', ')}`);
  process.exit(2);
}

for (const name of asked.length === 0 ? Object.keys(FAULTS) : asked) {
  console.log(`\n${name}`);
  const since = performance.now();
  const late = wait(LONGEST_MS, undefined, { ref: false }).then(() =>
    Promise.reject(new Error(`took longer than ${LONGEST_MS / 1000} s`)),
  );
  try {
    for (const { what, value, limit, reached } of (await Promise.race([FAULTS[name]?.(), late])) ?? []) {
      console.log(`${reached ? 'reached    ' : 'NOT REACHED'}  ${what}: ${value} (${limit})`);
      if (!reached) process.exitCode = 1;
    }
  } catch (error) {
    console.log(`NOT REACHED  ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
  console.log(`             in ${((performance.now() - since) / 1000).toFixed(0)} s`);
}
process.exit();
