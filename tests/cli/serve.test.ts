import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Machine } from './svc-process.ts';

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.make();
});
afterAll(() => machine.remove());

it('svc serve ends with status 1 and says why on standard error when its port is in use, with metrics too', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  await writeFile(join(machine.home, 'svc.config.yaml'), JSON.stringify({ server: { port, metrics: { host: '127.0.0.1', port: 0 } }, auth: { enabled: false }, providers: [] }));
  const { status, stdout, stderr } = await machine.start(['serve']).ended;
  expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: expect.not.stringContaining('in use'), stderr: expect.stringContaining(`port ${port} on 127.0.0.1 is in use`) });
  taken.close();
}, 60_000);
