import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { signInDesktop } from '../support/desktop-client.ts';
import { freePort } from '../support/free-port.ts';
import { Machine } from './svc-process.ts';

const DETAIL = 'the state database gave no answer; try again in a moment';

let app: TestApp;
let machine: Machine;
let front: Server;
/** Methods of RPC, or `GET` of an object, that the service cannot do now. */
let failing: RegExp | undefined;

beforeAll(async () => {
  app = await startApp();
  front = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.once('end', () => {
      const body = Buffer.concat(chunks);
      const [{ method = `${req.method}` } = {}] = [JSON.parse(body.toString() || '{}') as { method?: string }].flat();
      if (failing?.test(method)) {
        front.emit('refused');
        const data = { code: 'state_unavailable', detail: DETAIL };
        res.writeHead(req.url === '/rpc' ? 200 : 503, { 'content-type': 'application/json' });
        res.end(JSON.stringify(req.url === '/rpc' ? { jsonrpc: '2.0', id: 1, error: { message: 'x', data } } : data));
        return;
      }
      const { method: verb = '', headers, url = '' } = req;
      request(app.origin + url, { method: verb, headers }, (answer) => {
        res.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(res);
      }).end(body);
    });
  });
  await new Promise<void>((resolve) => void front.listen(0, '127.0.0.1', resolve));
  machine = await Machine.make();
  const { access_token: session } = await signInDesktop(app, 'eve');
  const { port } = front.address() as AddressInfo;
  Object.assign(machine.env, { SVC_SERVER: `http://127.0.0.1:${port}`, SVC_CREDENTIAL: session });
  await mkdir(join(machine.home, 'up'));
  for (const name of ['a', 'b', 'c']) await writeFile(join(machine.home, 'up', name), name);
});
afterAll(async () => {
  front.closeAllConnections();
  front.close();
  await machine.remove();
  await app.close();
});

describe('while the state database of the service cannot be used, a person learns at once, and once, why a copy waits', () => {
  it.each([
    ['an upload', /^transfer\/create$/, ['cp', '-r', 'up', 'svc:main/files/up'], 'up/[abc]'],
    [
      'a copy in the service',
      /^object\/copy$/,
      ['cp', '-r', 'svc:main/files/up', 'svc:main/files/copy'],
      'main/files/up/[abc]',
    ],
    ['a download', /^GET$/, ['cp', '-r', 'svc:main/files/up', 'down'], 'main/files/up/[abc]'],
  ])('%s', async (_what, methods, args, path) => {
    failing = methods;
    const copy = machine.start(args);
    await copy.stderrHas(/\n/);
    failing = undefined;
    expect(await copy.ended).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(new RegExp(`^${path}: waits and tries again: ${DETAIL}\n$`)),
    });
  });

  it('a copy that waits at its target and then for a file', async () => {
    failing = /^object\/list$/;
    const copy = machine.start(['cp', '-r', '-j', '1', '--resume', 'up', 'svc:main/files/waits']);
    await copy.stderrHas(/\n/);
    failing = /^transfer\/create$/;
    await once(front, 'refused');
    failing = undefined;
    expect(await copy.ended).toMatchObject({ status: 0, stderr: `waits and tries again: ${DETAIL}\n` });
  });

  it.each<[string, RegExp, string[]]>([
    ['a copy of standard input', /^transfer\/create$/, ['cp', '-', 'svc:main/files/in']],
    ['a deletion', /^object\/delete$/, ['rm', 'main/files/in']],
    ['a revocation', /^apiKey\/revoke$/, ['key', 'revoke', 'x']],
  ])('%s', async (_what, methods, args) => {
    failing = methods;
    const copy = machine.start(args);
    await copy.stderrHas(/\n/);
    failing = undefined;
    expect((await copy.ended).stderr).toMatch(new RegExp(`^waits and tries again: ${DETAIL}\n`));
  });
});

it('a person learns within seconds, and once, that a copy waits for a service that cannot be reached', async () => {
  const { SVC_SERVER: there = '' } = machine.env;
  const port = await freePort();
  const server = `http://127.0.0.1:${port}`;
  const copy = machine.start(['cp', '-r', 'up', 'svc:main/files/later'], { SVC_SERVER: server });
  await copy.stderrHas(/\n/);
  const late = createServer((req, res) => {
    const { method = '', headers, url = '' } = req;
    req.pipe(
      request(there + url, { method, headers }, (answer) => {
        res.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(res);
      }),
    );
  });
  await new Promise<void>((resolve) => void late.listen(port, '127.0.0.1', resolve));
  const ended = await copy.ended;
  late.closeAllConnections();
  late.close();
  expect(ended).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(
      new RegExp(`^(?:up/[abc]: )?waits and tries again: ${server} cannot be reached \\(ECONNREFUSED\\)[^\n]*\n$`),
    ),
  });
});
