import { expect, type Page } from '@playwright/test';
import { choose, dialog, row } from '../support/page.ts';
import { test } from './fixtures.ts';

/** The statuses of the answers to the questions of an open folder whether it changed. */
function asked(page: Page): number[] {
  const statuses: number[] = [];
  page.on('response', (answer) => {
    if (answer.request().headers()['if-none-match'] !== undefined) statuses.push(answer.status());
  });
  return statuses;
}

const come = (page: Page) => page.evaluate(() => window.dispatchEvent(new Event('focus')));

test.describe('an open folder', () => {
  test('shows what another person added as soon as one comes back, and leaves selection, row and dialog as they are', async ({
    files,
    openFolder,
    page,
  }) => {
    for (const name of ['b', 'c']) await files.put(`back/${name}.txt`, 'x');
    const statuses = asked(page);
    await openFolder('back/');
    await row(page, 'c.txt').getByRole('checkbox').check();
    await choose(page, 'b.txt', 'Rename');
    const field = dialog(page).getByRole('textbox');
    await field.fill('half-typed.txt');
    await come(page);
    await expect.poll(() => statuses).toEqual([304]);
    await files.put('back/a.txt', 'x');
    await come(page);
    const added = page.getByRole('row', { includeHidden: true }).filter({ hasText: 'a.txt' });
    await expect(added).toHaveAttribute('data-fresh', 'true');
    expect(statuses).toEqual([304, 200]);
    await expect(field).toHaveValue('half-typed.txt');
    await expect(field).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(row(page, 'c.txt')).toHaveAttribute('aria-selected', 'true');
    await expect(added).not.toHaveAttribute('data-fresh');
  });

  test('asks every 20 seconds, but neither offline nor in the background', async ({ files, openFolder, page }) => {
    await files.put('clock/a.txt', 'x');
    await page.clock.install();
    const statuses = asked(page);
    await openFolder('clock/');
    await expect(row(page, 'a.txt')).toBeVisible();
    await page.waitForLoadState('networkidle');
    await page.clock.runFor(21_000);
    await expect.poll(() => statuses).toEqual([304]);
    await page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })");
    await page.clock.runFor(61_000);
    await page.evaluate("Object.defineProperty(document, 'hidden', { value: false })");
    await page.context().setOffline(true);
    await page.clock.runFor(61_000);
    expect(statuses).toEqual([304]);
    await files.put('clock/b.txt', 'x');
    await page.context().setOffline(false);
    await page.clock.runFor(21_000);
    await expect(row(page, 'b.txt')).toBeVisible();
  });

  test('hears at once of what another tab of the browser did', async ({ files, openFolder, page }) => {
    for (const name of ['gone', 'stays']) await files.put(`tabs/${name}.txt`, 'x');
    await openFolder('tabs/');
    await expect(row(page, 'gone.txt')).toBeVisible();
    const other = await page.context().newPage();
    await other.goto(page.url());
    const statuses = asked(page);
    await choose(other, 'gone.txt', 'Delete');
    await dialog(other).getByRole('button', { name: 'Delete' }).click();
    await expect(row(page, 'gone.txt')).toHaveCount(0);
    await expect(row(page, 'stays.txt')).toBeVisible();
    expect(statuses).toEqual([]);
  });
});
