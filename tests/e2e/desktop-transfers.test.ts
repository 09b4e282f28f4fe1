import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { until } from '../support/desktop-app.ts';
import { signInDesktop } from '../support/desktop-client.ts';
import { endSessionsOf } from '../support/end-sessions.ts';
import { baseOf, test } from './desktop-fixtures.ts';

const MIB = 1_048_576;
/** Large enough to be killed in the middle. */
const LARGE_MIB = Number(process.env['SVC_TEST_DOWNLOAD_MIB'] ?? 192);

/** What the UI sends at once. */
const PART_MIB = 8;

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

test('a download goes on where it was when the application was killed', async ({ app, computer, files, bucket, startSignedIn }) => {
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
  computer.start([]);
  const whole = join(downloads, 'large.bin');
  await until(async () => ((await readdir(downloads)).includes('large.bin') ? true : undefined));
  expect(sha256(await readFile(whole))).not.toBe(sha256(content));
  await flip(whole);
  expect(sha256(await readFile(whole))).toBe(sha256(content));
  expect(await readdir(downloads)).toEqual(['large.bin']);
});

/** What the file manager does: it drags paths of this computer over the window and lets them go. */
async function dropOn(window: Page, paths: readonly string[]): Promise<void> {
  const session = await window.context().newCDPSession(window);
  const at = { x: 640, y: 500, data: { items: [], files: [...paths], dragOperationsMask: 1 } };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) await session.send('Input.dispatchDragEvent', { type, ...at });
  await session.detach();
}

test('a folder of the file manager arrives in storage; an upload that was killed goes on with the same file', async ({ app, computer, files, bucket }) => {
  const album = join(computer.home, 'album');
  await mkdir(join(album, 'sea'), { recursive: true });
  await writeFile(join(album, 'a.txt'), 'first');
  await writeFile(join(album, 'sea/b.txt'), 'second');
  await computer.keep(app.origin, (await signInDesktop(app, 'eve')).access_token);
  const run = computer.start(['--server', app.origin]);
  const window = await run.window();
  await expect(window.getByRole('button', { name: /Session of/ })).toBeVisible();
  await window.goto(`${baseOf(window)}p/main/${bucket}?prefix=dropped%2F`);
  await expect(window.getByRole('button', { name: 'Upload' }).first()).toBeVisible();
  await dropOn(window, [album]);
  await until(async () => ((await files.keys('dropped/')).length === 2 ? true : undefined));
  expect(await files.keys('dropped/')).toEqual(['dropped/album/a.txt', 'dropped/album/sea/b.txt']);
  expect(await (await files.get('dropped/album/sea/b.txt')).text()).toBe('second');

  const large = join(computer.home, 'large.bin');
  const content = Buffer.concat(Array.from({ length: LARGE_MIB }, () => randomBytes(MIB)));
  await writeFile(large, content);
  const sentParts = () => app.storageCalls.calls.filter((call) => /^PUT .*partNumber=/.test(call)).length;
  const before = sentParts();
  await dropOn(window, [large]);
  await until(() => Promise.resolve(sentParts() > before + 6 ? true : undefined));
  run.child.kill('SIGKILL');
  await run.ended;

  const again = await computer.start([]).window();
  const sentUntilThen = sentParts();
  await expect(again.getByText('1 interrupted upload')).toBeVisible();
  await again.goto(`${baseOf(again)}p/main/${bucket}?prefix=dropped%2F`);
  await expect(again.getByRole('button', { name: 'Upload' }).first()).toBeVisible();
  await dropOn(again, [large]);
  await until(async () => ((await files.keys('dropped/large')).length === 1 ? true : undefined));
  expect(sha256(Buffer.from(await (await files.get('dropped/large.bin')).arrayBuffer()))).toBe(sha256(content));
  expect(sentParts() - sentUntilThen).toBeLessThan(LARGE_MIB / PART_MIB);
});

test('a download waits for the next sign-in when the session is revoked in the middle', async ({ app, bucket, computer, files, signIn, signedIn, startSignedIn }) => {
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
