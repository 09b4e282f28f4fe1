import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { AuditFolder, change } from '../../audit/support/audit-folder.ts';
import { Collector } from '../../audit/support/collector.ts';
import { until } from '../../audit/support/until.ts';

const KILLS = Number(process.env['SVC_SINK_KILLS'] ?? 10);
const LONGEST_LIFE_MS = 1_500;

const folder = new AuditFolder();
const collector = new Collector();
const children = new Set<ReturnType<typeof start>>();
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await collector.close();
  await folder.remove();
});

function start(run: number, url: string) {
  return spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      join(import.meta.dirname, '../../audit/support/audit-writer.ts'),
      folder.path,
      String(run),
      url,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
}

/** Starts a writer, and kills it some moments after its first acknowledgement. @returns what it acknowledged. */
async function killed(run: number, url: string): Promise<string[]> {
  const child = start(run, url);
  children.add(child);
  const closed = once(child, 'close');
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => void (said += chunk.toString()));
  await Promise.race([once(child.stdout, 'data'), closed]);
  await wait(Math.random() * LONGEST_LIFE_MS);
  child.kill('SIGKILL');
  await closed;
  children.delete(child);
  return said.split('\n').slice(0, -1);
}

describe(`an audit whose writer is killed ${KILLS} times while it sends`, () => {
  it(
    'is sent whole: the sink lacks no line',
    async () => {
      const url = await collector.listen();
      // Every third request is cut off after it came, so that its lines have to come again.
      collector.always = (res, received) => {
        if (collector.seen.length % 3 === 0) res.destroy();
        else {
          collector.taken.push(received);
          res.writeHead(200).end();
        }
      };
      const acknowledged: string[] = [];
      for (let run = 1; run <= KILLS; run += 1) acknowledged.push(...(await killed(run, url)));
      const sentWhileKilled = collector.lines().length;
      collector.always = undefined;
      const target = {
        type: 'http',
        url,
        headers: {},
        tls: { ca: undefined, cert: undefined, key: undefined },
        proxy: undefined,
      } as const;
      const store = await folder.open({
        sinks: [{ name: 'siem', target, timeoutMs: 5_000, spoolBytes: 1_073_741_824 }],
      });
      await store.write(change('last'));
      await until(() => store.sinks()[0]!.sentLines > 0 && store.sinks()[0]!.unsentBytes === 0, 'all lines', 60_000);
      await store.close();
      expect(folder.verify()).toMatchObject([{ faults: [] }]);
      expect(sentWhileKilled).toBeGreaterThan(0);
      expect(collector.lines()).toEqual(folder.lines());
      const told = new Set(collector.lines().flatMap((line) => /"requestId":"r-([^"]+)"/.exec(line)?.[1] ?? []));
      expect(acknowledged.length).toBeGreaterThan(KILLS);
      expect(acknowledged.filter((id) => !told.has(id))).toEqual([]);
    },
    60_000 + KILLS * 5_000,
  );
});
