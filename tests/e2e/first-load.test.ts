import { expect, type Route } from '@playwright/test';
import { endSessionsOf } from '../support/end-sessions.ts';
import { row } from '../support/page.ts';
import { watchWire } from '../support/wire.ts';
import { test } from './fixtures.ts';
import { watchData } from './watch-data.ts';

const ROWS = 1_000;

test('the first load is at most 190 kB on the wire, and no more than 300 kB until the rows of a folder are there', async ({
  openDemo,
  page,
}) => {
  const wire = await watchWire(page);
  await openDemo('erik', '/p/main/team-files');
  await expect(page.getByRole('grid')).toBeVisible();
  await page.waitForLoadState('networkidle');
  const html = await (await page.request.get(page.url())).text();
  const named = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, path]) => path!);
  const firstLoad = wire.bytes(
    new RegExp(`/p/main/team-files$|${named.map((path) => path.replaceAll('.', '\\.')).join('|')}`),
  );
  expect(named.length).toBeGreaterThan(2);
  expect(firstLoad).toBeGreaterThan(100_000);
  expect(firstLoad).toBeLessThanOrEqual(190_000);
  expect(wire.bytes()).toBeLessThanOrEqual(300_000);
});

test('a page of 1,000 rows is at most 15 kB on the wire', async ({ files, openFolder, page }) => {
  const names = Array.from({ length: ROWS }, (_, index) => `rows/report ${index} of ${ROWS}.pdf`);
  for (let at = 0; at < ROWS; at += 50) await Promise.all(names.slice(at, at + 50).map((name) => files.put(name, 'x')));
  const wire = await watchWire(page);
  await openFolder('rows/');
  await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', String(ROWS + 1));
  expect(wire.bytes(/\/objects\?/)).toBeGreaterThan(1_000);
  expect(wire.bytes(/\/objects\?/)).toBeLessThanOrEqual(15_000);
});

test('a menu whose code comes late does not open after Escape, and opens where the focus comes back to', async ({
  openDemo,
  page,
}) => {
  let answer = (): void => undefined;
  const late = new Promise<void>((resolve) => (answer = resolve));
  await page.route(/\/assets\/menus-[^/]*\.js$/, async (route) => {
    await late;
    await route.continue();
  });
  await openDemo('erik', '/p/main/team-files');
  const button = page.getByRole('button', { name: 'View', exact: true });
  await button.click();
  await expect(button).toHaveAttribute('aria-expanded', 'true');
  await page.keyboard.press('Escape');
  await expect(button).toHaveAttribute('aria-expanded', 'false');
  const loaded = page.waitForResponse(/\/assets\/menus-/);
  answer();
  await (await loaded).finished();
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 500)));
  await expect(page.getByRole('menu')).toHaveCount(0);
  await button.press('Enter');
  await expect(page.getByRole('menuitemradio', { name: 'List', exact: true })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
  await expect(button).toBeFocused();
});

test('something is to be seen before the code of the page is there', async ({ openDemo, page }) => {
  await page.route(/\/assets\/index-.*\.js$/, async (route) => {
    await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible();
    await route.continue();
  });
  await openDemo('erik', '/');
  await expect(page.getByRole('navigation', { name: 'Storage' })).toBeVisible();
});

for (const [what, fail] of Object.entries<(route: Route) => unknown>({
  'cannot be loaded': (route) => route.abort(),
  'does not arrive': () => undefined,
})) {
  test(`a page whose code ${what} says what to do`, async ({ openDemo, page }) => {
    await page.route(/\/assets\/first-.*\.js$/, (route) => void fail(route));
    await openDemo('erik', '/');
    await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible();
    const told = page.getByText('reload the page');
    if (what === 'does not arrive') {
      await expect(told).toBeHidden();
      await page.evaluate(() => document.getAnimations().forEach((animation) => animation.finish()));
    }
    await expect(told).toBeVisible();
  });
}

test('the rows of a folder are asked for together with what the user may use, and shown afterwards', async ({
  openDemo,
  page,
}) => {
  const asked = page.waitForRequest(/\/objects\?/);
  const rpc = async (route: Route) => {
    await (await asked).response();
    await expect(page.getByRole('status', { name: 'Checking your session' })).toBeVisible();
    await expect(page.getByRole('grid')).toHaveCount(0);
    await route.continue();
  };
  await page.route('**/rpc', rpc, { times: 1 });
  await openDemo('erik', '/p/main/team-files');
  await expect(page.getByRole('grid')).toBeVisible();
});

test('a folder whose name has a quotation mark is asked for once', async ({ files, openFolder, page }) => {
  await files.put("it's/a.txt", 'x');
  const asked = watchData(page);
  await openFolder("it's/");
  await expect(row(page, 'a.txt')).toBeVisible();
  expect(asked.filter((request) => request.includes('/objects?'))).toHaveLength(1);
});

test('an address that only ends like that of a folder asks for no folder', async ({ openDemo, page }) => {
  const asked = watchData(page);
  await openDemo('ada', '/x/p/main/team-files');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  expect(asked.filter((request) => request.includes('/objects?'))).toEqual([]);
});

test('who is signed in, and what is in the folder, is asked once, while the code of the page is still on its way', async ({
  openDemo,
  page,
}) => {
  const asked: string[] = [];
  page.on('request', (request) => void asked.push(`${request.url()} ${request.postData() ?? ''}`));
  const first = Promise.all([
    page.waitForRequest('**/v1/auth/session'),
    page.waitForRequest('**/rpc'),
    page.waitForRequest(/\/objects\?/),
  ]);
  await page.route(/\/assets\/first-.*\.js$/, async (route) => {
    await first;
    await route.continue();
  });
  await openDemo('erik', '/p/main/team-files?prefix=projects%2Fapollo%2F');
  await expect(page.getByRole('grid')).toBeVisible();
  for (const what of ['/v1/auth/session', 'initialize', '/objects?'])
    expect(asked.filter((request) => request.includes(what))).toHaveLength(1);
});

for (const path of ['/', '/p/main/team-files?prefix=projects%2F', '/admin', '/keys', '/tools', '/search?q=plan']) {
  test(`${path} asks who is signed in, and nothing else before the answer`, async ({ openDemo, page }) => {
    const asked = watchData(page);
    let early: readonly string[] | undefined;
    await page.route('**/v1/auth/session', async (route) => {
      await expect(page.getByRole('status', { name: 'Checking your session' })).toBeVisible();
      early = [...asked];
      await route.continue();
    });
    await openDemo('ada', path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect(early).toEqual([]);
    expect(asked).not.toEqual([]);
  });
}

test('who is signed in is asked with the document, before any script, and once', async ({ openDemo, page }) => {
  const asked: string[] = [];
  page.on('request', (request) => request.url().endsWith('/v1/auth/session') && asked.push(request.url()));
  const first = page.waitForRequest('**/v1/auth/session');
  await page.route(/\/assets\/index-.*\.js$/, async (route) => {
    await first;
    await route.continue();
  });
  await openDemo('erik', '/');
  await expect(page.getByRole('navigation', { name: 'Storage' })).toBeVisible();
  expect(asked).toHaveLength(1);
});

test('a page whose session has ended in the meantime asks for no data, and shows the sign-in screen', async ({
  demo,
  openDemo,
  page,
  signedIn,
}) => {
  const asked = watchData(page);
  await page.route('**/v1/auth/session', async (route) => {
    await endSessionsOf(demo.url, await signedIn(demo.url, 'ada'), 'erik');
    await route.continue();
  });
  await openDemo('erik', '/p/main/team-files');
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  expect(asked).toEqual([]);
});
