import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { builtProgram } from '../../support/built-program.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { RpcClient } from '../../support/rpc-client.ts';
import { openUploads } from '../../support/s3rver-gaps.ts';
import { Machine } from '../../cli/svc-process.ts';

const MIB = 1024 * 1024;
const PART = 16 * MIB;

let app: TestApp;
let machine: Machine;
let eve: RpcClient;
let program: string;
beforeAll(async () => {
  app = await startApp();
  machine = await Machine.make();
  program = await builtProgram();
  const session = (await signInDesktop(app, 'eve')).access_token;
  eve = RpcClient.bearer(app.origin, session);
  Object.assign(machine.env, { SVC_SERVER: app.origin, SVC_CREDENTIAL: session });
});
afterEach(async () => {
  app.storageCalls.reset();
  expect(await openUploads(app.s3.server.store, 'files')).toEqual([]);
});
afterAll(async () => {
  await machine.remove();
  await app.close();
});

/** `svc cp - svc:main/files/KEY`, with this standard input. */
function copy(key: string, stdin: 'pipe' | number, ...more: string[]) {
  const child: ChildProcess = spawn(process.execPath, [program, 'cp', ...more, '-', `svc:main/files/${key}`], {
    cwd: machine.home,
    env: machine.env,
    stdio: [stdin, 'pipe', 'pipe'],
  });
  child.stdin?.on('error', () => undefined);
  const texts = Promise.all([text(child.stdout!), text(child.stderr!)]);
  const ended = new Promise<{ status: number | null; stdout: string; stderr: string }>((resolve) =>
    child.once('close', (status) => void texts.then(([stdout, stderr]) => resolve({ status, stdout, stderr }))),
  );
  return { child, ended };
}

async function stored(key: string): Promise<Buffer | undefined> {
  const { url } = await eve.call('transfer/create', { provider: 'main', bucket: 'files', direction: 'download', key });
  const response = await fetch(url);
  return response.status === 200 ? Buffer.from(await response.arrayBuffer()) : undefined;
}
const partsSent = () => app.storageCalls.calls.filter((call) => /^PUT .*[?&]partNumber=/.test(call)).length;
const partHasArrived = async () => {
  while (partsSent() === 0) await new Promise((resolve) => setTimeout(resolve, 20));
};

describe('svc cp - svc:PROVIDER/BUCKET/KEY', () => {
  it.each([
    ['nothing', 0, 0],
    ['a little', 11, 0],
    ['exactly one part', PART, 0],
    ['parts', 2 * PART + 5, 3],
  ] as const)('stores %s of what a pipe brings', async (name, bytes, parts) => {
    const content = randomBytes(bytes);
    const { child, ended } = copy(`piped ${name}.txt`, 'pipe', '--json');
    // In pieces that are no parts.
    for (let at = 0; at < bytes; at += 3 * MIB + 1) child.stdin!.write(content.subarray(at, at + 3 * MIB + 1));
    child.stdin!.end();
    const { status, stdout, stderr } = await ended;
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ copied: 1, skipped: 0, guessed: 0, bytes, failed: [] });
    expect((await stored(`piped ${name}.txt`))?.equals(content)).toBe(true);
    expect(partsSent()).toBe(parts);
    const head = await eve.call('object/head', { provider: 'main', bucket: 'files', key: `piped ${name}.txt` });
    expect(head.contentType).toBe('text/plain');
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('stores nothing on %s, and leaves no part', async (signal) => {
    const { child, ended } = copy('interrupted.bin', 'pipe');
    child.stdin!.write(Buffer.alloc(2 * PART + 1));
    await partHasArrived();
    child.kill(signal);
    expect(await ended).toEqual({ status: 1, stdout: '', stderr: 'interrupted; nothing was stored\n' });
    expect(await stored('interrupted.bin')).toBeUndefined();
  });

  it('keeps the object as it was when standard input cannot be read', async () => {
    await copyText('kept.txt', 'before');
    // Reading a folder fails.
    const { status, stderr } = await copy('kept.txt', openSync(machine.home, 'r')).ended;
    expect({ status, stderr }).toEqual({ status: 1, stderr: 'this is a folder\n' });
    expect((await stored('kept.txt'))?.toString()).toBe('before');
  });

  it.each([
    [['cp', '-', 'svc:main/files/folder/'], 'a folder'],
    [['cp', '-', 'svc:main/files'], 'names no object'],
    [['cp', '-', 'local.txt'], 'one remote object'],
    [['cp', '-', 'a.txt', 'svc:main/files/'], 'one remote object'],
    [['cp', '-r', '-', 'svc:main/files/x'], 'one remote object'],
  ])('refuses %j', async (args, why) => {
    expect(await machine.svc(...args)).toEqual({ status: 2, stdout: '', stderr: expect.stringContaining(why) });
  });
});

async function copyText(key: string, content: string): Promise<void> {
  const { child, ended } = copy(key, 'pipe');
  child.stdin!.end(content);
  expect((await ended).status).toBe(0);
}
