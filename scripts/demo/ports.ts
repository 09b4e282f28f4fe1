import { createServer, type AddressInfo } from 'node:net';

/** Everything in the demo listens here and nowhere else. */
export const LOOPBACK = '127.0.0.1';

/** A port of the demo: who wants it, and the option that chooses another one. */
export type PortWish = {
  /** Whether another free port is taken in its place when it cannot be had. */
  readonly isPreferred?: true;
  /** 0 takes any free port. */
  readonly port: number;
  readonly what: string;
  /** Undefined when no option chooses it. */
  readonly option?: string;
};

/** Ports that cannot be used; the message names a command with ports that can. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
  readonly code = 'port_taken';
}

/**
 * Finds out whether every port can be had, before anything is built or started.
 *
 * @returns the ports in the order of the wishes, with a free one in the place of each 0.
 * @throws {PortTaken} one line for each port that cannot, and one command that starts the demo on others.
 */
export async function claimPorts(wishes: readonly PortWish[]): Promise<readonly number[]> {
  const faults: string[] = [];
  const probes: Probe[] = [];
  // All stay taken until the end, so that no two wishes get the same one.
  for (const wish of wishes) {
    let probe = await take(wish.port);
    if (probe.code !== undefined && wish.isPreferred === true) probe = await take(0);
    if (probe.code !== undefined) faults.push(faultOf(wish, probe.code));
    for (let { port } = wish; probe.code !== undefined;) {
      port = anotherThan(port);
      probe = await take(port);
    }
    probes.push(probe);
  }
  await Promise.all(probes.map(({ release }) => release()));
  if (faults.length > 0) {
    const options = wishes.flatMap(({ option }, i) => (option === undefined ? [] : [`${option} ${probes[i]!.port}`]));
    throw new PortTaken(`${faults.join('\n')}\nThese ports can be used: npm run demo -- ${options.join(' ')}`);
  }
  return probes.map(({ port }) => port);
}

type Probe = { readonly port: number; readonly code: string | undefined; readonly release: () => Promise<void> };

async function take(port: number): Promise<Probe> {
  const server = createServer();
  const code = await new Promise<string | undefined>((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, LOOPBACK, () => resolve(undefined));
  });
  if (code !== undefined) return { port, code, release: async () => undefined };
  return {
    port: (server.address() as AddressInfo).port,
    code,
    release: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function anotherThan(port: number): number {
  return port < 1024 ? port + 8000 : port > 65_000 ? 10_000 : port + 100;
}

function faultOf({ port, what }: PortWish, code: string): string {
  const why = code === 'EADDRINUSE' ? 'is in use' : code === 'EACCES' ? 'needs privileges' : `cannot be used (${code})`;
  return `port ${port}, for ${what}, ${why}`;
}
