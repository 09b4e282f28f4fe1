import { expect, type Page } from '@playwright/test';
import { endSessionsOf } from '../support/end-sessions.ts';
import { row } from '../support/page.ts';
import { test } from './fixtures.ts';

const grid = (page: Page) => page.getByRole('grid');
const steps = (page: Page) => page.evaluate(() => window.history.length);
const scrolled = (page: Page) => grid(page).evaluate((element) => element.scrollTop);

test.describe('the history of the browser', () => {
  test('has one entry for each step, however it is taken', async ({ openDemo, page }) => {
    await openDemo('erik', '/p/main/team-files');
    await expect(row(page, 'projects')).toBeVisible();
    const before = await steps(page);
    await row(page, 'projects').getByRole('link').click();
    await expect(page.getByRole('heading', { name: 'projects' })).toBeVisible();
    await expect.poll(() => steps(page)).toBe(before + 1);
    await row(page, 'apollo').getByRole('gridcell').nth(2).click();
    await expect(page.getByRole('heading', { name: 'apollo' })).toBeVisible();
    await expect.poll(() => steps(page)).toBe(before + 2);
    await row(page, 'plan.md').first().getByRole('link').click();
    await expect(page.getByRole('complementary', { name: 'Details of plan.md' })).toBeVisible();
    await expect.poll(() => steps(page)).toBe(before + 3);
    for (const name of ['apollo', 'projects', 'team-files']) {
      await page.goBack();
      await expect(page.getByRole('heading', { name, exact: true })).toBeVisible();
      await expect(page.getByRole('complementary')).toHaveCount(0);
    }
  });

  test('leads Back to where one was in the rows, with their order and what was selected', async ({
    openDemo,
    page,
  }) => {
    await openDemo('erik', '/p/main/sensors?prefix=readings%2F&sort=-name');
    await expect(grid(page)).toBeVisible();
    await grid(page).evaluate((element) => element.scrollTo(0, 6_000));
    // The rows of the start stand for a moment more, until the grid has heard that it was scrolled.
    const name = '00850.json';
    await row(page, name).getByRole('checkbox').check();
    const before = await scrolled(page);
    expect(before).toBeGreaterThan(5_000);
    await page.getByRole('navigation', { name: 'Storage' }).getByRole('link', { name: 'photos' }).click();
    await expect(page.getByRole('link', { name: '2025', exact: true })).toBeVisible();
    await expect.poll(() => scrolled(page)).toBe(0);
    await page.goBack();
    await expect(row(page, name)).toBeVisible();
    await expect.poll(async () => Math.abs((await scrolled(page)) - before)).toBeLessThan(80);
    await expect(row(page, name)).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByText('1 selected')).toBeVisible();
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-name');
    await page.goForward();
    await expect(page.getByRole('link', { name: '2025', exact: true })).toBeVisible();
    await expect(page.getByText('1 selected')).toHaveCount(0);
  });

  test('keeps the order while one walks through folders', async ({ openDemo, page }) => {
    await openDemo('erik', '/p/main/photos?sort=-modified');
    const order = () => new URL(page.url()).searchParams.get('sort');
    await page.getByRole('link', { name: '2025', exact: true }).click();
    await expect(page.getByRole('heading', { name: '2025' })).toBeVisible();
    expect(order()).toBe('-modified');
    await row(page, 'summer').getByRole('link').click();
    await expect(page.getByRole('heading', { name: 'summer' })).toBeVisible();
    await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'photos' }).click();
    await expect(page.getByRole('heading', { name: 'photos' })).toBeVisible();
    expect(order()).toBe('-modified');
  });

  test('has the open file in the title of the page', async ({ openDemo, page }) => {
    await openDemo('erik', '/p/main/team-files');
    await expect(page).toHaveTitle('team-files · svc');
    await row(page, 'README.md').getByRole('link').click();
    await expect(page).toHaveTitle('README.md · team-files · svc');
    await page.goBack();
    await expect(page).toHaveTitle('team-files · svc');
  });
});

test.describe('signing in again', () => {
  // Without the mouse: to point at a folder asks for what is in it, which may end the page before the click.
  const FAILING: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
    'a refresh': (page) => page.getByRole('button', { name: 'Refresh' }).click(),
    'a folder': (page) => row(page, 'projects').getByRole('link').dispatchEvent('click'),
    'a file': (page) => row(page, 'README.md').getByRole('link').dispatchEvent('click'),
    'another bucket': (page) =>
      page.getByRole('navigation', { name: 'Storage' }).getByRole('link', { name: 'photos' }).dispatchEvent('click'),
  };
  for (const [what, click] of Object.entries(FAILING))
    test(`asks again for all that failed meanwhile: ${what}`, async ({ openDemo, demo, page, signedIn }) => {
      await openDemo('vera', '/p/main/team-files');
      await expect(row(page, 'projects')).toBeVisible();
      await page.routeWebSocket(/\/rpc/, (socket) => socket.close());
      // Each request fails once as it does when the session has ended, and after that everything works again.
      let isEnded = true;
      await page.route(/\/api\/providers/, (route) =>
        isEnded
          ? route.fulfill({
              status: 401,
              contentType: 'application/problem+json',
              body: JSON.stringify({
                type: 'urn:svc:problem:session_required',
                title: 'Session required',
                status: 401,
                code: 'session_required',
                request_id: 'x',
              }),
            })
          : route.fallback(),
      );
      await click(page);
      await expect(page.getByRole('heading', { name: 'Your session has ended' })).toBeVisible();
      await endSessionsOf(demo.url, await signedIn(demo.url, 'ada'), 'vera');
      isEnded = false;
      const popup = page.waitForEvent('popup');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await (await popup).locator('button[name="account"][value="vera"]').click();
      await expect(page.getByRole('row').nth(1)).toBeVisible();
      await page.waitForLoadState('networkidle');
      await expect(page.getByText(/could not be/)).toHaveCount(0);
      await expect(page.getByText('Your session has ended')).toHaveCount(0);
    });
});
