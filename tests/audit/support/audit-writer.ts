/**
 * Writes changes until it is killed, as fast as it can or, where there is a sink, with pauses, and says of each that it was acknowledged. Run by `kill.test.ts` and `sink-kill.test.ts` with the path of an audit, and the URL of a sink.
 *
 * Some lines nobody waits for stand between them.
 */
import { writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { SinkOptions } from '../../../src/audit/sink/sink-options.ts';
import { change, openAudit, read } from './audit-folder.ts';

const AT_ONCE = 8;
/** What is sent has to come about as well, and only that takes time. */
const PAUSE_MS = 10;
const [path = '', run = '', url] = process.argv.slice(2);
const sinks: SinkOptions[] =
  url === undefined
    ? []
    : [
        {
          name: 'siem',
          target: {
            type: 'http',
            url,
            headers: {},
            tls: { ca: undefined, cert: undefined, key: undefined },
            proxy: undefined,
          },
          timeoutMs: 5_000,
          spoolBytes: 1_073_741_824,
        },
      ];
const store = await openAudit(path, { sinks });

async function changes(worker: number): Promise<never> {
  for (let i = 0; ; i += 1) {
    const id = `${run}-${worker}-${i}`;
    const { who, requestId, address, face, operation, resources } = change(id);
    const intent = await store.intend({ who, requestId, address, face, operation, resources });
    void store.write(read(id));
    await store.write(change(id, { intent }));
    writeSync(1, `${id}\n`);
    if (url !== undefined) await wait(PAUSE_MS);
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, (_, worker) => changes(worker)));
