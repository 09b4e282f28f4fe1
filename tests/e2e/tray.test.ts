import { expect, type Page, type Route } from '@playwright/test';
import { wholeBrowser } from '../../playwright.config.ts';
import { row, tray, upload } from '../support/page.ts';
import { test } from './fixtures.ts';
import { expectGoodScreen } from './views.ts';

test.use(wholeBrowser);

declare global {
  interface Window {
    /** The titles of the notifications that the page has shown. */
    told: string[];
    asked: number;
  }
}

/** Remembers what the page tells by notifications of the computer, and whether it asks to be allowed to. */
async function watchNotifications(page: Page): Promise<void> {
  await page.context().grantPermissions(['notifications']);
  await page.addInitScript(() => {
    window.told = [];
    window.asked = 0;
    const request = Notification.requestPermission.bind(Notification);
    Notification.requestPermission = (...done) => {
      window.asked += 1;
      return request(...done);
    };
    window.Notification = new Proxy(Notification, {
      construct: (target, [title, options]: [string, NotificationOptions]) => {
        window.told.push(title);
        return new target(title, options);
      },
    });
  });
}

/** As after a minute in which the page was not looked at. */
async function lookAway(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { now } = Date;
    Date.now = () => now() + 60_000;
    Object.defineProperty(document, 'hidden', { get: () => true });
  });
}

test('the tray has one line for each drop or choice, covers no row at the end, and tells when a long transfer is done if somebody wants that', async ({
  local,
  files,
  openFolder,
  page,
}) => {
  const names = Array.from({ length: 14 }, (_, index) => `there ${String(index).padStart(2, '0')}.txt`);
  for (const name of names) await files.put(`batches/${name}`, 'x');
  await watchNotifications(page);
  const held: Route[] = [];
  let isHeld = true;
  await page.route(/\/object\?/, async (route) => {
    if (isHeld && route.request().method() === 'PUT') held.push(route);
    else await route.continue();
  });
  await openFolder('batches/');
  await upload(page, await local('a.txt', 'a'), await local('b.txt', 'b'), await local('c.txt', 'c'));
  const batch = tray(page).getByRole('button', { name: /^3 files to batches/ });
  await expect(batch).toHaveAttribute('aria-expanded', 'false');
  await upload(page, await local('alone.txt', 'alone'));
  await expect(tray(page).getByText('alone.txt')).toBeVisible();
  await expect(tray(page).getByText('b.txt')).toHaveCount(0);
  await tray(page).getByRole('button', { name: 'Pause 3 files to batches' }).click();
  await expect(tray(page).getByText('Paused · 0 of 3')).toBeVisible();
  await expect(tray(page).getByText('Uploading 4 files')).toBeVisible();
  await upload(page, await local('wrong 1.txt', 'w'), await local('wrong 2.txt', 'w'));
  await tray(page).getByRole('button', { name: 'Cancel 2 files to batches' }).click();
  await expect(
    tray(page).getByRole('listitem').filter({ hasText: '2 files to batches' }).getByText('Cancelled'),
  ).toBeVisible();
  await expect(tray(page).getByRole('button', { name: 'Cancel 2 files to batches' })).toHaveCount(0);
  await batch.click();
  await expect(tray(page).getByText('b.txt')).toBeVisible();
  await expectGoodScreen(page, 'the tray with a batch', batch);
  await tray(page).getByRole('button', { name: 'Resume 3 files to batches' }).click();
  await row(page, names[0]!).getByRole('checkbox').check();
  const bar = page.getByRole('toolbar', { name: 'Selection' });
  const bottom = async () => (await tray(page).boundingBox())!.y + (await tray(page).boundingBox())!.height;
  await expect.poll(async () => (await bar.boundingBox())!.y - (await bottom())).toBeGreaterThanOrEqual(0);
  await bar.getByRole('button', { name: 'Clear the selection' }).click();
  await page.setViewportSize({ width: 1280, height: 600 });
  await page.getByRole('grid').press('End');
  await page.getByRole('grid').evaluate((grid) => grid.scrollTo(0, grid.scrollHeight));
  await row(page, names.at(-1)!).getByRole('button').click();
  await expect(page.getByRole('menuitem', { name: 'Rename' })).toBeVisible();
  await page.keyboard.press('Escape');

  expect(await page.evaluate(() => window.asked)).toBe(0);
  await tray(page).getByRole('button', { name: 'Tell me when it is done' }).click();
  await expect(tray(page).getByRole('button', { name: 'Tell me when it is done' })).toHaveCount(0);
  expect(await page.evaluate(() => window.asked)).toBe(1);
  await lookAway(page);
  isHeld = false;
  for (const route of held) await route.continue();
  await expect(tray(page).getByText('Uploaded 4 files')).toBeVisible();
  await expect.poll(() => page.evaluate(() => window.told)).toEqual(['Uploaded 4 files']);
  expect(await files.keys('batches/a')).toEqual(['batches/a.txt', 'batches/alone.txt']);
});
