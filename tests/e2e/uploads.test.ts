import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.ts';
import { accessibilityFaults, chooseAccount, inBrowser, openAs } from '../support/browser.ts';
import type { Fault } from '../support/call-counter.ts';
import { endSessionsOf } from '../support/end-sessions.ts';
import { filesOf, type Files } from '../support/files.ts';
import type { Visitor } from '../support/visitor.ts';

const MIB = 1024 * 1024;
const PART = /\/uploads\/[^/]+\/parts\/(\d+)/;

let app: TestApp;
let admin: Visitor;
let files: Files;
let page: Page;
let directory: string;

inBrowser(startApp, {
  begin: async (started) => {
    app = started;
    admin = await app.signIn('ada');
    files = filesOf(app, admin, 'files');
    directory = await mkdtemp(join(tmpdir(), 'svc-uploads-'));
  },
  each: (opened) => (page = opened),
});
afterAll(() => rm(directory, { recursive: true }));

async function local(name: string, content: string | Buffer): Promise<string> {
  const path = join(directory, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, content);
  return path;
}

async function openFolder(prefix: string, account = 'eve'): Promise<void> {
  await openAs(page, account, `${app.origin}/p/main/files?prefix=${encodeURIComponent(prefix)}`);
  await page.getByRole('button', { name: 'Upload files' }).waitFor();
}

async function upload(...paths: string[]): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Upload files' }).click();
  await (await chooser).setFiles(paths);
}

const tray = () => page.getByRole('region', { name: 'Transfers' });
const trayText = (text: string | RegExp) => tray().getByText(text).filter({ visible: true }).first();

/** Parts that were sent and parts that arrived, by number. */
function watchParts() {
  const sent: number[] = [];
  const arrived: number[] = [];
  page.on('request', (request) => {
    const number = PART.exec(request.url())?.[1];
    if (number !== undefined) sent.push(Number(number));
  });
  page.on('response', (response) => {
    const number = PART.exec(response.url())?.[1];
    if (number !== undefined && response.ok()) arrived.push(Number(number));
  });
  return { sent, arrived };
}

/** Limits how fast the page sends; without a number it is as fast as it can. */
async function limitUpload(bytesPerSecond = -1): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: bytesPerSecond });
}

/** Begins the upload of a large file, and comes back when some of its parts have arrived and some have not. */
async function uploadHalf(path: string) {
  const parts = watchParts();
  await openFolder('large/');
  await limitUpload(8 * MIB);
  await upload(path);
  while (parts.arrived.length < 2) await page.waitForResponse((response) => PART.test(response.url()));
  return parts;
}

describe('uploading', () => {
  it('stores several chosen files, and shows them in the folder', async () => {
    await openFolder('several/');
    await upload(await local('one.txt', 'one'), await local('Grüße #1 100%.txt', 'two'));
    await trayText('Uploaded 2 files').waitFor();
    await page.getByRole('row', { name: 'Grüße #1 100%.txt' }).waitFor();
    expect(await (await files.get('several/one.txt')).text()).toBe('one');
    expect(await files.keys('several/')).toEqual(['several/Grüße #1 100%.txt', 'several/one.txt']);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('stores a chosen folder with the folders in it', async () => {
    await local('album/cover.txt', 'cover');
    await local('album/2024/deep/a.txt', 'a');
    await openFolder('folders/');
    await page.getByRole('button', { name: /more actions/i }).click();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('menuitem', { name: 'Upload folder' }).click();
    await (await chooser).setFiles(join(directory, 'album'));
    await trayText('Uploaded 2 files').waitFor();
    expect(await files.keys('folders/')).toEqual(['folders/album/2024/deep/a.txt', 'folders/album/cover.txt']);
  });

  it('stores what is dropped', async () => {
    await openFolder('dropped/');
    const data = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' }));
      return transfer;
    });
    const area = page.getByTestId('drop-area');
    await area.dispatchEvent('dragenter', { dataTransfer: data });
    await page.getByText('Drop to upload to dropped/').waitFor();
    await area.dispatchEvent('drop', { dataTransfer: data });
    await trayText('Uploaded 1 file').waitFor();
    expect(await (await files.get('dropped/dropped.txt')).text()).toBe('dropped');
  });

  it('offers no upload where it is not allowed, and takes no drop', async () => {
    await openAs(page, 'vic', `${app.origin}/p/main/files?prefix=dropped/`);
    await page.getByRole('row', { name: 'dropped.txt' }).waitFor();
    expect(await page.getByRole('button', { name: 'Upload files' }).count()).toBe(0);
    const data = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['x'], 'x.txt'));
      return transfer;
    });
    await page.getByTestId('drop-area').dispatchEvent('dragenter', { dataTransfer: data });
    await page.getByText('Your policies do not allow uploads here').waitFor();
  });
});

describe('an upload that fails', () => {
  afterEach(() => (app.storageCalls.spoil = undefined));

  /** Storage fails every write beneath `failing/` from now on. */
  const fail = (fault: Fault) => (app.storageCalls.spoil = (call) => (/^PUT .*failing/.test(call) ? fault : undefined));

  it('is tried again by itself when the failure may pass', async () => {
    fail('cut');
    await openFolder('failing/');
    await upload(await local('by itself.txt', 'x'));
    await trayText(/^Trying again · .*storage/i).waitFor();
    app.storageCalls.spoil = undefined;
    await trayText('Uploaded 1 file').waitFor();
    expect(await (await files.get('failing/by itself.txt')).text()).toBe('x');
  });

  it('says why when it does not pass, and is tried again by a button', async () => {
    fail('gone');
    await openFolder('failing/');
    await upload(await local('by button.txt', 'x'));
    await trayText(/It may have been moved or deleted meanwhile/).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    app.storageCalls.spoil = undefined;
    await tray().getByRole('button', { name: 'Try by button.txt again' }).click();
    await trayText('Uploaded 1 file').waitFor();
    expect(await (await files.get('failing/by button.txt')).text()).toBe('x');
  });
});

describe('a taken name', () => {
  it.each([
    ['Replace', { 'a.txt': 'new' }],
    ['Keep both', { 'a.txt': 'old', 'a (2).txt': 'new' }],
    ['Skip', { 'a.txt': 'old' }],
  ])('is asked about: %s', async (answer, expected) => {
    const prefix = `taken/${answer}/`;
    await files.put(`${prefix}a.txt`, 'old');
    await openFolder(prefix);
    await upload(await local('a.txt', 'new'));
    await page.getByRole('dialog', { name: 'The name is taken' }).getByRole('button', { name: answer, exact: true }).click();
    await trayText(answer === 'Skip' ? 'Nothing was uploaded' : 'Uploaded 1 file').waitFor();
    const keys = await files.keys(prefix);
    const found = await Promise.all(keys.map(async (key) => [key.slice(prefix.length), await (await files.get(key)).text()]));
    expect(Object.fromEntries(found)).toEqual(expected);
  });

  it('is answered once for all', async () => {
    for (const name of ['x', 'y', 'z']) await files.put(`all/${name}.txt`, 'old');
    await openFolder('all/');
    await upload(...(await Promise.all(['x', 'y', 'z'].map((name) => local(`${name}.txt`, 'new')))));
    const dialog = page.getByRole('dialog', { name: 'The name is taken' });
    await dialog.waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByRole('checkbox').check();
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await trayText('Uploaded 3 files').waitFor();
    expect(await (await files.get('all/z.txt')).text()).toBe('new');
  });
});

describe('a large file', () => {
  const content = (seed: number) => Buffer.alloc(40 * MIB, seed);

  it('is sent in parts, paused, and resumed with the parts that are missing', async () => {
    const before = await uploadHalf(await local('pausing.bin', content(1)));
    await tray().getByRole('button', { name: 'Pause pausing.bin' }).click();
    await trayText(/^Paused/).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    const after = watchParts();
    await limitUpload();
    await tray().getByRole('button', { name: 'Resume pausing.bin' }).click();
    await trayText('Uploaded 1 file').waitFor();
    expect(after.sent.filter((number) => before.arrived.slice(0, 2).includes(number))).toEqual([]);
    expect(after.sent).toContain(5);
    expect(Buffer.from(await (await files.get('large/pausing.bin')).arrayBuffer()).equals(content(1))).toBe(true);
  });

  it('goes on after a reload once the same file is chosen again', async () => {
    const path = await local('reloading.bin', content(2));
    const before = await uploadHalf(path);
    await reload();
    const after = watchParts();
    await limitUpload();
    await trayText('1 interrupted upload').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await chooseAgain(path);
    await trayText('Uploaded 1 file').waitFor();
    expect(after.sent.filter((number) => before.arrived.slice(0, 2).includes(number))).toEqual([]);
    expect((await (await files.get('large/reloading.bin')).arrayBuffer()).byteLength).toBe(40 * MIB);
    expect(await page.evaluate(() => localStorage.getItem('svc.uploads'))).toBe('[]');
  });

  it('refuses to go on with another file, and can be discarded', async () => {
    await uploadHalf(await local('original.bin', content(3)));
    await reload();
    await chooseAgain(await local('other.bin', content(4)));
    await page.getByText('This is another file').waitFor();
    await tray().getByRole('button', { name: 'Discard' }).click();
    await tray().waitFor({ state: 'detached' });
    expect(await page.evaluate(() => localStorage.getItem('svc.uploads'))).toBe('[]');
  });

  it('gives up its parts when it is cancelled', async () => {
    await uploadHalf(await local('cancelled.bin', content(5)));
    const dropped = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await tray().getByRole('button', { name: 'Cancel cancelled.bin' }).click();
    expect((await dropped).status()).toBe(204);
    await trayText('Cancelled').waitFor();
    expect(await files.keys('large/cancelled')).toEqual([]);
  });

  it('pauses when the session ends, and goes on after signing in again', async () => {
    await openFolder('large/');
    await limitUpload(8 * MIB);
    await upload(await local('session.bin', content(7)));
    await page.waitForRequest(PART);
    await endSessionsOf(app, admin, 'eve');
    await trayText('Uploads wait for you to sign in').waitFor();
    await limitUpload();
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    expect([await page.getByText('session.bin').count(), await page.getByText('Eve Editor').count(), await page.getByRole('grid').count()]).toEqual([1, 0, 0]);
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: 'Sign in', exact: true }).click()]);
    await popup.waitForLoadState();
    if (!popup.isClosed() && popup.url().startsWith(app.issuer)) await chooseAccount(popup, 'eve');
    await trayText('Uploaded 1 file').waitFor();
    expect((await (await files.get('large/session.bin')).arrayBuffer()).byteLength).toBe(40 * MIB);
  });
});

/** Leaves the page although it is uploading, and opens it again. */
async function reload(): Promise<void> {
  const asked = page.waitForEvent('dialog');
  const reloaded = page.reload();
  const dialog = await asked;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.accept();
  await reloaded;
}

async function chooseAgain(path: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await tray().getByRole('button', { name: 'Choose file' }).click();
  await (await chooser).setFiles(path);
}
