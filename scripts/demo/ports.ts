import { createServer } from 'node:net';

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
 * @throws {PortTaken} one line for each port that cannot.
 */
export async function claimPorts(wishes: readonly PortWish[]): Promise<void> {
  const faults = (await Promise.all(wishes.map(faultOf))).filter((fault) => fault !== undefined);
  for (const [i, { port, option }] of wishes.entries()) {
    const twin = wishes.slice(0, i).find((other) => other.port === port && port !== 0);
    if (twin !== undefined) faults.push(`port ${port} is wanted twice; change \`${twin.option}\` or \`${option}\``);
  }
  if (faults.length > 0) throw new PortTaken(faults.join('\n'));
}

async function faultOf({ port, what, option }: PortWish): Promise<string | undefined> {
  if (port === 0) return undefined;
  const code = await new Promise<string | undefined>((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen(port, LOOPBACK, () => probe.close(() => resolve(undefined)));
  });
  if (code === undefined) return undefined;
  const why = code === 'EADDRINUSE' ? 'is in use' : code === 'EACCES' ? 'needs privileges' : `cannot be used (${code})`;
  return `port ${port}, for ${what}, ${why}; choose another one: npm run demo -- ${option} ${port < 1024 ? port + 8000 : port > 60_000 ? port - 100 : port + 100}`;
}
