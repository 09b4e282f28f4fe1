import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.ts';
import { inBrowser, openAs } from '../support/browser.ts';
import type { Fault } from '../support/call-counter.ts';
import { filesOf, type Files } from '../support/files.ts';
import { unzip } from '../support/unzip.ts';

const MIB = 1024 * 1024;

let app: TestApp;
let files: Files;
let page: Page;

inBrowser(startApp, {
  begin: async (started) => {
    app = started;
    files = filesOf(app, await app.signIn('ada'), 'files');
    await files.put('album/a.bin', randomBytes(2 * MIB).toString('base64'));
    await files.put('album/deep/b.txt', 'the last of them');
  },
  each: async (opened) => {
    page = opened;
    app.storageCalls.spoil = undefined;
  },
});

const tray = () => page.getByRole('region', { name: 'Transfers' });

/** The save dialog cannot be operated from here: it is replaced by one that gives a real file of the browser's private file system, and counts what reaches it. */
async function answerSaveDialog(answer: 'file' | 'dismiss'): Promise<void> {
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

const saved = () => page.evaluate(() => (window as unknown as { saved: { written: number; suggested: string } }).saved);

/** The file as it is on the disk; undefined when there is none. */
async function savedFile(name: string): Promise<Buffer | undefined> {
  const content = await page.evaluate(async (fileName) => {
    const folder = await navigator.storage.getDirectory();
    const file = await folder.getFileHandle(fileName).catch(() => undefined);
    if (file === undefined) return undefined;
    const bytes = new Uint8Array(await (await file.getFile()).arrayBuffer());
    return bytes.reduce((text, byte) => text + String.fromCharCode(byte), '');
  }, name);
  return content === undefined ? undefined : Buffer.from(content, 'latin1');
}

async function downloadAlbum(): Promise<void> {
  await openAs(page, 'eve', `${app.origin}/p/main/files`);
  await page.getByRole('row', { name: 'album' }).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Download as ZIP' }).click();
}

/** Storage does this with the second object, so that the archive stops in the middle. */
function spoilTheSecond(fault: Fault): void {
  app.storageCalls.spoil = (call) => (call.startsWith('GET ') && call.includes('b.txt') ? fault : undefined);
}

describe('a ZIP of a folder, in a browser with a save dialog', () => {
  it('is written into the chosen file', async () => {
    await answerSaveDialog('file');
    await downloadAlbum();
    await tray().getByText(/^Done/).waitFor();
    expect((await saved()).suggested).toBe('album.zip');
    const entries = unzip((await savedFile('album.zip'))!);
    expect(entries.map(({ name }) => name)).toEqual(['album/a.bin', 'album/deep/b.txt']);
    expect(entries[0]?.content).toBe(await (await files.get('album/a.bin')).text());
    expect(entries[1]?.content).toBe('the last of them');
  });

  it('reaches the file while the service still makes it; cancelled, it stops and leaves no file', async () => {
    await answerSaveDialog('file');
    spoilTheSecond('hold');
    await downloadAlbum();
    while ((await saved()).written < 2 * MIB) await wait(50);
    expect(await tray().getByText(/^Done/).count()).toBe(0);
    await tray().getByRole('button', { name: 'Cancel: Downloading album.zip' }).click();
    await tray().getByText(/^Cancelled/).waitFor();
    expect(await savedFile('album.zip')).toBeUndefined();
  });

  it('leaves no file when storage fails in the middle, and says so', async () => {
    await answerSaveDialog('file');
    spoilTheSecond('cut');
    await downloadAlbum();
    await tray().getByText('The download was cut off. Check your connection, then try again.').waitFor();
    expect(await savedFile('album.zip')).toBeUndefined();
  });

  it('keeps the file that was to be replaced when it is cancelled', async () => {
    await answerSaveDialog('file');
    await downloadAlbum();
    await tray().getByText(/^Done/).waitFor();
    const before = await savedFile('album.zip');
    spoilTheSecond('hold');
    await page.getByRole('button', { name: 'Download as ZIP' }).click();
    await tray().getByRole('button', { name: 'Cancel: Downloading album.zip' }).click();
    await tray().getByText(/^Cancelled/).waitFor();
    expect((await savedFile('album.zip'))?.equals(before!)).toBe(true);
  });

  it('asks the service for nothing when the dialog is dismissed, and reports no error', async () => {
    const asked: string[] = [];
    page.on('request', (request) => request.url().endsWith('/archive') && asked.push(request.url()));
    await answerSaveDialog('dismiss');
    await downloadAlbum();
    while ((await saved()).suggested === '') await wait(50);
    await page.waitForTimeout(300);
    expect(asked).toEqual([]);
    expect(await tray().count()).toBe(0);
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});
