/** A search among a million keys. Storage is made up, in a process of its own, and so is the service. */
import type { ChildProcess } from 'node:child_process';
import { Latency } from './bench-search/latency.ts';
import type { Ready } from './bench-storage/contender.ts';
import { growthDuring } from './bench-storage/memory.ts';
import { startContender } from './measuring/start-contender.ts';

type Running = Ready & { readonly child: ChildProcess };
/** Times in seconds. */
type Searched = { readonly hits: number; readonly seen: number; readonly first: number; readonly whole: number };

const ROUTE = '/api/providers/main/buckets/bucket';
const GUEST_FOLDER = 5_000;

const children: ChildProcess[] = [];
const missed: string[] = [];
try {
  const storage = await start('bench-search/keys.ts');
  const service = await start('bench-storage/contender.ts', 'service', `http://127.0.0.1:${storage.port}`);
  const listings = async () => Number(await (await fetch(`http://127.0.0.1:${storage.port}/count`)).text());
  // The first one grows the heap to what a service uses.
  await search(service, service.cookie, 'prefix=flat/&q=warm');
  for (const prefix of ['flat/', 'hex/', 'projects/']) {
    const before = await listings();
    let searched: Searched | undefined;
    const others = new Latency(`http://127.0.0.1:${service.port}${ROUTE}/permissions`, service.cookie);
    const grown = await growthDuring(
      service.child.pid,
      async () => (searched = await search(service, service.cookie, `prefix=${prefix}&q=needle`)),
    );
    const slowest = await others.stop();
    const { hits, seen, first, whole } = searched!;
    console.log(
      `\n${prefix}: ${seen.toLocaleString('en')} keys, ${hits} hits, ${(await listings()) - before} requests to storage`,
    );
    if (hits !== 1_000 || seen !== 1_000_000) throw new Error('keys are missing, or come twice');
    figure('first hit, seconds', first, 1);
    figure('the whole, seconds', whole, 60);
    figure('memory, MB', grown, 64);
    figure('the slowest other request meanwhile, ms', slowest, 1_000);
  }
  const before = await listings();
  const { seen } = await search(service, service.guestCookie, 'q=needle');
  console.log(
    `\na person with one folder of ${GUEST_FOLDER.toLocaleString('en')} keys among three million: ${seen.toLocaleString('en')} seen`,
  );
  figure('requests to storage', (await listings()) - before, GUEST_FOLDER / 1_000 + 3);
} finally {
  for (const child of children) child.kill('SIGKILL');
}
if (missed.length > 0) process.exitCode = 1;

function start(file: string, ...args: readonly string[]): Promise<Running> {
  return startContender<Ready>(file, args, children);
}

/** Goes on with its cursor until it is done. */
async function search({ port }: Running, cookie: string, query: string): Promise<Searched> {
  const since = performance.now();
  const seconds = () => (performance.now() - since) / 1000;
  let [hits, seen, first] = [0, 0, 0];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const answer: Response = await fetch(
      `http://127.0.0.1:${port}${ROUTE}/search?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`,
      { headers: { cookie } },
    );
    if (!answer.ok) throw new Error(await answer.text());
    cursor = undefined;
    let seenHere = 0;
    let rest = '';
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      const lines: string[] = (rest + chunk).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const {
          object,
          seen: soFar,
          next_cursor: next,
          error,
        } = JSON.parse(line) as { object?: object; seen?: number; next_cursor?: string; error?: { detail?: string } };
        if (error !== undefined) throw new Error(error.detail);
        if (object !== undefined && hits++ === 0) first = seconds();
        seenHere = soFar ?? seenHere;
        cursor = next;
      }
    }
    seen += seenHere;
  }
  return { hits, seen, first, whole: seconds() };
}

function figure(what: string, value: number, atMost: number): void {
  const isReached = value <= atMost;
  if (!isReached) missed.push(what);
  console.log(`  ${isReached ? 'reached    ' : 'NOT REACHED'}  ${what}: ${value.toFixed(2)} (at most ${atMost})`);
}
