import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type Page } from '@playwright/test';
import { endSessionsOf } from '../support/end-sessions.ts';
import { become, test } from './fixtures.ts';
import { watchData } from './watch-data.ts';

const CHECK = '/v1/auth/session';
const FOLDER = '/p/main/team-files';
const UNKNOWN = { name: 'Your session could not be checked' };

const focus = (page: Page): Promise<boolean> => page.evaluate(() => window.dispatchEvent(new Event('focus')));

/** The number of session checks of a page. */
function checksOf(page: Page): () => number {
  let checks = 0;
  page.on('request', (request) => void (request.url().endsWith(CHECK) && checks++));
  return () => checks;
}

for (const [what, contentType, body, status = 200] of [
  ['a page of its own', 'text/html', '<h1>Welcome to this network</h1>'],
  ['JSON of its own', 'application/json', '{"status":"ok"}'],
  ['JSON that is no object', 'application/json', '"welcome"'],
  ['null', 'application/json', 'null'],
  ['nothing at all', 'text/plain', '', 204],
  ['nobody in JSON', 'application/json', '{"subject":null}'],
  ['somebody in JSON of its own', 'application/json', '{"subject":"erik"}'],
  ['a refusal that names somebody', 'application/json', '{"subject":"erik","expiresAt":null}', 403],
] as const) {
  test(`a session check that a proxy answers with ${what} is not passed: no data is asked for`, async ({
    openDemo,
    page,
  }) => {
    const asked = watchData(page);
    await page.route(`**${CHECK}`, (route) => route.fulfill({ status, contentType, body }));
    await openDemo('erik', FOLDER);
    await expect(page.getByRole('heading', UNKNOWN)).toBeVisible();
    expect(asked).toEqual([]);
  });
}

test('a clock that is days ahead does not make the page check its session each second', async ({ openDemo, page }) => {
  const checks = checksOf(page);
  await page.clock.install({ time: Date.now() + 3 * 24 * 3600_000 });
  await openDemo('erik', FOLDER);
  await expect(page.getByRole('grid')).toBeVisible();
  await page.clock.runFor(50_000);
  expect(checks()).toBe(1);
  await page.clock.runFor(20_000);
  await expect.poll(checks).toBe(2);
});

test('an answer of a proxy that the browser keeps is not the answer to the next check', async ({
  demo,
  page,
  signedIn,
}) => {
  const portal = await startPortal(demo.url);
  await become(page, await signedIn(demo.url, 'erik'), demo.url, portal.origin);
  portal.answer = (res) => res.writeHead(410, { 'cache-control': 'max-age=3600' }).end('Welcome to this network');
  await page.goto(portal.origin + FOLDER);
  await expect(page.getByRole('heading', UNKNOWN)).toBeVisible();
  portal.answer = undefined;
  await page.getByRole('button', { name: 'Check session' }).click();
  await expect(page.getByRole('grid')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('grid')).toBeVisible();
  portal.close();
});

/** Makes what the page waits for a minute end after a second. */
const hurry = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = (ms) => timeout(ms / 60);
  });

test('a check that is never answered ends after a minute, and can be tried again', async ({ openDemo, page }) => {
  await hurry(page);
  await page.route(`**${CHECK}`, () => undefined);
  await openDemo('erik', FOLDER);
  await expect(page.getByRole('heading', UNKNOWN)).toBeVisible();
  await page.unroute(`**${CHECK}`);
  await page.getByRole('button', { name: 'Check session' }).click();
  await expect(page.getByRole('grid')).toBeVisible();
});

for (const [how, tell] of [
  ['where the page is left', (page) => page.evaluate(() => void window.dispatchEvent(new Event('blur')))],
  [
    'in a tab in front of it',
    async (page, url) => {
      const other = await page.context().newPage();
      await other.goto(`${url}/signed-out`);
      await expect(other.getByRole('heading', { name: 'You are signed out' })).toBeVisible();
    },
  ],
] satisfies [string, (page: Page, url: string) => Promise<void>][]) {
  test(`what was asked for the one before is not shown to somebody who signs in while the page loads, ${how}`, async ({
    demo,
    openDemo,
    page,
    signedIn,
  }) => {
    const asked = page.waitForResponse(/\/objects\?/);
    const [loading, load] = gate();
    await page.route(/\/assets\/first-.*\.js$/, async (route) => {
      await loading;
      await route.continue();
    });
    const opened = openDemo('erik', FOLDER);
    await asked;
    await tell(page, demo.url);
    await become(page, await signedIn(demo.url, 'vera'), demo.url);
    load();
    await opened;
    await expect(page.getByRole('button', { name: 'Session of Vera Viewer' })).toBeVisible();
  });
}

test('the page after a sign-in goes on with who is signed in then', async ({ demo, openDemo, page, signedIn }) => {
  await openDemo('ada', '/signed-in');
  await become(page, await signedIn(demo.url, 'vera'), demo.url);
  await page.getByRole('link', { name: 'Continue in this window' }).click();
  await expect(page.getByRole('button', { name: 'Session of Vera Viewer' })).toBeVisible();
});

test('a change during a check is followed by another check', async ({ openDemo, page }) => {
  await openDemo('erik', FOLDER);
  await expect(page.getByRole('grid')).toBeVisible();
  const checks = checksOf(page);
  await page.route(
    '**/rpc',
    async (route) => {
      await focus(page);
      await route.continue();
    },
    { times: 1 },
  );
  await focus(page);
  await expect.poll(checks).toBe(2);
});

test('a request whose session store fails, while that of the check does not, makes the page ask in no loop', async ({
  openDemo,
  page,
}) => {
  const checks = checksOf(page);
  let failed = 0;
  await page.route('**/rpc', async (route) => {
    if (route.request().postData()?.includes('place/list') !== true) return route.continue();
    failed += 1;
    const error = { code: -32000, message: 'x', data: { code: 'session_store_unavailable', detail: 'x' } };
    return route.fulfill({ json: [{ jsonrpc: '2.0', id: 0, error }] });
  });
  await openDemo('erik', FOLDER);
  await expect(page.getByRole('grid')).toBeVisible();
  await expect.poll(() => failed).toBeGreaterThan(0);
  await page.waitForTimeout(1_000);
  expect(checks()).toBeLessThan(5);
});

test('a page that is left before its session is checked asks ahead for nobody', async ({
  demo,
  openDemo,
  page,
  signedIn,
}) => {
  const [answered, answer] = gate();
  const [loading, load] = gate();
  await page.route(/\/assets\/first-.*\.js$/, async (route) => {
    await loading;
    await route.continue();
  });
  const left = page.waitForRequest(`**${CHECK}`);
  await page.route(
    `**${CHECK}`,
    async (route) => {
      await answered;
      await route.continue();
    },
    { times: 1 },
  );
  const opened = openDemo('ada', FOLDER);
  await left;
  // The code that hears of it has to run.
  await page.waitForTimeout(1_000);
  const checked = page.waitForResponse(`**${CHECK}`);
  await page.evaluate(() => window.dispatchEvent(new Event('blur')));
  answer();
  await (await checked).finished();
  // What would be asked ahead is answered for the one before.
  await page.waitForTimeout(1_000);
  await become(page, await signedIn(demo.url, 'vera'), demo.url);
  load();
  await opened;
  await expect(page.getByRole('button', { name: 'Session of Vera Viewer' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Administration' })).toHaveCount(0);
});

test('a sign-out in another tab during the first check leaves the page', async ({ demo, openDemo, page }) => {
  const [answered, answer] = gate();
  let given = false;
  await page.route('**/rpc', async (route) => {
    if (given || route.request().postData()?.includes('"initialize"') !== true) return route.continue();
    given = true;
    const response = await route.fetch();
    await answered;
    return route.fulfill({ response });
  });
  await openDemo('erik', FOLDER);
  await expect(page.getByRole('status', { name: 'Checking your session' })).toBeVisible();
  await expect.poll(() => given).toBe(true);
  const other = await page.context().newPage();
  await other.goto(`${demo.url}/signed-out`);
  const told = (what: string): Promise<void> =>
    other.evaluate((text) => new BroadcastChannel('svc-session').postMessage(text), what);
  await told('signing-out');
  await page.context().clearCookies();
  await told('signed-out');
  await page.waitForTimeout(500);
  answer();
  await expect(page).toHaveURL(/\/signed-out$/);
});

test('a sign-out that is never answered is unconfirmed after a minute', async ({ openDemo, page }) => {
  await hurry(page);
  await page.route('**/v1/auth/logout', () => undefined);
  await openDemo('erik', FOLDER);
  await page.getByRole('button', { name: 'Session of Erik Editor' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Sign-out is unconfirmed' })).toBeVisible();
});

test('a page stays when its session ends after a sign-out that did not end it', async ({
  demo,
  openDemo,
  page,
  signedIn,
}) => {
  await openDemo('erik', FOLDER);
  await expect(page.getByRole('grid')).toBeVisible();
  const checked = page.waitForResponse('**/rpc');
  const other = await page.context().newPage();
  // Nobody signs out by this page, but it tells the other tabs.
  await other.goto(`${demo.url}/signed-out`);
  await checked;
  await page.waitForLoadState('networkidle');
  await endSessionsOf(demo.url, await signedIn(demo.url, 'ada'), 'erik');
  await expect(page.getByRole('heading', { name: 'Your session has ended' })).toBeVisible();
});

test('a folder that storage lists after more than a minute is asked for once', async ({ openDemo, page }) => {
  await hurry(page);
  const asked = watchData(page);
  await page.route(/\/objects\?/, async (route) => {
    await page.waitForTimeout(2_000);
    await route.continue();
  });
  await openDemo('erik', FOLDER);
  await expect(page.getByRole('grid')).toBeVisible();
  expect(asked.filter((request) => request.includes('/objects?'))).toHaveLength(1);
});

function gate(): [Promise<unknown>, () => void] {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  return [promise, () => resolve(undefined)];
}

/** A proxy that answers session checks in place of the service while `answer` is set. */
async function startPortal(target: string) {
  const { host, hostname, port, origin } = new URL(target);
  const portal = { answer: undefined as ((res: ServerResponse) => unknown) | undefined };
  const server = createServer((req, res) => {
    if (req.url === CHECK && portal.answer !== undefined) return void portal.answer(res);
    const headers = { ...req.headers, host, ...(req.headers.origin !== undefined && { origin }) };
    const passed = request({ hostname, port, method: req.method, path: req.url, headers }, (answer) => {
      const text = JSON.stringify(answer.headers).replaceAll(origin, own);
      res.writeHead(answer.statusCode!, JSON.parse(text) as typeof answer.headers);
      answer.pipe(res);
    });
    passed.on('error', () => res.destroy());
    req.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(portal, {
    origin: own,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
}
