import { rm } from 'node:fs/promises';
import { createConnection, createServer, type Server } from 'node:net';

const ANSWER_MS = 5_000;

/** The request of a second start to the running application. */
export type Wish = { readonly server: string | undefined; readonly account: string; readonly path: string };

/**
 * Becomes the only instance of the application. Instances find each other by a socket that only this user can reach.
 *
 * @param address - of the socket: a path, or on Windows a pipe.
 * @returns undefined when another instance is running, which then received the request.
 */
export async function becomeOnly(
  address: string,
  wish: Wish,
  onWish: (wish: Wish) => void,
): Promise<Server | undefined> {
  if (await handOver(address, wish)) return undefined;
  // The socket was left by a process that was killed.
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

/** @returns false when nobody answers. */
function handOver(address: string, wish: Wish): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(address, () => socket.write(`${JSON.stringify(wish)}\n`));
    socket.setTimeout(ANSWER_MS, () => socket.destroy());
    socket.once('data', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}
