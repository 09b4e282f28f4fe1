import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimPorts } from '../../../scripts/demo/ports.ts';

describe('claimPorts', () => {
  let squatter: Server;
  let taken: number;

  beforeAll(async () => {
    squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
    taken = (squatter.address() as AddressInfo).port;
  });

  afterAll(() => void squatter.close());

  it('finds a free port for each 0, and leaves it free', async () => {
    const ports = await claimPorts([wish(0), wish(0)]);
    expect(new Set(ports).size).toBe(2);
    await expect(claimPorts(ports.map(wish))).resolves.toEqual(ports);
  });

  it('says in one line for each port that is in use what wants it, and names one command that works', async () => {
    const claim = claimPorts([
      wish(0),
      { port: taken, what: 'the identity provider', option: '--idp-port' },
      { port: taken, what: 'the service', option: '--port' },
    ]);
    await expect(claim).rejects.toMatchObject({ code: 'port_taken' });
    const message = await claim.then(
      () => '',
      (error: unknown) => (error as Error).message,
    );
    const [first, second, command = ''] = message.split('\n');
    expect([first, second]).toEqual([
      `port ${taken}, for the identity provider, is in use`,
      `port ${taken}, for the service, is in use`,
    ]);
    const [, ...ports] = /npm run demo -- --part (\d+) --idp-port (\d+) --port (\d+)$/.exec(command)!.map(Number);
    expect(await claimPorts(ports.map(wish))).toEqual(ports);
  });

  it('refuses the same port for two parts', async () => {
    const [port = 0] = await claimPorts([wish(0)]);
    await expect(claimPorts([wish(port), wish(port)])).rejects.toMatchObject({ code: 'port_taken' });
  });

  it('takes a preferred port when it is free, and another one when not', async () => {
    const [free = 0] = await claimPorts([wish(0)]);
    const preferring = (port: number) => claimPorts([{ port, what: 'S3 tools', isPreferred: true }]);
    expect(await preferring(free)).toEqual([free]);
    const [other = 0] = await preferring(taken);
    expect([0, taken]).not.toContain(other);
  });

  function wish(port: number): { port: number; what: string; option: string } {
    return { port, what: 'a part', option: '--part' };
  }
});
