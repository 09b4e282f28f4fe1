import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { row, tray } from '../support/page.ts';
import { test } from './fixtures.ts';

/** Drags from the desktop by the browser's own input, so that the page gets real entries of files and folders. */
async function drop(page: Page, directory: string, ...names: readonly string[]): Promise<void> {
  await expect(page.getByRole('button', { name: 'Upload files' })).toBeVisible();
  const box = (await page.getByTestId('drop-area').boundingBox())!;
  const devTools = await page.context().newCDPSession(page);
  const data = { items: [], files: names.map((name) => join(directory, name)), dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await devTools.send('Input.dispatchDragEvent', { type, x: box.x + box.width / 2, y: box.y + box.height / 2, data });
  }
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

  test('stores every file of a folder of more than the browser reads at a time', async ({
    local,
    directory,
    files,
    openFolder,
    page,
  }) => {
    const names = Array.from({ length: 130 }, (_, i) => `many/${String(i).padStart(3, '0')}.txt`);
    for (const name of names) await local(name, `content of ${name}`);
    await openFolder('batches/');
    await drop(page, directory, 'many');
    await expect(tray(page).getByText('Uploaded 130 files')).toBeVisible({ timeout: 45_000 });
    expect(await files.keys('batches/')).toEqual(names.map((name) => `batches/${name}`));
  });
});
