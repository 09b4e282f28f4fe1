import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { WorkersService } from './workers-service.ts';

type Asked = { readonly method?: string; readonly body?: object };

/** A connection that stays open, so that all its requests reach the same worker. */
export class KeptConnection {
  readonly #origin: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  /** The socket of the latest request. */
  socket: Socket | undefined;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Sends a request. @returns the status of the answer. */
  ask(path: string, credential: string, { method = 'GET', body }: Asked = {}): Promise<number> {
    return new Promise((resolve, reject) => {
      const asked = request(
        `${this.#origin}${path}`,
        {
          method,
          agent: this.#agent,
          headers: { authorization: `Bearer ${credential}`, ...(body && { 'content-type': 'application/json' }) },
        },
        (res) => res.resume().on('end', () => resolve(res.statusCode ?? 0)),
      );
      asked.on('socket', (socket) => (this.socket = socket));
      asked.on('error', reject).end(body && JSON.stringify(body));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** One kept connection to each worker, in the order of `service.workers()`. */
export async function connectionToEach(service: WorkersService): Promise<KeptConnection[]> {
  const open: KeptConnection[] = [];
  for (;;) {
    const kept = service
      .workers()
      .map((pid) => open.find(({ socket }) => socket !== undefined && holds(service, pid, socket)));
    if (kept.every((one) => one !== undefined)) {
      for (const one of open) if (!kept.includes(one)) one.close();
      return kept;
    }
    const next = new KeptConnection(service.origin);
    await next.ask('/api/health', '');
    open.push(next);
  }
}

/** Whether a worker has the other end of a connection. */
export function holds({ origin }: WorkersService, pid: number, { localPort = 0 }: Socket): boolean {
  const port = (number: number) => `:${number.toString(16).toUpperCase().padStart(4, '0')}`;
  const ends = `${port(Number(new URL(origin).port))} 0100007F${port(localPort)} `;
  const row = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .find((line) => line.includes(ends));
  const inode = row?.trim().split(/\s+/)[9];
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).some((fd) => targetOf(join(folder, fd)) === `socket:[${inode}]`);
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return 'closed meanwhile';
  }
}
