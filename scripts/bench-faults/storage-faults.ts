import http from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../tests/support/free-port.ts';
import { providerAt, startBed } from './bed.ts';
import { atMost, exactly, type Figure } from './figure.ts';
import { startStubProcess } from './stub-process.ts';
import { timed } from './timed.ts';

const HELD = 300;
const HELD_SECONDS = 10;
/** Until what it costs to ask so often is over, and only the waiting is left. */
const ASKING_MS = 4_000;
const PATIENCE_MS = 3_000;
const SLACK_MS = 500;

/** How storage can fail a caller, and the status for it. `patience` is one second to connect and two of silence. */
const FAULTS = [
  { name: 'down', status: 502 },
  { name: 'resetting', status: 502 },
  { name: 'half-open', status: 504 },
  { name: 'slow', status: 504 },
] as const;

/** Storage that is down, resets, accepts and says nothing, or takes a minute to answer; and what another provider feels of it. */
export async function storageFaults(): Promise<Figure[]> {
  const stub = await startStubProcess();
  const resetting = await listen(createServer((socket) => void socket.resetAndDestroy()));
  const mute = await listen(createServer((socket) => void socket.on('error', () => undefined).resume()));
  const slow = await listen(
    http.createServer((_req, res) => void wait(60_000, undefined, { ref: false }).then(() => res.end())),
  );
  const urls = {
    down: `http://127.0.0.1:${await freePort()}`,
    resetting: resetting.url,
    'half-open': mute.url,
    slow: slow.url,
  };
  const bed = await startBed({
    providers: [
      providerAt('main', stub.url),
      ...FAULTS.map(({ name }) => providerAt(name, urls[name])),
      { ...providerAt('stuck', mute.url), timeout_seconds: HELD_SECONDS },
    ],
  });
  try {
    const headers = await bed.signIn('ada');
    const ask = async (provider: string, [method, path]: readonly [string, string]) => {
      const answer = await fetch(`${bed.origin}/api/providers/${provider}/buckets${path}`, {
        method,
        headers,
        ...(method === 'PUT' && { body: 'x' }),
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    const questions = [
      ['GET', ''],
      ['GET', '/files/objects'],
      ['HEAD', '/files/object?key=1'],
      ['GET', '/files/object?key=1'],
      ['PUT', '/files/object?key=1'],
      ['DELETE', '/files/object?key=1'],
    ] as const;
    const small = () => timed(() => ask('main', ['GET', '/files/object?key=1000']));
    await small();
    const alone = await times(small);
    const figures: Figure[] = [];
    for (const { name, status } of FAULTS) {
      const answers = await Promise.all(questions.map((question) => timed(() => ask(name, question))));
      figures.push(
        exactly(
          `${name}: of ${questions.length} questions answered ${status}`,
          answers.filter(({ outcome }) => outcome === status).length,
          questions.length,
        ),
      );
      figures.push(
        atMost(
          `${name}: the slowest of them took`,
          Math.max(...answers.map(({ ms }) => ms)),
          PATIENCE_MS + SLACK_MS,
          'ms',
        ),
      );
    }
    const held = Array.from({ length: HELD }, (_, i) => ask('stuck', questions[i % questions.length]!));
    await wait(ASKING_MS);
    const beside = await times(small);
    figures.push(
      exactly(
        `of ${HELD} requests that wait answered 504`,
        (await Promise.all(held)).filter((status) => status === 504).length,
        HELD,
      ),
    );
    figures.push(
      atMost(
        `another provider beside them (slowest ${beside.slowest.toFixed(0)} ms; alone ${alone.median.toFixed(0)}, slowest ${alone.slowest.toFixed(0)} ms), median of 50`,
        beside.median,
        250,
        'ms',
      ),
    );
    return figures;
  } finally {
    await bed.close();
    stub.close();
    for (const server of [resetting, mute, slow]) server.close();
  }
}

async function times(
  work: () => Promise<{ readonly ms: number; readonly outcome: number }>,
): Promise<{ readonly median: number; readonly slowest: number }> {
  const all: number[] = [];
  for (let i = 0; i < 50; i += 1) {
    const { ms, outcome } = await work();
    if (outcome !== 200) throw new Error(`the other provider answered ${outcome}`);
    all.push(ms);
  }
  all.sort((a, b) => a - b);
  return { median: all[25]!, slowest: all[49]! };
}

async function listen(server: Server): Promise<{ readonly url: string; close(): void }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
