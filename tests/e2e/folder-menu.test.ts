import { expect, type Locator, type Page } from '@playwright/test';
import { dialog, row } from '../support/page.ts';
import { test } from './fixtures.ts';
import { expectGoodScreen } from './views.ts';

const items = (page: Page): Locator => page.getByRole('menuitem');

/** Clicks with the right button where no row is, and no message. */
async function clickBeneath(page: Page): Promise<void> {
  const { x, y, width, height } = (await page.getByRole('grid').boundingBox())!;
  await page.mouse.click(x + width / 8, y + height - 20, { button: 'right' });
}

test('the empty area of a folder has a menu of what may be done there, by pointer and by keys, in every view', async ({
  files,
  openFolder,
  page,
}) => {
  for (const key of ['a.txt', 'b.txt', 'box/in.txt']) await files.put(`menu/${key}`, key);
  await openFolder('menu/');
  await expect(row(page, 'a.txt')).toBeVisible();
  await clickBeneath(page);
  await expect(items(page)).toHaveText([
    'Upload files',
    'Upload folder',
    'New folder',
    'Download folder as ZIP',
    'Copy link',
    'Calculate size',
    'Select all',
    'Refresh',
  ]);
  await expectGoodScreen(page, 'the menu of a folder', page.getByRole('menu'), async () => {
    await page.keyboard.press('Escape');
    await clickBeneath(page);
  });
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 1280, height: 800 });
  await clickBeneath(page);
  await items(page).filter({ hasText: 'Select all' }).click();
  await expect(page.getByText('3 selected')).toBeVisible();
  await expect(page.getByRole('grid')).toBeFocused();
  // The row that the reader stands on keeps its menu.
  await page.keyboard.press('Shift+F10');
  await expect(items(page).filter({ hasText: 'Delete' })).toBeVisible();
  // Each names the keys that do the same.
  for (const [name, keys] of [
    ['Cut', 'Ctrl+X'],
    ['Copy', 'Ctrl+C'],
    ['Delete', 'Del'],
  ] as const)
    await expect(page.getByRole('menuitem', { name, exact: true })).toContainText(keys);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+c');
  await clickBeneath(page);
  await expect(items(page).filter({ hasText: 'Paste' })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');

  await files.put('menu/later.txt', 'x');
  await clickBeneath(page);
  await items(page).filter({ hasText: 'Refresh' }).click();
  await expect(row(page, 'later.txt')).toBeVisible();
  await page.getByRole('button', { name: 'View', exact: true }).click();
  await page.getByRole('menuitemradio', { name: 'Gallery' }).click();
  await expect(page.getByRole('gridcell')).toHaveCount(4);
  await clickBeneath(page);
  await items(page).filter({ hasText: 'New folder' }).click();
  await dialog(page).getByRole('textbox').fill('empty');
  await dialog(page).getByRole('button', { name: 'Create folder' }).click();

  // A folder without rows has it too, and the keys find it wherever the focus is.
  await page.getByRole('gridcell').filter({ hasText: 'empty' }).getByRole('link').click();
  await expect(page.getByText('Drop files or folders here')).toBeVisible();
  await page.getByText('Drop files or folders here').click({ button: 'right' });
  await expect(items(page)).toHaveText([
    'Upload files',
    'Upload folder',
    'New folder',
    'Download folder as ZIP',
    'Copy link',
    'Calculate size',
    'Refresh',
  ]);
  await page.keyboard.press('Escape');
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.press('ContextMenu');
  await items(page).filter({ hasText: 'New folder' }).click();
  await expect(dialog(page)).toBeVisible();
});

test('the menu of a folder offers nothing that is not allowed there, and names, links and text fields keep the menu of the browser', async ({
  openDemo,
  page,
}) => {
  await openDemo('vera', '/p/main/team-files');
  await expect(row(page, 'projects')).toBeVisible();
  await clickBeneath(page);
  await expect(items(page)).toHaveText([
    'Download folder as ZIP',
    'Copy link',
    'Calculate size',
    'Select all',
    'Refresh',
  ]);
  await page.keyboard.press('Escape');
  await page.getByRole('textbox', { name: 'Filter by name' }).click({ button: 'right' });
  await page
    .getByRole('navigation', { name: 'Breadcrumbs' })
    .getByRole('link', { name: 'main' })
    .click({ button: 'right' });
  await expect(page.getByRole('menu')).toHaveCount(0);
});
