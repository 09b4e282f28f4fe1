import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { openUploads } from '../../support/s3rver-gaps.ts';
import { Machine } from '../../cli/svc-process.ts';

const LARGE = Buffer.alloc(17 * 1024 * 1024, 'svc ');

let app: TestApp;
let machine: Machine;
beforeAll(async () => {
  app = await startApp();
  machine = await Machine.make();
  const session = (await signInDesktop(app, 'eve')).access_token;
  Object.assign(machine.env, { SVC_SERVER: app.origin, SVC_CREDENTIAL: session });
  await writeFile(at('small.txt'), 'small');
  await writeFile(at('large.bin'), LARGE);
  await mkdir(at('folder'));
  for (const name of ['a', 'b']) await writeFile(at('folder', name), name);
});
afterEach(() => {
  app.storageCalls.spoil = undefined;
});
afterAll(async () => {
  await machine.remove();
  await app.close();
});

const at = (...parts: string[]) => join(machine.home, ...parts);

async function about(key: string): Promise<{ contentType: string; headers: object; metadata: object }> {
  const { stdout } = await machine.svc('stat', '--json', `main/files/${key}`);
  return JSON.parse(stdout) as Awaited<ReturnType<typeof about>>;
}

describe('svc cp --metadata', () => {
  const given = ['--metadata', 'Project=Äpfel & Öl', '--metadata', 'a=b=c', '--metadata', 'content-language=de'];
  const kept = {
    headers: { 'content-language': 'de' },
    metadata: { project: 'Äpfel & Öl', a: 'b=c', mtime: expect.stringMatching(/^\d+/) },
  };

  it('stores metadata and headers with a file, with one in parts, and with each of a folder', async () => {
    expect(await machine.svc('cp', ...given, 'small.txt', 'large.bin', 'svc:main/files/up/')).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect(await machine.svc('cp', '-r', ...given, 'folder', 'svc:main/files/up/folder')).toMatchObject({ status: 0 });
    expect(await about('up/small.txt')).toMatchObject({ contentType: 'text/plain', ...kept });
    for (const key of ['up/large.bin', 'up/folder/a', 'up/folder/b']) expect(await about(key)).toMatchObject(kept);
  });

  it('stores them with standard input too', async () => {
    const { ended } = machine.start(['cp', '--content-type', 'text/csv', ...given, '-', 'svc:main/files/in'], {}, 'x');
    expect(await ended).toMatchObject({ status: 0 });
    const { mtime: _mtime, ...metadata } = kept.metadata;
    expect(await about('in')).toMatchObject({ contentType: 'text/csv', headers: kept.headers, metadata });
  });

  it('stores them also when the file is sent again and an object with its bytes is there', async () => {
    expect(await machine.svc('cp', 'small.txt', 'svc:main/files/again')).toMatchObject({ status: 0 });
    let writes = 0;
    // More often than the service tries by itself.
    app.storageCalls.spoil = (call) => (call.startsWith('PUT ') && (writes += 1) <= 6 ? 'busy' : undefined);
    expect(await machine.svc('cp', '--metadata', 'state=new', 'small.txt', 'svc:main/files/again')).toMatchObject({
      status: 0,
    });
    expect(writes).toBeGreaterThan(6);
    expect(await about('again')).toMatchObject({ metadata: { state: 'new' } });
  });

  it('goes on with an upload that broke off only if they are the same', async () => {
    const copy = (...options: string[]) => ['cp', ...options, 'large.bin', 'svc:main/files/resumed'];
    /** Kills an upload when its second part is held. */
    const breakOff = async (...options: string[]): Promise<void> => {
      const { promise: held, resolve } = Promise.withResolvers<undefined>();
      app.storageCalls.spoil = (call) => {
        if (!/^PUT .*[?&]partNumber=2\b/.test(call)) return undefined;
        resolve(undefined);
        return 'hold';
      };
      const running = machine.start(copy('-j', '1', ...options));
      await held;
      running.child.kill('SIGKILL');
      await running.ended;
      app.storageCalls.spoil = undefined;
    };
    await breakOff('--metadata', 'state=draft');
    expect(await machine.svc(...(copy('--metadata', 'state=final') as [string]))).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('what is stored with it, has changed since its upload broke off'),
    });
    expect(await about('resumed')).toMatchObject({ metadata: { state: 'final' } });
    await breakOff('--metadata', 'state=same');
    expect(await machine.svc(...(copy('--metadata', 'state=same') as [string]))).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/1 of \d parts have arrived/),
    });
    expect(await about('resumed')).toMatchObject({ metadata: { state: 'same' } });
    expect(await openUploads(app.s3.server.store, 'files')).toEqual([]);
  });

  it.each([
    ['a name without a value', ['project'], 'has a name and a value'],
    ['no name', ['=x'], 'has a name and a value'],
    ['a name with a space', ['my name=x'], 'no header that is stored'],
    ['a name that is no ASCII', ['größe=x'], 'no header that is stored'],
    ['a value of two lines', ['note=a\nb'], 'a character that no header can have'],
    ['the prefix of storage', ['X-Amz-Meta-Project=x'], 'leave `x-amz-meta-` out'],
    ['another header of storage', ['x-amz-acl=public-read'], 'no name for `--metadata`'],
    ['the time of the file', ['mtime=1'], 'the modification time of the file'],
    ['the content type', ['Content-Type=text/csv'], '`--content-type TYPE`'],
    ['a name twice', ['a=1', 'A=2'], '`a` twice'],
    ['too much', ['a=' + 'x'.repeat(1_100), 'b=' + 'x'.repeat(930)], 'more than 2 KiB'],
    ['a coding with which nothing is stored', ['content-encoding=aws-chunked'], '`aws-chunked`'],
  ])('is a mistake of use with %s', async (_, pairs, said) => {
    const options = pairs.flatMap((pair) => ['--metadata', pair]);
    expect(await machine.svc('cp', ...options, 'small.txt', 'svc:main/files/refused')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(said),
    });
  });

  it('is a mistake of use with a download, and with a copy within the service', async () => {
    const [option, source] = [['--metadata', 'a=b'], 'svc:main/files/up/small.txt'];
    for (const target of ['down', '-', 'svc:main/files/up/copy'])
      expect(await machine.svc('cp', ...option, source, target)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('`--metadata` goes with uploads'),
      });
    expect(await readdir(at('.'))).not.toContain('down');
    expect(await readFile(at('small.txt'), 'utf8')).toBe('small');
  });
});
