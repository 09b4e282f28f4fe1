import { createServer, type AddressInfo } from 'node:net';

/** Everything in the demo listens here and nowhere else. */
export const LOOPBACK = '127.0.0.1';

/** A port of the demo: who wants it, and the option that chooses another one. */
export type PortWish = {
  /** 0 takes any free port. */
  readonly port: number;
  readonly what: string;
  readonly option: string;
};

/** A port that something else is using already; the message names the option that changes it. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
  readonly code = 'port_taken';
}

/**
 * Finds out whether every port can be had, before anything starts.
 *
 * @returns the ports in the order of the wishes, with a free one in the place of each 0.
 * @throws {PortTaken} one line for each port that cannot.
 */
export async function claimPorts(wishes: readonly PortWish[]): Promise<readonly number[]> {
  const probes = await Promise.all(wishes.map(({ port }) => probe(port)));
  const faults = wishes.flatMap((wish, i) => {
    const { code } = probes[i]!;
    return code === undefined ? [] : [faultOf(wish, code)];
  });
  await Promise.all(probes.map(({ release }) => release()));
  if (faults.length > 0) throw new PortTaken(faults.join('\n'));
  return probes.map(({ port }) => port);
}

type Probe = { readonly port: number; readonly code: string | undefined; readonly release: () => Promise<void> };

/** Takes the port until it is released, so that no two wishes get the same one. */
async function probe(port: number): Promise<Probe> {
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

function faultOf({ port, what, option }: PortWish, code: string): string {
  const why = code === 'EADDRINUSE' ? 'is in use' : code === 'EACCES' ? 'needs privileges' : `cannot be used (${code})`;
  const another = port < 1024 ? port + 8000 : port > 60_000 ? port - 100 : port + 100;
  return `port ${port}, for ${what}, ${why}; choose another one: npm run demo -- ${option} ${another}`;
}
