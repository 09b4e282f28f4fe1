import { setTimeout as wait } from 'node:timers/promises';
import { patient, providerAt, startBed } from './bed.ts';
import { atMost, exactly, type Figure } from './figure.ts';
import { GreedyRequest } from './greedy-request.ts';
import { startStubProcess } from './stub-process.ts';
import { timed } from './timed.ts';

/** More than the service has connections to a provider for bodies. */
const TRANSFERS = 560;
const DRIP_MS = 5_000;
const READS = 300;
/** Longer than a transfer waits for a connection. */
const SETTLE_MS = 12_000;
/** Far above what is measured, because other work of the machine counts too; far below the minutes of an endless queue. */
const P99_MS = 2_000;

/** Transfers and questions of one person that go on for ever, while another person reads and lists. The storage is a stub. */
export async function onePerson(): Promise<Figure[]> {
  const stub = await startStubProcess();
  const bed = await startBed({ providers: [patient(providerAt('stub', stub.url))] });
  try {
    const [eve, vic] = [await bed.signIn('eve'), await bed.signIn('vic')];
    const bucket = `${bed.origin}/api/providers/stub/buckets/files`;
    const object = (key: string | number) => `${bucket}/object?key=${key}`;
    const read = async (): Promise<Reads> =>
      readsOf(async () => {
        const listing = await fetch(`${bucket}/objects?prefix=1/`, { headers: vic });
        await listing.text();
        return listing.ok && (await (await fetch(object(5), { headers: vic })).text()).length === 5;
      });
    const upload = (i: number): GreedyRequest => {
      const request = new GreedyRequest(object(`k${i}`), {
        method: 'PUT',
        headers: { ...eve, 'content-length': 2 ** 30 },
      });
      request.drip(DRIP_MS);
      return request;
    };
    const begun = (url: string, options: { method?: string; type?: string; body?: string } = {}): GreedyRequest => {
      const request = new GreedyRequest(url, {
        method: options.method ?? 'GET',
        headers: { ...eve, ...(options.body !== undefined && { 'content-type': 'application/json' }) },
      });
      request.end(options.body);
      return request;
    };
    const kinds: readonly [string, (i: number) => GreedyRequest][] = [
      [`uploads of a byte every ${DRIP_MS / 1000} s`, upload],
      ['unread downloads', () => begun(object(5 * 2 ** 30))],
      [
        'unread archives',
        () => begun(`${bucket}/archive`, { method: 'POST', body: JSON.stringify({ keys: [String(5 * 2 ** 30)] }) }),
      ],
      ['listings that storage does not answer', (i) => begun(`${bucket}/objects?prefix=held/${i}/`)],
      ['unread searches', () => begun(`${bucket}/search?q=txt&prefix=1000000/`)],
    ];
    await read();
    const figures: Figure[] = [];
    for (const [what, begin] of kinds) {
      const without = await read();
      const requests = Array.from({ length: TRANSFERS }, (_, i) => begin(i));
      const first = await read();
      await wait(SETTLE_MS);
      const later = await read();
      const refused = requests.filter(({ status, retryAfter }) => status === 429 && retryAfter !== undefined).length;
      const others = requests.filter(({ status }) => status !== undefined && status !== 429 && status !== 200).length;
      for (const request of requests) request.stop();
      figures.push(
        atMost(
          `${TRANSFERS} ${what} (${refused} refused with 429): a folder is listed and 5 bytes are read by another person, without them in ${told(without)}, while they begin in ${told(first)}, later in ${told(later)}; p99`,
          Math.max(first.p99, later.p99),
          P99_MS,
          'ms',
        ),
        exactly(
          'such reads that failed',
          [without, first, later].reduce((sum, { failed }) => sum + failed, 0),
          0,
        ),
        exactly('refusals other than 429', others, 0),
      );
    }
    return figures;
  } finally {
    await bed.close();
    stub.close();
  }
}

type Reads = { readonly p50: number; readonly p99: number; readonly failed: number };

function told({ p50, p99 }: Reads): string {
  return `${p50.toFixed(1)} ms (p99 ${p99.toFixed(0)})`;
}

async function readsOf(work: () => Promise<boolean>): Promise<Reads> {
  const times: number[] = [];
  let failed = 0;
  for (let i = 0; i < READS; i += 1) {
    const { ms, outcome } = await timed(() => work().catch(() => false));
    times.push(ms);
    if (!outcome) failed += 1;
  }
  times.sort((a, b) => a - b);
  return { p50: times[Math.floor(READS / 2)]!, p99: times[Math.floor(READS * 0.99)]!, failed };
}
