import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

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
