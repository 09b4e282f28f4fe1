import { expect, type Page } from '@playwright/test';
import { row } from '../support/page.ts';
import { test } from './fixtures.ts';

const listed = (page: Page, label: string) =>
  page.getByRole('main').getByRole('list', { name: label }).getByRole('link');
/** What a person has opened and marked is kept by the service, and other tests have been here before. */
const keptPlaces = async (page: Page) => {
  const answer = await page.request.get(new URL('/api/places', page.url()).href);
  return (await answer.json()) as { favourites: readonly object[]; recent: readonly object[] };
};
const keptFavourites = async (page: Page) => (await keptPlaces(page)).favourites;
/** A page that is left earlier does not tell the service of the visit. */
const visitIsKept = (page: Page, prefix: string) =>
  expect
    .poll(async () => (await keptPlaces(page)).recent[0])
    .toEqual({ provider: 'main', bucket: 'team-files', prefix });
const nothingMarked = async (page: Page) => {
  const favourites = await keptFavourites(page);
  if (favourites.length === 0) return;
  await page.request.post(new URL('/api/places', page.url()).href, { data: { mark: 'plain', places: favourites } });
  await page.reload();
};
const home = (page: Page) => page.getByRole('link', { name: 'svc', exact: true }).first().click();

test.describe('the home page', () => {
  // Other tests find each bucket once in the sidebar.
  test.afterEach(({ page }) => nothingMarked(page));

  test('leads back to where somebody was, the latest first', async ({ openDemo, page }) => {
    await openDemo('erik', '/p/main/team-files');
    await nothingMarked(page);
    await row(page, 'projects').getByRole('link').click();
    await expect(page.getByRole('heading', { name: 'projects' })).toBeVisible();
    await row(page, 'apollo').getByRole('link').click();
    await expect(page.getByRole('heading', { name: 'apollo' })).toBeVisible();
    await expect(row(page, 'plan.md').first()).toBeVisible();
    await home(page);
    await expect(listed(page, 'Recent').nth(2)).toHaveText(/^team-files/);
    await expect(listed(page, 'Recent').nth(1)).toHaveText(/^projects/);
    await expect(listed(page, 'Recent').first()).toHaveText(/^apollo/);
    await visitIsKept(page, 'projects/apollo/');
    await page.reload();
    await listed(page, 'Recent').first().click();
    await expect(row(page, 'plan.md').first()).toBeVisible();
  });

  test('keeps what somebody marked, until they unmark it', async ({ openDemo, page }) => {
    await openDemo('erik', '/p/main/team-files?prefix=projects%2F');
    await nothingMarked(page);
    const star = page.getByRole('button', { name: 'Favourite' });
    await star.click();
    await expect(star).toHaveAttribute('aria-pressed', 'true');
    await expect.poll(() => keptFavourites(page)).toHaveLength(1);
    await home(page);
    await expect(listed(page, 'Favourites')).toHaveText([/^projects/]);
    await expect(listed(page, 'Recent').filter({ hasText: /^projects/ })).toHaveCount(0);
    await page.reload();
    await page.getByRole('button', { name: 'Remove projects from favourites' }).click();
    await expect(page.getByRole('list', { name: 'Favourites' })).toHaveCount(0);
    await expect(listed(page, 'Recent').first()).toHaveText(/^projects/);
  });

  test('has on another device what somebody marked, also in the sidebar', async ({ browser, demo, openDemo, page }) => {
    await openDemo('dana', '/p/main/team-files?prefix=projects%2F');
    await nothingMarked(page);
    await page.getByRole('button', { name: 'Favourite' }).click();
    const marked = (on: Page) =>
      on.getByRole('navigation', { name: 'Storage' }).getByRole('link', { name: 'projects' });
    await expect(marked(page)).toHaveAttribute('aria-current', 'page');
    await expect.poll(() => keptFavourites(page)).toHaveLength(1);
    const context = await browser.newContext();
    await context.addCookies(await page.context().cookies());
    const other = await context.newPage();
    await other.goto(demo.url);
    await marked(other).click();
    await expect(other.getByRole('heading', { name: 'projects' })).toBeVisible();
    await context.close();
  });

  test('shows nobody where another person was', async ({ openDemo, page }) => {
    await openDemo('erik', '/p/main/team-files');
    await nothingMarked(page);
    await expect(row(page, 'projects')).toBeVisible();
    await page.getByRole('button', { name: 'Favourite' }).click();
    await expect(page.getByRole('button', { name: 'Favourite' })).toHaveAttribute('aria-pressed', 'true');
    await expect.poll(() => keptFavourites(page)).toHaveLength(1);
    // No other test signs in as Ines, so that the service keeps nothing of hers.
    const places = page.waitForResponse((response) => response.request().postData()?.includes('place/list') === true);
    await openDemo('ines', '/');
    await places;
    await expect(listed(page, 'Storage providers').first()).toBeVisible();
    await expect(page.getByRole('list', { name: /Recent|Favourites/ })).toHaveCount(0);
    await openDemo('erik', '/');
    await expect(listed(page, 'Favourites')).toHaveText([/^team-files/]);
    const inSidebar = page.getByRole('navigation', { name: 'Storage' }).getByRole('link', { name: 'team-files' });
    await expect(inSidebar.first()).toHaveAttribute('title', 'main / team-files');
  });

  test('does not remember a place that one may not list', async ({ openDemo, page }) => {
    await openDemo('dana', '/p/main/team-files');
    await nothingMarked(page);
    await visitIsKept(page, '');
    await openDemo('dana', '/p/main/team-files?prefix=hr%2F');
    await expect(page.getByRole('heading', { name: 'You have no access here' })).toBeVisible();
    await home(page);
    await expect(listed(page, 'Recent').first()).toHaveText(/^team-files/);
    await expect(listed(page, 'Recent').filter({ hasText: 'hr' })).toHaveCount(0);
    await page.reload();
    await expect(listed(page, 'Recent').first()).toHaveText(/^team-files/);
    await expect(listed(page, 'Recent').filter({ hasText: 'hr' })).toHaveCount(0);
  });

  test('says what one may do with each storage, and which of them does not answer', async ({ openDemo, page }) => {
    await page.route('**/api/providers/archive/buckets', (route) =>
      route.fulfill({
        status: 502,
        contentType: 'application/problem+json',
        body: JSON.stringify({
          type: 'urn:svc:problem:storage_unavailable',
          title: 'Storage unavailable',
          status: 502,
          code: 'storage_unavailable',
          detail: 'storage provider `archive` refuses the connection',
          request_id: 'r',
        }),
      }),
    );
    await openDemo('erik', '/');
    const provider = (name: string) =>
      page
        .getByRole('list', { name: 'Storage providers' })
        .getByRole('listitem')
        .filter({ has: page.getByRole('link', { name }) });
    await expect(provider('main')).toContainText('Can change files');
    await expect(provider('main')).toContainText(/\d buckets/);
    await expect(provider('archive').getByRole('alert')).toBeVisible();
    await page.unroute('**/api/providers/archive/buckets');
    await provider('archive').getByRole('button', { name: 'Try again' }).click();
    await expect(provider('archive').getByRole('alert')).toHaveCount(0);
    await expect(provider('archive')).toContainText(/bucket/);
  });
});

test.describe('the page of a provider', () => {
  test('draws as many of 10,000 buckets as it takes no time for, and sorts all of them', async ({ openDemo, page }) => {
    const buckets = Array.from({ length: 10_000 }, (_, index) => ({
      name: `bucket-${String(index).padStart(4, '0')}`,
      created_at: null,
    }));
    await page.route('**/api/providers/main/buckets', (route) => route.fulfill({ json: { buckets } }));
    await openDemo('erik', '/p/main');
    const names = page.getByRole('table', { name: 'Buckets of main' }).getByRole('row').getByRole('link');
    await expect(names.first()).toHaveText('bucket-0000');
    await expect(names).toHaveCount(200);
    await page.getByRole('main').getByRole('button', { name: 'Show more' }).click();
    await expect(names).toHaveCount(400);
    const byName = page.getByRole('columnheader', { name: 'Bucket' }).getByRole('button');
    await byName.click();
    await byName.click();
    await expect(names.first()).toHaveText('bucket-9999');
    await expect(names).toHaveCount(400);
  });
});
