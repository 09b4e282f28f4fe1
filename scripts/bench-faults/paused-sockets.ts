import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { providerAt, startBed } from './bed.ts';
import { atMost, exactly, type Figure } from './figure.ts';
import { timed } from './timed.ts';

/** As many as one session may have. */
const SOCKETS = 32;
const SENDING_MS = 12_000;
const CALL = {
  jsonrpc: '2.0',
  id: 'x'.repeat(256),
  method: 'permission/list',
  params: { provider: 'main', bucket: 'files' },
};
const BATCH = JSON.stringify(Array.from({ length: 50 }, () => CALL));
const UNSENT_BYTES = 262_144;

/** Sockets that ask as fast as they can and read nothing, while another person works. */
export async function pausedSockets(): Promise<Figure[]> {
  const bed = await startBed({ providers: [providerAt('main', 'http://127.0.0.1:1')] });
  const sockets: WebSocket[] = [];
  try {
    const other = await bed.signIn('ada');
    const headers = { ...(await bed.signIn('vic')), origin: bed.origin };
    for (let i = 0; i < SOCKETS; i += 1) sockets.push(await pausedSocket(bed.origin, headers));
    const end = performance.now() + SENDING_MS;
    let answered = 0;
    let asked = 0;
    const ask = async (): Promise<void> => {
      for (; performance.now() < end; asked += 1) {
        const { outcome } = await timed(() =>
          fetch(`${bed.origin}/api/providers/main/permissions`, { headers: other }),
        );
        if (outcome.status === 200) answered += 1;
        await wait(100);
      }
    };
    const growth = await bed.service.growthDuring(() =>
      Promise.all([ask(), ...sockets.map((socket) => sendUntil(socket, end))]),
    );
    return [
      exactly('requests of another person not answered', asked - answered, 0),
      atMost(
        `memory grew, with ${SOCKETS} sockets that read nothing for ${SENDING_MS / 1000} s, by`,
        growth,
        250,
        'MB',
      ),
    ];
  } finally {
    for (const socket of sockets) socket.terminate();
    await bed.close();
  }
}

async function pausedSocket(origin: string, headers: Readonly<Record<string, string>>): Promise<WebSocket> {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/rpc`, { headers });
  socket.on('error', () => undefined);
  await once(socket, 'open');
  socket.pause();
  return socket;
}

/** Sends as long as it is taken: what this process keeps is not what is measured. */
async function sendUntil(socket: WebSocket, end: number): Promise<void> {
  while (performance.now() < end && socket.readyState === socket.OPEN) {
    if (socket.bufferedAmount < UNSENT_BYTES) socket.send(BATCH);
    await wait(1);
  }
}
