import { expect, type Page } from '@playwright/test';
import { test } from './fixtures.ts';

/** The page sees itself as an installed application, which Playwright cannot emulate. */
function install(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    const ask = window.matchMedia.bind(window);
    window.matchMedia = (query) => ask(query === '(display-mode: standalone)' ? 'all' : query);
  });
}

/** The address of the worker that answers for the pages, once it is the only one. */
function activeWorker(page: Page): Promise<string | undefined> {
  return page.evaluate(async () => {
    const [only, ...others] = await navigator.serviceWorker.getRegistrations();
    return others.length === 0 && only?.waiting === null ? only.active?.scriptURL : undefined;
  });
}

/** Loads the page until its worker has these words. On a busy machine, a browser leaves the one before in its place until the page is loaded once more. */
function loadUntilWorkerHas(page: Page, words: string): Promise<void> {
  return expect(async () => {
    await page.reload();
    await expect.poll(() => activeWorker(page), { timeout: 5_000 }).toContain(words);
  }).toPass();
}

test('the installed application says that it is offline, and comes back by itself', async ({ app, openAs, page }) => {
  const folder = `${app.origin}/p/main/photos`;
  await openAs('eve', folder);
  await page.getByRole('heading', { name: 'photos' }).waitFor();
  expect(await activeWorker(page)).toBeUndefined();
  await install(page);
  await loadUntilWorkerHas(page, 'lang=en');
  // Another language, as another version, replaces the worker.
  await page.evaluate(() => localStorage.setItem('svc-language', 'de'));
  await loadUntilWorkerHas(page, 'lang=de');
  await page.evaluate(() => localStorage.setItem('svc-language', 'en'));
  await loadUntilWorkerHas(page, 'lang=en');

  await page.context().setOffline(true);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'You are offline' })).toBeVisible();
  await expect(page.getByText('svc cannot be reached.')).toBeVisible();
  // Nothing that the person saw is kept.
  expect(await page.evaluate(() => caches.keys())).toEqual([]);
  await page.context().setOffline(false);
  await expect(page.getByRole('heading', { name: 'photos' })).toBeVisible();
  expect(page.url()).toBe(folder);
});
