import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/** Beneath the ports that systems give to connections of their own, and above those that browsers refuse. */
const FIRST = 12_000;
const COUNT = 20_000;

/**
 * A port of the loopback address that nobody listens at: redirect URIs have to be known before the service listens.
 *
 * One that the system picks could be the next connection's before the service has it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if ((await take(port)) && (await isFree(port))) return port;
  }
}

export function freePorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, freePort));
}

/**
 * Takes the UDP port of the same number for as long as this process lives, so that no other process of the tests gets this port.
 *
 * @returns false if another one has it.
 */
function take(port: number): Promise<boolean> {
  const mark = createSocket('udp4');
  return new Promise((resolve) => {
    mark.once('error', () => {
      mark.close();
      resolve(false);
    });
    mark.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      mark.unref();
      resolve(true);
    });
  });
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
