import { rm } from 'node:fs/promises';
import { createConnection, createServer, type Server } from 'node:net';

const ANSWER_MS = 5_000;

/** What a second start asks of the application that runs already. */
export type Wish = { readonly server: string | undefined; readonly account: string; readonly path: string };

/**
 * The one instance of the application, found by a socket that only this user can reach.
 *
 * @param address - of the socket: a path, or on Windows a pipe.
 * @returns undefined when another instance runs. It has the wish then.
 */
export async function becomeOnly(address: string, wish: Wish, onWish: (wish: Wish) => void): Promise<Server | undefined> {
  if (await handOver(address, wish)) return undefined;
  // Whoever left it there was killed.
  if (process.platform !== 'win32') await rm(address, { force: true });
  const server = createServer((socket) => {
    let text = '';
    socket.setEncoding('utf8').on('error', () => socket.destroy());
    socket.on('data', (more: string) => {
      text += more;
      if (!text.endsWith('\n')) return;
      socket.end('taken\n');
      onWish(JSON.parse(text) as Wish);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, resolve);
  });
  return server;
}

/** @returns false when nobody answers there. */
function handOver(address: string, wish: Wish): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(address, () => socket.write(`${JSON.stringify(wish)}\n`));
    socket.setTimeout(ANSWER_MS, () => socket.destroy());
    socket.once('data', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}
