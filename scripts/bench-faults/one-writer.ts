import type http from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { patient, providerAt, startBed, type Bed } from './bed.ts';
import { atMost, exactly, type Figure } from './figure.ts';
import { GreedyRequest } from './greedy-request.ts';
import { startStubProcess } from './stub-process.ts';

const REQUESTS = 200;
/** Longer than a request waits for memory and then for a connection, so that each is at work or refused at the end. */
const HOLD_MS = 25_000;
const LIMIT_MB = 150;
const MB = 1e6;

type Form = { readonly what: string; readonly headers: http.OutgoingHttpHeaders; readonly bytes: number };

const FORMS: readonly Form[] = [
  { what: 'of 600 GB that stall after 50 MB', headers: { 'content-length': 600e9 }, bytes: 50 * MB },
  { what: 'of 4 GB that stall after 50 MB', headers: { 'content-length': 4e9 }, bytes: 50 * MB },
  { what: 'of unknown length that stall after 7 MB', headers: { 'transfer-encoding': 'chunked' }, bytes: 7 * MB },
];

/** Uploads of one person that begin and never end. Each form has a service of its own, because a process keeps memory that it once had. */
export async function oneWriter(): Promise<Figure[]> {
  const stub = await startStubProcess();
  const figures: Figure[] = [];
  try {
    for (const form of FORMS) {
      const bed = await startBed({ providers: [patient(providerAt('stub', stub.url))] });
      try {
        figures.push(...(await held(bed, form)));
      } finally {
        await bed.close();
      }
    }
    return figures;
  } finally {
    stub.close();
  }
}

async function held(bed: Bed, { what, headers, bytes }: Form): Promise<Figure[]> {
  const [eve, vic] = [await bed.signIn('eve'), await bed.signIn('vic')];
  const object = (key: string | number) => `${bed.origin}/api/providers/stub/buckets/files/object?key=${key}`;
  const store = async (key: string): Promise<number> =>
    (await fetch(object(key), { method: 'PUT', headers: eve, body: new Uint8Array(9 * MB) })).status;
  const read = async (): Promise<number> => (await (await fetch(object(5), { headers: vic })).text()).length;
  // What a first request loads stays for good.
  for (let i = 0; i < 3; i += 1) await Promise.all([store('first'), read()]);
  const rest = bed.service.memory;
  const idle = await bed.service.growthDuring(() => wait(HOLD_MS / 4));
  const requests: GreedyRequest[] = [];
  let other = 0;
  const growth = await bed.service.growthDuring(async () => {
    for (let i = 0; i < REQUESTS; i += 1) {
      const request = new GreedyRequest(object(`k${i}`), { method: 'PUT', headers: { ...eve, ...headers } });
      request.send(bytes);
      requests.push(request);
    }
    await wait(HOLD_MS);
    other = await read();
  });
  const count = (isIt: (request: GreedyRequest) => boolean): number => requests.filter(isIt).length;
  const taken = requests.reduce((sum, { sent }) => sum + sent, 0);
  const untold = count(
    ({ status, retryAfter }) => status !== undefined && status !== 413 && (status !== 429 || retryAfter === undefined),
  );
  for (const request of requests) request.stop();
  let after = 0;
  for (let tries = 0; after !== 200 && tries < 50; tries += 1) after = await store('after');
  const told = `${count(({ status }) => status === undefined)} held, ${count(({ status }) => status === 429)} refused with 429, ${count(({ status }) => status === 413)} with 413, ${(taken / MB).toFixed(0)} MB taken`;
  return [
    atMost(
      `${REQUESTS} uploads ${what} (${told}): memory grew, from ${rest.toFixed(0)} MB, which grew by ${idle.toFixed(1)} MB at rest, by`,
      growth,
      LIMIT_MB,
      'MB',
    ),
    exactly('refusals other than 413, and 429 with `Retry-After`', untold, 0),
    exactly('bytes that another person read meanwhile', other, 5),
    exactly('the status of an upload of the same person afterwards', after, 200),
  ];
}
