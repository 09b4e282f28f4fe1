import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { rawRequest } from '../../tests/support/raw-request.ts';
import { providerAt, startBed } from './bed.ts';
import { atMost, exactly, type Figure } from './figure.ts';
import { timed } from './timed.ts';

const CONNECTIONS = 1_000;
const REQUESTS = 50;

/** Nothing, half of the headers, half of a body. */
const HALVES = [
  '',
  'GET /api/providers HTTP/1.1\r\nHost: 127.0.0.1\r\nCoo',
  'POST /rpc HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"jsonrpc"',
];

/** Connections on which half of a request was sent, and what they cost a whole one. */
export async function halfOpen(): Promise<Figure[]> {
  const bed = await startBed({ providers: [providerAt('main', 'http://127.0.0.1:1')] });
  const sockets: Socket[] = [];
  try {
    const headers = await bed.signIn('ada');
    // On a new connection each time: it has to be accepted beside the others.
    const ask = () =>
      rawRequest(bed.origin, '/api/providers/main/buckets/files/permissions', { headers }).then(({ status }) => status);
    for (let i = 0; i < REQUESTS; i += 1) await ask();
    const { port } = new URL(bed.origin);
    for (let i = 0; i < CONNECTIONS; i += 1) {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(HALVES[i % HALVES.length] ?? '');
      sockets.push(socket);
    }
    await wait(500);
    const times: number[] = [];
    let answered = 0;
    for (let i = 0; i < REQUESTS; i += 1) {
      const { ms, outcome } = await timed(ask);
      times.push(ms);
      if (outcome === 200) answered += 1;
    }
    return [
      exactly(`of ${REQUESTS} requests beside ${CONNECTIONS} half-open connections answered`, answered, REQUESTS),
      atMost('the slowest of them took', Math.max(...times), 250, 'ms'),
    ];
  } finally {
    for (const socket of sockets) socket.destroy();
    await bed.close();
  }
}
