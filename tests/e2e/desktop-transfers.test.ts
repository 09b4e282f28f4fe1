import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { until } from '../support/desktop-app.ts';
import { signInDesktop } from '../support/desktop-client.ts';
import { endSessionsOf } from '../support/end-sessions.ts';
import { baseOf, test } from './desktop-fixtures.ts';

const MIB = 1_048_576;
/** Large enough to be killed in the middle. `SVC_TEST_DOWNLOAD_MIB=1024` is a GiB, which takes a minute and more. */
const LARGE_MIB = Number(process.env['SVC_TEST_DOWNLOAD_MIB'] ?? 192);

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

test.beforeEach(() => test.slow());

test('a download goes on where it was when the application was killed', async ({
  app,
  computer,
  files,
  bucket,
  startSignedIn,
}) => {
  const content = Buffer.concat(Array.from({ length: LARGE_MIB }, () => randomBytes(MIB)));
  await files.put('large.bin', content);
  const downloads = join(computer.home, 'Downloads');
  await mkdir(downloads);
  const { run, window } = await startSignedIn(app.origin);
  await window.goto(`${baseOf(window)}p/main/${bucket}`);
  await window.getByRole('row', { name: /large\.bin/ }).click();
  await window.getByRole('button', { name: 'Download', exact: true }).first().click();

  const part = async () => (await readdir(downloads)).find((name) => name.endsWith('.part'));
  const partial = await until(async () => {
    const name = await part();
    return name !== undefined && (await stat(join(downloads, name)).catch(() => undefined))?.size ? name : undefined;
  });
  run.child.kill('SIGKILL');
  await run.ended;
  const { size } = await stat(join(downloads, partial));
  expect(size).toBeLessThan(content.length);

  // What arrived is marked, so that it shows that it was kept.
  const flip = async (path: string) => {
    const bytes = await readFile(path);
    bytes[0]! ^= 0xff;
    await writeFile(path, bytes);
  };
  await flip(join(downloads, partial));
  const again = await computer.start([]).window();
  await expect(again.getByRole('region', { name: 'Transfers' })).toContainText('Downloading large.bin');
  const whole = join(downloads, 'large.bin');
  await until(async () => ((await readdir(downloads)).includes('large.bin') ? true : undefined));
  expect(sha256(await readFile(whole))).not.toBe(sha256(content));
  await flip(whole);
  expect(sha256(await readFile(whole))).toBe(sha256(content));
  expect(await readdir(downloads)).toEqual(['large.bin']);
});

test('a download waits for the next sign-in when the session is revoked in the middle', async ({
  app,
  bucket,
  computer,
  files,
  signIn,
  signedIn,
  startSignedIn,
}) => {
  const content = Buffer.concat(Array.from({ length: LARGE_MIB }, () => randomBytes(MIB)));
  await files.put('waits.bin', content);
  const downloads = join(computer.home, 'Downloads');
  await mkdir(downloads);
  const { window } = await startSignedIn(app.origin);
  const opened = (await computer.opened()).length;
  await window.goto(`${baseOf(window)}p/main/${bucket}`);
  await window.getByRole('row', { name: /waits\.bin/ }).click();
  await window.getByRole('button', { name: 'Download', exact: true }).first().click();
  await until(async () => ((await readdir(downloads)).length > 0 ? true : undefined));
  await endSessionsOf(app.origin, await signedIn(app.origin, 'ada'), 'eve');
  await expect(window.getByRole('heading', { name: 'Your session has ended' })).toBeVisible();
  expect(await readdir(downloads)).not.toContain('waits.bin');
  await window.getByRole('button', { name: 'Sign in' }).click();
  await signIn(/Eve/, opened);
  await until(async () => ((await readdir(downloads)).includes('waits.bin') ? true : undefined));
  expect(sha256(await readFile(join(downloads, 'waits.bin')))).toBe(sha256(content));

  // Without a file manager that can mark it, the system opens the folder.
  const before = (await computer.opened()).length;
  await window.getByRole('button', { name: 'Show in folder' }).click();
  expect(await computer.nextOpened(before)).toBe(downloads);
});

test('a full disk is told, and the download goes on at the next start when there is room', async ({
  app,
  bucket,
  computer,
  files,
}) => {
  const content = randomBytes(48 * MIB);
  await files.put('wide.bin', content);
  const downloads = join(computer.home, 'Downloads');
  await mkdir(downloads);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'none', downloads]).status === 0;
  test.skip(!mounted, 'only root can make a small disk');
  try {
    await computer.keep(app.origin, (await signInDesktop(app, 'eve')).access_token);
    const run = computer.start(['--server', app.origin]);
    const window = await run.window();
    await expect(window.getByRole('button', { name: /Session of/ })).toBeVisible();
    await window.goto(`${baseOf(window)}p/main/${bucket}?object=wide.bin`);
    await window.getByRole('button', { name: 'Download', exact: true }).first().click();
    const tray = window.getByRole('region', { name: 'Transfers' });
    await expect(tray).toContainText('The disk is full; free some space, and the download resumes at the next start');
    expect(await readdir(downloads)).not.toContain('wide.bin');
    await run.stop();
    spawnSync('mount', ['-o', 'remount,size=128m', downloads]);
    await expect((await computer.start([]).window()).getByRole('button', { name: /Session of/ })).toBeVisible();
    await expect.poll(() => readdir(downloads)).toEqual(['wide.bin']);
    expect(sha256(await readFile(join(downloads, 'wide.bin')))).toBe(sha256(content));
  } finally {
    spawnSync('umount', ['--lazy', downloads]);
  }
});
