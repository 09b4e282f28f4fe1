import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { providerAt, startBed } from './bed.ts';
import { atMost, exactly, type Figure } from './figure.ts';
import { startStubProcess } from './stub-process.ts';

const DOWNLOADS = 20;
const DOWNLOAD_BYTES = 8 * 2 ** 20;
/** After each chunk of a download, which goes on for two seconds and more. */
const PAUSE_MS = 20;
const UPLOADS = 10;
const CALLERS = 32;
const SOCKETS = 20;
const LOAD_MS = 1_500;

type Outcome = 'whole' | 'cut' | 'refused';

/** SIGTERM while objects stream both ways, requests come as fast as they can, and sockets are open. The storage is a stub. */
export async function stopUnderLoad(): Promise<Figure[]> {
  const stub = await startStubProcess();
  const bed = await startBed({ providers: [providerAt('stub', stub.url)] });
  try {
    const headers = await bed.signIn('ada');
    const object = (key: number) => `${bed.origin}/api/providers/stub/buckets/files/object?key=${key}`;
    const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => openSocket(bed.origin, headers)));
    const downloads = Array.from({ length: DOWNLOADS }, () => send(object(DOWNLOAD_BYTES), { headers }, PAUSE_MS));
    const uploads = Array.from({ length: UPLOADS }, () =>
      send(
        object(1),
        { method: 'PUT', headers: { ...headers, 'content-length': 300_000 } },
        0,
        slowBody(30, 10_000, 100),
      ),
    );

    let terminatedAt = Infinity;
    const counts = { before: 0, wrong: 0 };
    const agent = new http.Agent({ keepAlive: true, maxSockets: CALLERS });
    const callers = Array.from({ length: CALLERS }, async () => {
      for (;;) {
        // Until it has left this process it is not in flight.
        let sentAt = Infinity;
        const outcome = await send(
          `${bed.origin}/api/providers/stub/buckets/files/permissions`,
          { headers, agent },
          0,
          (req) => void req.end(() => (sentAt = performance.now())),
        );
        const isLate = sentAt >= terminatedAt;
        // An answer that was begun has to be whole in any case.
        if (outcome === 'cut' || (outcome === 'refused' && !isLate)) counts.wrong += 1;
        if (!isLate) counts.before += 1;
        if (isLate || outcome !== 'whole') return;
      }
    });
    await wait(LOAD_MS);
    terminatedAt = performance.now();
    const { status, ms } = await bed.service.terminate();
    await Promise.all(callers);
    const transfers = await Promise.all([...downloads, ...uploads]);
    const codes = await Promise.all(sockets.map(({ closed }) => closed));
    return [
      exactly(
        'transfers in flight that ended whole',
        transfers.filter((outcome) => outcome === 'whole').length,
        DOWNLOADS + UPLOADS,
      ),
      exactly(`of ${counts.before} requests sent before it, answered with an error or cut`, counts.wrong, 0),
      exactly('sockets closed with 1001', codes.filter((code) => code === 1001).length, SOCKETS),
      exactly('exit status', status ?? 'killed', 0),
      atMost('it took', ms / 1000, 10, 's'),
    ];
  } finally {
    await bed.close();
    stub.close();
  }
}

async function openSocket(
  origin: string,
  headers: { readonly cookie: string },
): Promise<{ readonly closed: Promise<number> }> {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/rpc`, { headers: { ...headers, origin } });
  await once(socket, 'open');
  return { closed: once(socket, 'close').then(([code]) => code as number) };
}

function send(
  url: string,
  options: http.RequestOptions,
  pauseMs = 0,
  body?: (req: http.ClientRequest) => void,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const req = http.request(url, options);
    req.on('error', () => resolve('refused'));
    req.once('response', (answer) => {
      answer.on('error', () => undefined);
      answer.on('data', () => {
        if (pauseMs === 0) return;
        answer.pause();
        setTimeout(() => answer.resume(), pauseMs);
      });
      answer.once('close', () => resolve(answer.complete && answer.statusCode === 200 ? 'whole' : 'cut'));
    });
    if (body === undefined) req.end();
    else body(req);
  });
}

function slowBody(chunks: number, bytes: number, everyMs: number): (req: http.ClientRequest) => void {
  return (req) => {
    let left = chunks;
    const timer = setInterval(() => {
      if (left === 0 || req.destroyed) {
        clearInterval(timer);
        req.end();
        return;
      }
      left -= 1;
      req.write(Buffer.alloc(bytes));
    }, everyMs);
  };
}
