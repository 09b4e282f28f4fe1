import { expect, type Locator, type Page } from '@playwright/test';
import { dialog, drawn, row } from '../support/page.ts';
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
    'Connect a tool here',
    'API key for this folder',
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
    'Connect a tool here',
    'API key for this folder',
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
    'Connect a tool here',
    'API key for this folder',
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

for (const [screen, options] of Object.entries({
  'wide screen': { viewport: { width: 1280, height: 600 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
}))
  test.describe(`the menu of a row on a ${screen}`, () => {
    test.use(options);

    test('opens below its button, or above it with the same gap, and never lies on its row', async ({
      files,
      openFolder,
      page,
    }) => {
      for (let index = 10; index < 25; index += 1) await files.put(`rows/${index}.txt`, 'x');
      await openFolder('rows/');
      const gapOf = async (name: string): Promise<{ below: number; above: number }> => {
        const button = page.getByRole('button', { name: `Actions on ${name}` });
        await button.click();
        await expect(items(page).filter({ hasText: 'Delete' })).toBeVisible();
        await drawn(page);
        const menu = (await page.getByRole('menu').boundingBox())!;
        const box = (await button.boundingBox())!;
        const line = (await row(page, name).boundingBox())!;
        expect(menu.y >= line.y + line.height || menu.y + menu.height <= line.y, `${name} is under its menu`).toBe(
          true,
        );
        await page.keyboard.press('Escape');
        await expect(page.getByRole('menu')).toHaveCount(0);
        return { below: menu.y - box.y - box.height, above: box.y - menu.y - menu.height };
      };
      const first = await gapOf('10.txt');
      const last = await gapOf(options.viewport.width > 400 ? '19.txt' : '20.txt');
      expect(Math.round(last.above)).toBe(Math.round(first.below));
    });
  });

test('a double click on the button of a row, and the keys, do not open what is under an upward menu', async ({
  files,
  openFolder,
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 600 });
  for (let index = 10; index < 25; index += 1) await files.put(`double/${index}.txt`, 'x');
  await openFolder('double/');
  await page.getByRole('button', { name: 'Actions on 19.txt' }).dblclick();
  await expect(items(page).filter({ hasText: 'Delete' })).toBeVisible();
  await expect(dialog(page)).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Shift+F10');
  await expect(items(page).filter({ hasText: 'Delete' })).toBeVisible();
  await drawn(page);
  const menu = (await page.getByRole('menu').boundingBox())!;
  expect(menu.y + menu.height).toBeLessThanOrEqual((await row(page, '19.txt').boundingBox())!.y);
});

test('a new folder is scrolled to and becomes the current row', async ({ files, openFolder, page }) => {
  for (let index = 100; index < 160; index += 1) await files.put(`created/${index}.txt`, 'x');
  await openFolder('created/');
  const grid = page.getByRole('grid');
  await expect(row(page, '100.txt')).toBeVisible();
  for (const [name, within] of [
    ['new', 'new'],
    ['outer/inner', 'outer'],
  ] as const) {
    await grid.focus();
    await page.keyboard.press('End');
    await expect(row(page, '159.txt')).toBeVisible();
    await page.getByRole('button', { name: 'New folder' }).click();
    await dialog(page).getByRole('textbox').fill(name);
    await dialog(page).getByRole('button', { name: 'Create folder' }).click();
    await expect(row(page, within)).toBeInViewport();
    await expect(grid).toBeFocused();
    await expect(grid).toHaveAttribute('aria-activedescendant', (await row(page, within).getAttribute('id'))!);
  }
});
