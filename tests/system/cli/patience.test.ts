import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { Connection } from '../../../src/client/connection.ts';
import { startStubService } from '../../cli/stub-service.ts';
import { Machine } from '../../cli/svc-process.ts';

/** Node's `fetch` gives up after five minutes by itself; the process that is started here, after half a second. */
it('waits for an answer as long as the service does', async () => {
  const server = createServer(
    (req, res) =>
      void req
        .resume()
        .once('end', () => setTimeout(() => res.end('{"jsonrpc":"2.0","id":1,"result":{"etag":"x"}}'), 3_000)),
  );
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const script = join(import.meta.dirname, '../../support/patient-call.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [
    script,
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  ]);
  expect(stdout).toBe('{"etag":"x"}');
  server.close();
  server.closeAllConnections();
});

it('asks no question again that was not answered for long', async () => {
  let asked = 0;
  const server = createServer((req) => {
    asked += 1;
    setTimeout(() => req.socket.destroy(), 6_000);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await expect(new Connection(`http://127.0.0.1:${port}`, 'x').call('provider/list', {})).rejects.toMatchObject({
    code: 'unreachable',
  });
  expect(asked).toBe(1);
  server.close();
});

it('leaves no file, only its part, when the connection stays broken, and goes on the next time', async () => {
  const content = Buffer.from('0123456789'.repeat(1000));
  const stub = await startStubService({ content, keys: ['numbers'], cuts: 6 });
  const machine = await Machine.make();
  const download = () =>
    machine.svc('cp', '--server', stub.url, '--credential', 'x', 'svc:main/files/numbers', 'numbers');
  const broken = await download();
  const left = await readdir(machine.home);
  const again = await download();
  await stub.close();
  expect([broken.status, left, again.status]).toEqual([
    1,
    expect.arrayContaining([expect.stringMatching(/^numbers\.[0-9a-f]{16}\.part$/)]),
    0,
  ]);
  expect(left).not.toContain('numbers');
  expect((await readFile(join(machine.home, 'numbers'))).equals(content)).toBe(true);
  expect(stub.ranges.slice(0, 4)).toEqual(['', 'bytes=5000-', 'bytes=7500-', 'bytes=8750-']);
  expect(stub.ranges).toHaveLength(7);
  await machine.remove();
});
