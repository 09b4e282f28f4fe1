import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.ts';
import { inBrowser, openAs } from '../support/browser.ts';
import { filesOf, type Files } from '../support/files.ts';

let app: TestApp;
let files: Files;
let page: Page;
let directory: string;

inBrowser(startApp, {
  begin: async (started) => {
    app = started;
    files = filesOf(app, await app.signIn('ada'), 'files');
    directory = await mkdtemp(join(tmpdir(), 'svc-dropping-'));
  },
  each: (opened) => (page = opened),
});
afterAll(() => rm(directory, { recursive: true }));

const tray = () => page.getByRole('region', { name: 'Transfers' });

/** Makes files below the directory; a name that ends in `/` is an empty folder. */
async function local(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = join(directory, name);
    await mkdir(name.endsWith('/') ? path : join(path, '..'), { recursive: true });
    if (!name.endsWith('/')) await writeFile(path, `content of ${name}`);
  }
}

async function openFolder(prefix: string): Promise<void> {
  await openAs(page, 'eve', `${app.origin}/p/main/files?prefix=${encodeURIComponent(prefix)}`);
  await page.getByRole('button', { name: 'Upload files' }).waitFor();
}

/** Drags from the desktop by the browser's own input, so that the page gets real entries of files and folders. */
async function drop(...names: readonly string[]): Promise<void> {
  const box = (await page.getByTestId('drop-area').boundingBox())!;
  const devTools = await page.context().newCDPSession(page);
  const data = { items: [], files: names.map((name) => join(directory, name)), dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await devTools.send('Input.dispatchDragEvent', { type, x: box.x + box.width / 2, y: box.y + box.height / 2, data });
  }
}

describe('dropping from the desktop', () => {
  it('stores folders within folders, whatever their names are', async () => {
    const names = ['album/cover.txt', 'album/2024/März #1/50% + more.txt', 'album/2024/März #1/a?b&c.txt', 'album/2024/deep/er/still/a.txt', 'album/.hidden', 'album/🎉/x=y.txt'];
    await local(names);
    await openFolder('dropped/');
    await drop('album');
    await tray().getByText('Uploaded 6 files').waitFor();
    expect(await files.keys('dropped/')).toEqual(names.map((name) => `dropped/${name}`).sort());
    for (const name of names) expect(await (await files.get(`dropped/${name}`)).text()).toBe(`content of ${name}`);
    await page.getByRole('row', { name: 'album' }).waitFor();
  });

  it('stores files and folders that are dropped together', async () => {
    await local(['one.txt', 'pair/two.txt', 'other/three.txt']);
    await openFolder('together/');
    await drop('one.txt', 'pair', 'other');
    await tray().getByText('Uploaded 3 files').waitFor();
    expect(await files.keys('together/')).toEqual(['together/one.txt', 'together/other/three.txt', 'together/pair/two.txt']);
  });

  it('stores an empty folder as one, and takes one that is there already as it is', async () => {
    await local(['with empty/full/a.txt', 'with empty/nothing in it/']);
    await openFolder('empty/');
    await drop('with empty');
    await tray().getByText('Uploaded 2 files').waitFor();
    const expected = ['empty/with empty/full/a.txt', 'empty/with empty/nothing in it/'];
    expect(await files.keys('empty/')).toEqual(expected);
    await drop('with empty/nothing in it');
    await page.getByRole('row', { name: 'nothing in it' }).waitFor();
    expect(await files.keys('empty/')).toEqual(['empty/nothing in it/', ...expected]);
    await drop('with empty/nothing in it');
    await tray().getByText('Uploaded 1 file').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('stores every file of a folder of more than the browser reads at a time', async () => {
    const names = Array.from({ length: 130 }, (_, i) => `many/${String(i).padStart(3, '0')}.txt`);
    await local(names);
    await openFolder('batches/');
    await drop('many');
    await tray().getByText('Uploaded 130 files').waitFor({ timeout: 60_000 });
    expect(await files.keys('batches/')).toEqual(names.map((name) => `batches/${name}`));
  }, 90_000);
});
