import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startBehindProxy } from '../../cli/behind-proxy.ts';
import { Machine } from '../../cli/svc-process.ts';

/** The RPC method whose next answers are lost, or whose next requests are sent twice, and how many of them. */
let spoiled: string | undefined;
let times = 1;
let how: 'lose the answer' | 'send twice';
let behind: Awaited<ReturnType<typeof startBehindProxy>>;
let machine: Machine;

beforeAll(async () => {
  behind = await startBehindProxy((_method, body) => {
    if (spoiled === undefined || !body.includes(`"method":"${spoiled}"`)) return 'pass';
    if ((times -= 1) <= 0) spoiled = undefined;
    return how;
  });
  machine = await Machine.make();
  await machine.login(behind.origin, 'ada');
  await mkdir(join(machine.home, 'site'));
  for (const name of ['a', 'b']) await writeFile(join(machine.home, 'site', name), name);
  await machine.svc('cp', 'site/a', 'svc:main/files/there');
});
afterAll(async () => {
  await machine.remove();
  await behind.close();
});

async function lists(folder: string): Promise<string[]> {
  return (await machine.svc('ls', '-r', folder)).stdout.split('\n').filter(Boolean).sort();
}

const CHANGES = [
  ['object/copy', ['mv', '-r', 'main/files/1', 'main/files/to1'], 'moved 2 objects\n', '1', []],
  ['object/copy', ['mv', 'main/files/6/a', 'main/files/6/b', 'main/files/to6/'], 'moved 2 objects\n', '6', []],
  [
    'object/copy',
    ['cp', '-r', 'svc:main/files/2', 'svc:main/files/to2'],
    'copied 2 files\n',
    'to2',
    ['to2/a', 'to2/b'],
  ],
  ['object/copy', ['sync', 'svc:main/files/3', 'svc:main/files/to3'], /copied 2 files/, 'to3', ['to3/a', 'to3/b']],
  ['object/delete', ['rm', '-r', 'main/files/4'], 'deleted 2 objects\n', '4', []],
  ['object/delete', ['sync', '--delete', './site', 'svc:main/files/5'], /deleted 1/, '5', ['5/a', '5/b']],
  ['object/list', ['rm', '-r', 'main/files/7'], 'deleted 2 objects\n', '7', []],
  ['object/search', ['find', 'main/files/9'], /9\/a\n.*9\/b\n/, '9', ['9/a', '9/b']],
] as const;

describe.each(['lose the answer', 'send twice'] as const)('behind a proxy that may %s', (named) => {
  it.each(CHANGES)('the change of %s by svc %j is made once, and succeeds', async (method, given, says, at, keys) => {
    const inHere = (text: string) => text.replace('main/files/', `main/files/${named}/`);
    const args = given.map(inHere);
    const folder = inHere(`main/files/${/\d/.exec(given.join(' '))![0]}`);
    await machine.svc('cp', '-r', 'site', `svc:${folder}`);
    if (given[1] === '--delete') await machine.svc('cp', 'site/a', `svc:${folder}/old`);
    [spoiled, how] = [method, named];
    const stdout = typeof says === 'string' ? says : expect.stringMatching(says);
    expect(await machine.svc(...args)).toMatchObject({ status: 0, stdout, stderr: '' });
    expect(spoiled).toBeUndefined();
    expect(await lists(inHere(`main/files/${at}`))).toEqual(keys.map((key) => `${named}/${key}`));
  });

  it('a bucket and the keys of a person are made and revoked once', async () => {
    const bucket = `main/once-${named.replaceAll(' ', '-')}`;
    const change = async (method: string, ...args: string[]) => {
      [spoiled, how] = [method, named];
      expect(await machine.svc(...args)).toMatchObject({ status: 0, stderr: '' });
      expect(spoiled).toBeUndefined();
    };
    await change('bucket/create', 'mb', bucket);
    await change('bucket/delete', 'rb', bucket);
    const { stdout } = await machine.svc('key', 'create', named, '--allow', 'objects:read=main', '--json');
    await change('apiKey/revoke', 'key', 'revoke', (JSON.parse(stdout) as { key: { id: string } }).key.id);
    for (const args of [
      ['mb', 'main/files'],
      ['rb', bucket],
      ['key', 'revoke', 'none'],
    ])
      expect(await machine.svc(...args)).toMatchObject({ status: 1, stdout: '' });
  });

  it('a move of what is not there fails', async () => {
    [spoiled, how] = ['object/copy', named];
    for (const target of ['nowhere', 'there'])
      expect(await machine.svc('mv', 'main/files/none', `main/files/${target}`)).toMatchObject({
        status: 1,
        stdout: 'moved 0 objects\n',
      });
  });
});

it('a move goes on when the looks at its object are lost', async () => {
  await machine.svc('cp', 'site/a', 'svc:main/files/8/a');
  [spoiled, how, times] = ['object/head', 'lose the answer', 2];
  expect(await machine.svc('mv', 'main/files/8/a', 'main/files/8/b')).toMatchObject({ status: 0, stderr: '' });
  expect(await lists('main/files/8')).toEqual(['8/b']);
});

it('a bucket that was there before is not called made when the look at it is lost', async () => {
  [spoiled, how, times] = ['bucket/get', 'lose the answer', 2];
  expect(await machine.svc('mb', 'main/files')).toMatchObject({ status: 1, stdout: '' });
  expect(spoiled).toBeUndefined();
});

it('svc restore goes on when an answer is lost', async () => {
  let asked = 0;
  const none = { objects: 0, bytes: 0 };
  const counts = { restore: { objects: 2, bytes: 2 }, delete: none, leave: none, unchanged: none };
  const result = { plannedAt: '2026-01-01T00:00:00Z', entries: [], counts, nextCursor: null };
  const server = createServer((req, res) => {
    asked += 1;
    if (asked === 1) req.socket.destroy();
    else req.resume().on('end', () => res.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result })));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const args = ['restore', '--server', url, '--credential', 'x', '--at', '2026-01-01T00:00:00Z', 'main/files'];
  expect(await machine.svc(...args)).toMatchObject({
    status: 0,
    stdout:
      'brought back 2 objects (2 B), deleted 0 objects (0 B), left 0 objects (0 B); now as then: 2 objects (2 B)\n',
  });
  server.close().closeAllConnections();
});
