import { randomBytes } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import type { TestApp } from '../support/app.ts';
import type { Fault } from '../support/call-counter.ts';
import { row, tray } from '../support/page.ts';
import { unzip } from '../support/unzip.ts';
import { test as base } from './fixtures.ts';

const MIB = 1024 * 1024;

const test = base.extend<{ readonly downloadAlbum: () => Promise<void> }>({
  /** Downloads a folder of two files. */
  downloadAlbum: async ({ files, openFolder, page }, use) => {
    await files.put('album/a.bin', randomBytes(2 * MIB).toString('base64'));
    await files.put('album/deep/b.txt', 'the last of them');
    await use(async () => {
      await openFolder('');
      await row(page, 'album').getByRole('checkbox').check();
      await page.getByRole('button', { name: 'Download as ZIP' }).click();
    });
  },
});

test.afterEach(({ app }) => void (app.storageCalls.spoil = undefined));

/** The save dialog cannot be operated from here: it is replaced by one that gives a real file of the browser's private file system, and counts what reaches it. */
async function answerSaveDialog(page: Page, answer: 'file' | 'dismiss'): Promise<void> {
  await page.addInitScript((given) => {
    const saved = { written: 0, suggested: '' };
    const showSaveFilePicker = async ({ suggestedName }: { suggestedName: string }): Promise<FileSystemFileHandle> => {
      saved.suggested = suggestedName;
      if (given === 'dismiss') throw new DOMException('The user aborted a request.', 'AbortError');
      const folder = await navigator.storage.getDirectory();
      const file = await folder.getFileHandle(suggestedName, { create: true });
      const createWritable = async (): Promise<WritableStream> => {
        const real = await FileSystemFileHandle.prototype.createWritable.call(file);
        return new WritableStream<Uint8Array<ArrayBuffer>>({
          write: async (chunk) => {
            await real.write(chunk);
            saved.written += chunk.byteLength;
          },
          close: () => real.close(),
          abort: (reason) => real.abort(reason),
        });
      };
      return Object.assign(file, { createWritable });
    };
    Object.assign(window, { showSaveFilePicker, saved });
  }, answer);
}

const saved = (page: Page) =>
  page.evaluate(() => (window as unknown as { saved: { written: number; suggested: string } }).saved);

/** The file as it is on the disk; undefined when there is none. */
async function savedFile(page: Page, name: string): Promise<Buffer | undefined> {
  const content = await page.evaluate(async (fileName) => {
    const folder = await navigator.storage.getDirectory();
    const file = await folder.getFileHandle(fileName).catch(() => undefined);
    if (file === undefined) return undefined;
    const bytes = new Uint8Array(await (await file.getFile()).arrayBuffer());
    return bytes.reduce((text, byte) => text + String.fromCharCode(byte), '');
  }, name);
  return content === undefined ? undefined : Buffer.from(content, 'latin1');
}

/** Storage does this with the second object, so that the archive stops in the middle. */
function spoilTheSecond({ storageCalls }: TestApp, fault: Fault): void {
  storageCalls.spoil = (call) => (call.startsWith('GET ') && call.includes('b.txt') ? fault : undefined);
}

for (const has of ['has', 'has no'])
  test(`the page of a proxy is not taken for a ZIP, where the browser ${has} save dialog`, async ({
    downloadAlbum,
    page,
  }) => {
    if (has === 'has') await answerSaveDialog(page, 'file');
    else await page.addInitScript(() => Object.assign(window, { showSaveFilePicker: undefined }));
    await page.route(/\/archive$/, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Sign in</h1>' }));
    await downloadAlbum();
    await expect(tray(page).getByText(/^The answer could not be read\./)).toBeVisible();
  });

test.describe('a ZIP of a folder, in a browser with a save dialog', () => {
  test('is written into the chosen file', async ({ downloadAlbum, files, page }) => {
    await answerSaveDialog(page, 'file');
    await downloadAlbum();
    await expect(tray(page).getByText(/^Done/)).toBeVisible();
    expect((await saved(page)).suggested).toBe('album.zip');
    const entries = unzip((await savedFile(page, 'album.zip'))!);
    expect(entries.map(({ name }) => name)).toEqual(['album/a.bin', 'album/deep/b.txt']);
    expect(entries[0]?.content).toBe(await (await files.get('album/a.bin')).text());
    expect(entries[1]?.content).toBe('the last of them');
  });

  test('reaches the file while the service still makes it; cancelled, it stops and leaves no file', async ({
    downloadAlbum,
    app,
    page,
  }) => {
    await answerSaveDialog(page, 'file');
    spoilTheSecond(app, 'hold');
    await downloadAlbum();
    await expect.poll(async () => (await saved(page)).written).toBeGreaterThanOrEqual(2 * MIB);
    expect(await tray(page).getByText(/^Done/).count()).toBe(0);
    await tray(page).getByRole('button', { name: 'Cancel: Downloading album.zip' }).click();
    await expect(tray(page).getByText(/^Cancelled/)).toBeVisible();
    await expect.poll(() => savedFile(page, 'album.zip')).toBeUndefined();
  });

  test('leaves no file when storage fails in the middle, and says so', async ({ downloadAlbum, app, page }) => {
    await answerSaveDialog(page, 'file');
    spoilTheSecond(app, 'cut');
    await downloadAlbum();
    await expect(
      tray(page).getByText('The download was interrupted. Check your connection, then try again.'),
    ).toBeVisible();
    await expect.poll(() => savedFile(page, 'album.zip')).toBeUndefined();
  });

  test('keeps the file that was to be replaced when it is cancelled', async ({ downloadAlbum, app, page }) => {
    await answerSaveDialog(page, 'file');
    await downloadAlbum();
    await expect(tray(page).getByText(/^Done/)).toBeVisible();
    const before = await savedFile(page, 'album.zip');
    spoilTheSecond(app, 'hold');
    await page.getByRole('button', { name: 'Download as ZIP' }).click();
    await tray(page).getByRole('button', { name: 'Cancel: Downloading album.zip' }).click();
    await expect(tray(page).getByText(/^Cancelled/)).toBeVisible();
    expect((await savedFile(page, 'album.zip'))?.equals(before!)).toBe(true);
  });

  test('asks the service for nothing when the dialog is dismissed, and reports no error', async ({
    downloadAlbum,
    page,
  }) => {
    const asked: string[] = [];
    page.on('request', (request) => request.url().endsWith('/archive') && asked.push(request.url()));
    await answerSaveDialog(page, 'dismiss');
    await downloadAlbum();
    await expect.poll(async () => (await saved(page)).suggested).toBe('album.zip');
    // A request for the archive would have gone out before this one.
    await page.evaluate(() => fetch('/sign-in'));
    expect(asked).toEqual([]);
    expect(await tray(page).count()).toBe(0);
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});
