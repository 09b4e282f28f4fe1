import { expect, type Page } from '@playwright/test';
import { drawn, row } from '../support/page.ts';
import { test } from './fixtures.ts';

const grid = (page: Page) => page.getByRole('grid');
const selection = (page: Page) => page.getByRole('toolbar', { name: 'Selection' });
const chosen = (page: Page) => page.getByRole('row', { selected: true }).getByRole('link').allInnerTexts();
const box = (page: Page, name: string) => row(page, name).getByRole('checkbox');

const NAMES = ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt', 'f.txt'];

test.describe('a range of rows', () => {
  test.beforeEach(async ({ files, openFolder, page }) => {
    for (const name of NAMES) await files.put(`range/${name}`, 'x');
    await openFolder('range/');
    await expect(row(page, 'f.txt')).toBeVisible();
  });

  test('grows and shrinks with Shift and the arrows', async ({ page }) => {
    await grid(page).focus();
    await page.keyboard.press('ArrowDown');
    for (let i = 0; i < 3; i += 1) await page.keyboard.press('Shift+ArrowDown');
    await expect.poll(() => chosen(page)).toEqual(['b.txt', 'c.txt', 'd.txt', 'e.txt']);
    for (let i = 0; i < 2; i += 1) await page.keyboard.press('Shift+ArrowUp');
    await expect.poll(() => chosen(page)).toEqual(['b.txt', 'c.txt']);
    for (let i = 0; i < 2; i += 1) await page.keyboard.press('Shift+ArrowUp');
    await expect.poll(() => chosen(page)).toEqual(['a.txt', 'b.txt']);
  });

  test('follows clicks with Shift, on checkboxes too, and leaves the rows beside it alone', async ({ page }) => {
    await box(page, 'f.txt').click();
    await box(page, 'b.txt').click();
    await box(page, 'd.txt').click({ modifiers: ['Shift'] });
    await expect.poll(() => chosen(page)).toEqual(['b.txt', 'c.txt', 'd.txt', 'f.txt']);
    await expect(box(page, 'd.txt')).toBeChecked();
    await row(page, 'c.txt')
      .getByRole('gridcell')
      .nth(2)
      .click({ modifiers: ['Shift'] });
    await expect.poll(() => chosen(page)).toEqual(['b.txt', 'c.txt', 'f.txt']);
    await box(page, 'a.txt').click({ modifiers: ['Shift'] });
    await expect.poll(() => chosen(page)).toEqual(['a.txt', 'b.txt', 'f.txt']);
    expect(await page.evaluate(() => window.getSelection()?.toString())).toBe('');
  });
});

test('the selection of a folder stays there', async ({ files, openFolder, page }) => {
  for (const key of ['stays/x.txt', 'stays/sub/x.txt']) await files.put(key, 'x');
  await openFolder('stays/');
  await box(page, 'x.txt').check();
  await row(page, 'sub').getByRole('link').click();
  await expect(row(page, 'sub')).toHaveCount(0);
  // A filter leaves rows out, so that a selected row does not have to be listed.
  await page.getByRole('textbox', { name: 'Filter by name' }).fill('x');
  await expect(page).toHaveURL(/filter=x/);
  await expect(box(page, 'x.txt')).not.toBeChecked();
  await expect(selection(page)).not.toBeAttached();
  await box(page, 'x.txt').check();
  await expect(selection(page)).toContainText('1 selected');
});

test.describe('the keyboard after the mouse', () => {
  test.beforeEach(async ({ files, openFolder }) => {
    for (const name of NAMES) await files.put(`range/${name}`, 'x');
    await openFolder('range/');
  });

  test('goes on from the row that was clicked, and Escape closes the panel that the click opened', async ({ page }) => {
    await row(page, 'b.txt').getByRole('link').click();
    await expect(page.getByRole('complementary', { name: 'Details of b.txt' })).toBeVisible();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await expect.poll(() => chosen(page)).toEqual(['c.txt']);
    await page.keyboard.press('Escape');
    await expect(selection(page)).not.toBeAttached();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('complementary')).not.toBeAttached();
  });

  test('leaves the panel closed, however soon after the arrow that it would have followed', async ({ page }) => {
    const panel = page.getByRole('complementary');
    await row(page, 'b.txt').getByRole('link').click();
    await expect(panel).toBeVisible();
    // Both keys at once.
    await page.getByRole('grid').evaluate((grid) => {
      for (const key of ['ArrowDown', 'Escape'])
        grid.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    });
    await expect(panel).not.toBeAttached();
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 500)));
    await expect(panel).not.toBeAttached();
  });

  test('works in the panel too: Escape closes it', async ({ page }) => {
    await row(page, 'b.txt').getByRole('link').click();
    await page.getByRole('complementary').getByText('b.txt').first().click();
    await page.getByRole('complementary').getByRole('button', { name: 'Download' }).focus();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('complementary')).not.toBeAttached();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await expect.poll(() => chosen(page)).toEqual(['c.txt']);
  });

  test('works after a checkbox, a column and the button that clears the selection', async ({ page }) => {
    await box(page, 'c.txt').click();
    await page.getByRole('button', { name: 'Clear the selection' }).click();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Space');
    await expect.poll(() => chosen(page)).toEqual(['b.txt']);
    await page.getByRole('button', { name: 'Size' }).click();
    await page.keyboard.press('Escape');
    await expect(selection(page)).not.toBeAttached();
  });

  test('works where nothing has the focus any more', async ({ page }) => {
    await box(page, 'a.txt').click();
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press('Escape');
    await expect(selection(page)).not.toBeAttached();
    await page.keyboard.press('ArrowDown');
    await expect(grid(page)).toBeFocused();
  });
});

test.describe('everything in a folder of which a part is loaded', () => {
  test('is selected in two steps, and each says what it reached', async ({ openDemo, page }) => {
    await openDemo('erik', '/p/main/sensors?prefix=readings%2F');
    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    await expect(selection(page)).toContainText('1,000 selected');
    await expect(page.getByText('All 1,000 loaded items are selected.')).toBeVisible();
    await page.getByRole('button', { name: 'Select all in this folder' }).click();
    await expect(page.getByText('All 3,000 items in this folder are selected.')).toBeVisible();
    await expect(selection(page)).toContainText('3,000 selected');
    await page.getByRole('button', { name: 'Clear the selection' }).click();
    await expect(page.getByText('in this folder are selected')).not.toBeAttached();
  });

  test('is not taken for selected where a filter shows other rows', async ({ openDemo, page }) => {
    await openDemo('erik', '/p/main/sensors?prefix=readings%2F');
    for (const name of ['00001.json', '00002.json', '00003.json']) await box(page, name).click();
    // The filter stands in the address alone while rows are selected: Back and Forward lead to it.
    await page.evaluate(() => {
      const state: unknown = window.history.state;
      window.history.pushState(state, '', `${window.location.href}&filter=00999`);
      window.dispatchEvent(new PopStateEvent('popstate', { state }));
    });
    await expect(row(page, '00999.json')).toBeVisible();
    await expect(page.getByRole('checkbox', { name: 'Select all rows' })).not.toBeChecked();
  });
});

test.describe('rows', () => {
  const top = async (page: Page) => (await row(page, 'a.txt').boundingBox())?.y;

  test.beforeEach(async ({ files, openFolder, page }) => {
    for (const name of NAMES) await files.put(`standing/where it stood/${name}`, 'x');
    await openFolder('standing/where it stood/');
    await expect(row(page, 'f.txt')).toBeVisible();
  });

  test('stand where they are when details open beside them, and the parts of the way get shorter', async ({ page }) => {
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 1280, height: 800 },
    ]) {
      await page.setViewportSize(viewport);
      await drawn(page);
      const before = await top(page);
      await row(page, 'a.txt').getByRole('link').click();
      await expect(page.getByRole('complementary', { name: 'Details of a.txt' })).toBeVisible();
      expect(await top(page)).toBe(before);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('complementary')).not.toBeAttached();
    }
  });

  test('stand where they are on a narrow screen when the actions of the folder come later', async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    const upload = page.getByRole('button', { name: 'Upload files' });
    let answer = () => {};
    const asked = new Promise<void>((resolve) => (answer = resolve));
    await page.route(/\/permissions/, async (route) => {
      await asked;
      await route.continue();
    });
    await page.reload();
    await expect(row(page, 'f.txt')).toBeVisible();
    await expect(upload).toHaveCount(0);
    const before = await top(page);
    answer();
    await expect(upload).toBeVisible();
    expect(await top(page)).toBe(before);
  });

  test('stand where they are on a narrow screen when the first of them is selected', async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await drawn(page);
    const before = await top(page);
    await box(page, 'a.txt').check();
    await expect(selection(page)).toBeVisible();
    expect(await top(page)).toBe(before);
  });
});
