import { expect } from '@playwright/test';
import { choose, dialog } from '../support/page.ts';
import { test } from './fixtures.ts';

test.describe('the size of a folder', () => {
  test('is counted with the folders in it, the largest first, and each is a way there', async ({
    files,
    openFolder,
    page,
  }) => {
    await Promise.all([
      files.put('sized/a/1.txt', 'x'.repeat(1_000)),
      files.put('sized/a/deep/2.txt', 'x'.repeat(500)),
      files.put('sized/b/3.txt', 'x'.repeat(4_000)),
      files.put('sized/own.txt', 'x'.repeat(500)),
    ]);
    await openFolder('');
    await choose(page, 'sized', 'Calculate size');
    const size = dialog(page, 'Size of sized');
    await expect(size.getByText('6 kB', { exact: true })).toBeVisible();
    await expect(size.getByText('4 items', { exact: true })).toBeVisible();
    const folders = size.getByRole('list', { name: 'Folders by size' }).getByRole('link');
    await expect(folders).toHaveText([/^b.*4 kB/, /^a.*1\.5 kB/]);
    await folders.nth(1).click();
    await expect(page.getByRole('heading', { name: 'a', exact: true })).toBeVisible();
    await expect(size).toHaveCount(0);
  });

  test('is what one may see of it', async ({ openDemo, page }) => {
    await openDemo('petra', '/p/main/photos');
    await page.getByRole('button', { name: 'More actions on this folder' }).click();
    await page.getByRole('menuitem', { name: 'Calculate size' }).click();
    await expect(
      dialog(page, 'Size of photos').getByRole('list', { name: 'Folders by size' }).getByRole('link'),
    ).toHaveText([/^2025/]);
  });

  test('is stopped, and says that there is more', async ({ files, openFolder, page }) => {
    await files.put('slow/1.txt', 'x');
    await openFolder('');
    await page.route(/\/size\?/, () => new Promise(() => undefined));
    await choose(page, 'slow', 'Calculate size');
    await dialog(page).getByRole('button', { name: 'Stop counting' }).click();
    await expect(dialog(page).getByText('At least 0 items')).toBeVisible();
  });

  test('says what failed', async ({ files, openFolder, page }) => {
    await files.put('failing/1.txt', 'x');
    await openFolder('');
    await page.route(/\/size\?/, (route) => route.abort());
    await choose(page, 'failing', 'Calculate size');
    await expect(dialog(page).getByText('The rest could not be counted.')).toBeVisible();
  });
});
