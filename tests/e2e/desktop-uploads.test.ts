import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { until } from '../support/desktop-app.ts';
import { signInDesktop } from '../support/desktop-client.ts';
import { endSessionsOf } from '../support/end-sessions.ts';
import { baseOf, test } from './desktop-fixtures.ts';

const MIB = 1_048_576;
/** Twelve parts of 8 MiB, of which storage takes the first eight until it is told to take the rest. */
const LARGE_MIB = 96;
const PARTS = 12;
const TAKEN_PARTS = 8;

const isLatePart = (call: string) => Number(/^PUT .*[?&]partNumber=(\d+)/.exec(call)?.[1] ?? 0) > TAKEN_PARTS;

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

/** What the file manager does: it drags paths of this computer over the window and lets them go. */
async function dropOn(window: Page, paths: readonly string[]): Promise<void> {
  const session = await window.context().newCDPSession(window);
  const at = { x: 640, y: 500, data: { items: [], files: [...paths], dragOperationsMask: 1 } };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, ...at });
  await session.detach();
}

/** What the system's dialog does. */
async function chooseBy(window: Page, press: () => Promise<void>, path: string): Promise<void> {
  const session = await window.context().newCDPSession(window);
  const opened = new Promise<number>((resolve) =>
    session.on('Page.fileChooserOpened', ({ backendNodeId }) => resolve(backendNodeId!)),
  );
  await session.send('Page.enable');
  await session.send('Page.setInterceptFileChooserDialog', { enabled: true });
  await press();
  await session.send('DOM.setFileInputFiles', { files: [path], backendNodeId: await opened });
  await session.detach();
}

async function goToFolder(window: Page, bucket: string, prefix: string): Promise<void> {
  await expect(window.getByRole('button', { name: /Session of/ })).toBeVisible();
  await window.goto(`${baseOf(window)}p/main/${bucket}?prefix=${encodeURIComponent(prefix)}`);
  await expect(window.getByRole('button', { name: 'Upload' }).first()).toBeVisible();
}

test('files and folders of the file manager are uploaded by the main process', async ({
  app,
  computer,
  files,
  bucket,
}) => {
  const album = join(computer.home, 'album');
  await mkdir(join(album, 'sea'), { recursive: true });
  await mkdir(join(album, 'empty'));
  await writeFile(join(album, 'a.txt'), 'first');
  await writeFile(join(album, 'sea/b.txt'), 'second');
  await writeFile(join(computer.home, 'secret.txt'), 'not of the album');
  await symlink(join(computer.home, 'secret.txt'), join(album, 'link.txt'));
  const single = join(computer.home, 'Größe & more.txt');
  await writeFile(single, 'alone');
  await computer.keep(app.origin, (await signInDesktop(app, 'eve')).access_token);
  const window = await computer.start(['--server', app.origin]).window();
  await goToFolder(window, bucket, 'dropped/');
  const bodies: string[] = [];
  window.on('request', (request) => {
    if (request.method() === 'PUT') bodies.push(request.url());
  });

  await test.step('with their folders, and without symbolic links', async () => {
    await dropOn(window, [album, single]);
    await expect(window.getByText('1 item was left out')).toBeVisible();
    await expect
      .poll(() => files.keys('dropped/'))
      .toEqual(['dropped/Größe & more.txt', 'dropped/album/a.txt', 'dropped/album/empty/', 'dropped/album/sea/b.txt']);
    expect(await (await files.get('dropped/album/sea/b.txt')).text()).toBe('second');
    // What stands for an empty folder is no file of this computer.
    expect(bodies.map((url) => new URL(url).searchParams.get('key'))).toEqual(['dropped/album/empty/']);
  });

  await test.step('a taken name is asked about, and kept until it is answered', async () => {
    await writeFile(single, 'another');
    await dropOn(window, [single]);
    await expect(window.getByRole('dialog')).toContainText('Größe & more.txt');
    expect(await (await files.get('dropped/Größe & more.txt')).text()).toBe('alone');
    await window.getByRole('dialog').getByRole('button', { name: 'Keep both' }).click();
    await until(async () => ((await files.keys('dropped/Gr')).length === 2 ? true : undefined));
    expect(await (await files.get('dropped/Größe & more (2).txt')).text()).toBe('another');
    await expect(window.getByRole('dialog')).toBeHidden();
    await dropOn(window, [single]);
    await window.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
    await until(async () =>
      (await (await files.get('dropped/Größe & more.txt')).text()) === 'another' ? true : undefined,
    );
  });

  await test.step('files and folders of the dialog too', async () => {
    await writeFile(join(computer.home, 'chosen.txt'), 'chosen');
    await chooseBy(
      window,
      () => window.getByRole('button', { name: 'Upload files' }).click(),
      join(computer.home, 'chosen.txt'),
    );
    await expect.poll(() => files.keys('dropped/chosen')).toEqual(['dropped/chosen.txt']);
    const other = join(computer.home, 'other/deep');
    await mkdir(other, { recursive: true });
    await writeFile(join(other, 'c.txt'), 'third');
    await window.getByRole('button', { name: /more actions/i }).click();
    await chooseBy(
      window,
      () => window.getByRole('menuitem', { name: 'Upload folder' }).click(),
      join(computer.home, 'other'),
    );
    await expect.poll(() => files.keys('dropped/other')).toEqual(['dropped/other/deep/c.txt']);
    expect(bodies).toHaveLength(1);
  });

  await test.step('a page names no file of this computer', async () => {
    const asked = await window.evaluate(`(async () => {
      const target = { provider: 'main', bucket: ${JSON.stringify(bucket)}, key: 'stolen' };
      const made = new File(['x'], '${join(computer.home, 'secret.txt')}');
      const fakes = [made, new File([made], '/etc/passwd'), { path: '/etc/passwd', name: 'passwd' }, '/etc/passwd', Object.create(File.prototype, { path: { value: '/etc/passwd' } })];
      const taken = await svcDesktop.takeFiles({ files: fakes, paths: ['/etc/passwd'] });
      const refused = [];
      for (const id of [0, 1, 999, '/etc/passwd', { path: '/etc/passwd' }]) refused.push(await svcDesktop.sendUpload({ id, path: '/etc/passwd', ...target }).then(() => 'sent', ({ message }) => message));
      return { taken, refused };
    })()`);
    expect(asked).toEqual({
      taken: [null, null, null, null, null],
      refused: Array.from({ length: 5 }, () => 'there is no such upload'),
    });
    expect(await files.keys('stolen')).toEqual([]);
  });
});

test('an upload goes on by itself after the application was killed', async ({ app, computer, files, bucket }) => {
  test.slow();
  const large = join(computer.home, 'large.bin');
  const content = Buffer.concat(Array.from({ length: LARGE_MIB }, () => randomBytes(MIB)));
  await writeFile(large, content);
  await computer.keep(app.origin, (await signInDesktop(app, 'eve')).access_token);
  const run = computer.start(['--server', app.origin]);
  const window = await run.window();
  await goToFolder(window, bucket, 'killed/');
  const sentParts = () => app.storageCalls.calls.filter((call) => /^PUT .*partNumber=/.test(call)).length;
  app.storageCalls.reset();
  app.storageCalls.spoil = (call) => (isLatePart(call) ? 'hold' : undefined);
  await dropOn(window, [large]);
  await until(() => Promise.resolve(app.storageCalls.calls.some(isLatePart) ? true : undefined));
  run.child.kill('SIGKILL');
  await run.ended;
  app.storageCalls.spoil = undefined;
  expect(await files.keys('killed/')).toEqual([]);

  const sentUntilThen = sentParts();
  const again = await computer.start([]).window();
  await expect(again.getByRole('region', { name: 'Transfers' })).toContainText('large.bin');
  await until(async () => ((await files.keys('killed/')).length === 1 ? true : undefined));
  expect(sha256(Buffer.from(await (await files.get('killed/large.bin')).arrayBuffer()))).toBe(sha256(content));
  expect(sentParts() - sentUntilThen).toBeLessThan(PARTS - 4);
  await expect(again.getByRole('region', { name: 'Transfers' })).toContainText('in ' + bucket);
  // Nothing is left to go on with.
  expect(await again.evaluate('svcDesktop.unfinishedUploads()')).toEqual([]);
});

test('an upload waits for the next sign-in, and is told when its file was changed', async ({
  app,
  bucket,
  computer,
  files,
  signIn,
  signedIn,
  startSignedIn,
}) => {
  test.slow();
  const waits = join(computer.home, 'waits.bin');
  await writeFile(waits, randomBytes(LARGE_MIB * MIB));
  const { run, window } = await startSignedIn(app.origin);
  const opened = (await computer.opened()).length;
  await goToFolder(window, bucket, 'waits/');
  app.storageCalls.spoil = (call) => (isLatePart(call) ? 'hold' : undefined);
  await dropOn(window, [waits]);
  await expect.poll(() => window.evaluate('svcDesktop.unfinishedUploads()')).toHaveLength(1);
  await endSessionsOf(app.origin, await signedIn(app.origin, 'ada'), 'eve');
  await expect(window.getByRole('heading', { name: 'Your session has ended' })).toBeVisible();
  app.storageCalls.spoil = undefined;
  expect(await window.evaluate('svcDesktop.unfinishedUploads()')).toEqual([]);
  await window.getByRole('button', { name: 'Sign in', exact: true }).click();
  await signIn(/Eve/, opened);
  await until(async () => ((await files.keys('waits/')).length === 1 ? true : undefined));
  expect(sha256(Buffer.from(await (await files.get('waits/waits.bin')).arrayBuffer()))).toBe(
    sha256(await readFile(waits)),
  );

  await test.step('changed while the application was away', async () => {
    await writeFile(waits, randomBytes(LARGE_MIB * MIB));
    await goToFolder(window, bucket, 'changed/');
    app.storageCalls.spoil = (call) => (isLatePart(call) ? 'hold' : undefined);
    await dropOn(window, [waits]);
    await expect.poll(() => window.evaluate('svcDesktop.unfinishedUploads()')).toHaveLength(1);
    run.child.kill('SIGKILL');
    await run.ended;
    app.storageCalls.spoil = undefined;
    await utimes(waits, new Date(), new Date(0));
    const again = await computer.start([]).window();
    const tray = again.getByRole('region', { name: 'Transfers' });
    await expect(tray).toContainText('The file changed while it was copied');
    await tray.getByRole('button', { name: 'Close transfers' }).click();
    await expect.poll(() => again.evaluate('svcDesktop.unfinishedUploads()')).toEqual([]);
    expect(await files.keys('changed/')).toEqual([]);
  });
});
