import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { row, tray } from '../support/page.ts';
import { test } from './fixtures.ts';

type Point = { readonly x: number; readonly y: number };

type Drag = (type: 'dragEnter' | 'dragOver' | 'drop', at: Point) => Promise<void>;

/** Drags files from the desktop by the browser's own input, so that the page gets real entries of files and folders. */
async function dragOf(page: Page, directory: string, names: readonly string[]): Promise<Drag> {
  const devTools = await page.context().newCDPSession(page);
  const data = { items: [], files: names.map((name) => join(directory, name)), dragOperationsMask: 1 };
  return async (type, at) => {
    await devTools.send('Input.dispatchDragEvent', { type, ...at, data });
  };
}

async function drop(page: Page, directory: string, ...names: readonly string[]): Promise<void> {
  await expect(page.getByRole('button', { name: 'Upload files' })).toBeVisible();
  const box = (await page.getByTestId('drop-area').boundingBox())!;
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const drag = await dragOf(page, directory, names);
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) await drag(type, at);
}

test.describe('dropping from the desktop', () => {
  test('stores folders within folders, whatever their names are', async ({
    local,
    directory,
    files,
    openFolder,
    page,
  }) => {
    const names = [
      'album/cover.txt',
      'album/2024/März #1/50% + more.txt',
      'album/2024/März #1/a?b&c.txt',
      'album/2024/deep/er/still/a.txt',
      'album/.hidden',
      'album/🎉/x=y.txt',
    ];
    for (const name of names) await local(name, `content of ${name}`);
    await openFolder('dropped/');
    await drop(page, directory, 'album');
    await expect(tray(page).getByText('Uploaded 6 files')).toBeVisible();
    expect(await files.keys('dropped/')).toEqual(names.map((name) => `dropped/${name}`).sort());
    for (const name of names) expect(await (await files.get(`dropped/${name}`)).text()).toBe(`content of ${name}`);
    await expect(row(page, 'album')).toBeVisible();
  });

  test('stores the other files where the browser cannot read one', async ({
    local,
    directory,
    files,
    openFolder,
    page,
  }) => {
    await local('partly/a.txt', 'a');
    await writeFile(Buffer.concat([Buffer.from(`${directory}/partly/b`), Buffer.of(0xff)]), 'b');
    await local('partly/c.txt', 'c');
    await openFolder('partly readable/');
    await drop(page, directory, 'partly');
    await expect(tray(page).getByText('Uploaded 2 files')).toBeVisible();
    await expect(page.getByText('1 item was left out')).toBeVisible();
    expect(await files.keys('partly readable/')).toEqual([
      'partly readable/partly/a.txt',
      'partly readable/partly/c.txt',
    ]);
  });

  test('stores files and folders that are dropped together', async ({ local, directory, files, openFolder, page }) => {
    for (const name of ['one.txt', 'pair/two.txt', 'other/three.txt']) await local(name, `content of ${name}`);
    await openFolder('together/');
    await drop(page, directory, 'one.txt', 'pair', 'other');
    await expect(tray(page).getByText('Uploaded 3 files')).toBeVisible();
    expect(await files.keys('together/')).toEqual([
      'together/one.txt',
      'together/other/three.txt',
      'together/pair/two.txt',
    ]);
  });

  test('stores an empty folder as one, and takes one that is there already as it is', async ({
    local,
    directory,
    files,
    openFolder,
    page,
  }) => {
    await local('with empty/full/a.txt', 'a');
    await mkdir(join(directory, 'with empty/nothing in it'));
    await openFolder('empty/');
    await drop(page, directory, 'with empty');
    await expect(tray(page).getByText('Uploaded 2 files')).toBeVisible();
    const expected = ['empty/with empty/full/a.txt', 'empty/with empty/nothing in it/'];
    expect(await files.keys('empty/')).toEqual(expected);
    await drop(page, directory, 'with empty/nothing in it');
    await expect(row(page, 'nothing in it')).toBeVisible();
    expect(await files.keys('empty/')).toEqual(['empty/nothing in it/', ...expected]);
    await drop(page, directory, 'with empty/nothing in it');
    await expect(tray(page).getByText('Uploaded 1 file')).toBeVisible();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('is taken, and leaves no sign when it goes elsewhere, although what is beneath the pointer was replaced meanwhile', async ({
    local,
    directory,
    files,
    openFolder,
    page,
  }) => {
    await local('dragged.txt', 'dragged');
    const drag = await dragOf(page, directory, ['dragged.txt']);
    /** Drags onto what an empty folder says, in the place of which rows come. */
    const dragWhileRowsCome = async (folder: string): Promise<Point> => {
      await openFolder(folder);
      await expect(page.getByRole('button', { name: 'Upload files' })).toBeVisible();
      const { x, y, width, height } = (await page.getByRole('heading', { name: 'Nothing here' }).boundingBox())!;
      const at = { x: x + width / 2, y: y + height / 2 };
      await drag('dragEnter', at);
      await drag('dragOver', at);
      await expect(page.getByText(/^Drop to upload to/)).toBeVisible();
      await files.put(`${folder}of somebody else.txt`, 'x');
      await expect(row(page, 'of somebody else.txt')).toBeVisible();
      return at;
    };
    await drag('drop', await dragWhileRowsCome('replaced/'));
    await expect(tray(page).getByText('Uploaded 1 file')).toBeVisible();
    await expect.poll(() => files.keys('replaced/')).toEqual(['replaced/dragged.txt', 'replaced/of somebody else.txt']);
    await drag('dragOver', await dragWhileRowsCome('left/'));
    await expect(page.getByText(/^Drop to upload to/)).toBeVisible();
    await drag('dragOver', { x: 5, y: 5 });
    await expect(page.getByText(/^Drop to upload to/)).toHaveCount(0);
  });

  test('stores every file of a folder of more than the browser reads at a time', async ({
    local,
    directory,
    files,
    openFolder,
    page,
  }) => {
    test.slow();
    const names = Array.from({ length: 130 }, (_, i) => `many/${String(i).padStart(3, '0')}.txt`);
    for (const name of names) await local(name, `content of ${name}`);
    await openFolder('batches/');
    await drop(page, directory, 'many');
    await expect(tray(page).getByText('Uploaded 130 files')).toBeVisible({ timeout: 90_000 });
    expect(await files.keys('batches/')).toEqual(names.map((name) => `batches/${name}`));
  });
});
