import { expect, type Page } from '@playwright/test';
import type { Demo } from '../../scripts/demo/start.ts';
import { SESSION_COOKIE } from '../../src/access/credentials.ts';
import { endSessionsOf } from '../support/end-sessions.ts';
import { accessibilityFaults, chooseAccount, dialog, row, signInByClicks, tray, upload } from '../support/page.ts';
import { core, test } from './fixtures.ts';

const FOLDER = '/p/main/team-files?prefix=projects%2F&sort=-size';
const menu = (page: Page) => page.getByRole('button', { name: 'Session of' });

test.describe('signing in', () => {
  test('brings a cold visitor to the provider and back to the same place', core, async ({ demo, page }) => {
    await signInByClicks(page, 'erik', demo.url + FOLDER);
    await expect(page.getByRole('heading', { name: 'projects' })).toBeVisible();
    expect(page.url()).toBe(demo.url + FOLDER);
  });

  test('offers a sign-in screen, which keeps the place', async ({ demo, page }) => {
    await page.goto(`${demo.url}/sign-in?return_to=${encodeURIComponent(FOLDER)}`);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await chooseAccount(page, 'erik');
    await expect(page.getByRole('heading', { name: 'projects' })).toBeVisible();
    expect(page.url()).toBe(demo.url + FOLDER);
  });

  test(
    'shows the sign-in screen in the place of a page whose session is not there',
    core,
    async ({ openDemo, demo, page }) => {
      await openDemo('erik', FOLDER);
      await expect(row(page, 'apollo')).toBeVisible();
      await page.route('**/v1/auth/session', async (route) => {
        await page.request.post(`${demo.url}/v1/auth/logout`, { headers: { origin: demo.url } });
        await route.continue();
      });
      await page.reload();
      await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
      expect(await page.getByText('team-files').count()).toBe(0);
    },
  );
});

test.describe('the session menu', () => {
  test('shows name, subject, issuer and groups', async ({ openDemo, demo, page }) => {
    await openDemo('ada', '/');
    await menu(page).click();
    for (const text of ['Ada Admin', 'ada', demo.issuer, 'storage-admins', 'staff'])
      await expect(dialog(page, 'Session')).toContainText(text);
  });

  test('leads to the API reference', async ({ openDemo, page }) => {
    await openDemo('erik', '/');
    await menu(page).click();
    const opened = page.context().waitForEvent('page');
    await dialog(page, 'Session').getByRole('link', { name: 'API reference' }).click();
    await expect((await opened).getByText('/api/auth/me').first()).toBeVisible();
  });

  test('signs out, at the provider too, and the cookie is dead', core, async ({ demo, page }) => {
    await signInByClicks(page, 'erik', `${demo.url}/`);
    const before = await page.context().cookies();
    await menu(page).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible();
    await page.context().addCookies(before.filter(({ name }) => name === 'svc_session'));
    await page.goto(`${demo.url}/`);
    await expect(page.getByRole('heading', { name: 'Demo sign-in' })).toBeVisible();
  });

  test('says that sign-out is unconfirmed when the answer is lost, and hides the account', async ({ demo, page }) => {
    await signInByClicks(page, 'erik', `${demo.url}/`);
    await expect(menu(page)).toBeVisible();
    await menu(page).click();
    // The menu's own code comes first.
    await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect(page.getByRole('heading', { name: 'Sign-out is unconfirmed' })).toBeVisible();
    expect(await page.getByText('Erik Editor').count()).toBe(0);
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Check session' }).click();
    await expect(menu(page)).toBeVisible();
  });
});

test.describe('signing out', () => {
  test('hides the account at once, however slow the answer is', async ({ demo, page }) => {
    await signInByClicks(page, 'erik', demo.url + FOLDER);
    await expect(row(page, 'apollo')).toBeVisible();
    let answer = (): void => undefined;
    await page.route('**/v1/auth/logout', async (route) => {
      await new Promise<void>((resolve) => (answer = resolve));
      await route.continue();
    });
    await menu(page).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect(page.getByRole('status', { name: 'Signing out' })).toBeVisible();
    await expectNothingLeft(page);
    answer();
    await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible();
  });

  test('leaves nothing behind when its answer was lost and the session is checked', async ({ demo, page }) => {
    await signInByClicks(page, 'erik', demo.url + FOLDER);
    await expect(row(page, 'apollo')).toBeVisible();
    await page.route('**/v1/auth/logout', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await menu(page).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Check session' }).click();
    await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible();
    await expectNothingLeft(page);
    // The session at the provider has ended too, so it asks who signs in.
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await expect(page.getByRole('heading', { name: 'Demo sign-in' })).toBeVisible();
  });
});

test('signing out ends the session although another host has planted a second cookie', async ({ demo, page }) => {
  await signInByClicks(page, 'erik', demo.url + FOLDER);
  await expect(row(page, 'apollo')).toBeVisible();
  const session = (await page.context().cookies()).find(({ name }) => name === SESSION_COOKIE)!;
  await page
    .context()
    .addCookies(['/v1/auth/logout', '/api/auth/logout'].map((path) => ({ ...session, value: 'planted', path })));
  await menu(page).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible();
  await page.context().clearCookies();
  await page.context().addCookies([session]);
  await page.goto(`${demo.url}/`);
  await expect(page.getByRole('heading', { name: 'Demo sign-in' })).toBeVisible();
});

test.describe('a link of another site that signs out', () => {
  const follow = async (page: Page, demo: Demo) => {
    await page.goto(`${demo.issuer}/.well-known/openid-configuration`);
    await page.evaluate((href) => {
      const link = Object.assign(document.createElement('a'), { href });
      document.body.append(link);
      link.click();
    }, `${demo.url}/api/auth/logout`);
    await expect(page.getByRole('heading', { name: 'Sign out?' })).toBeVisible();
  };

  test('leads to a page that asks first', async ({ demo, page }) => {
    await signInByClicks(page, 'erik', `${demo.url}/`);
    await expect(menu(page)).toBeVisible();
    await follow(page, demo);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'Stay signed in' }).click();
    await expect(menu(page)).toBeVisible();
    await follow(page, demo);
    await page.getByRole('link', { name: 'Sign out', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible();
  });
});

test.describe('a session check without a network', () => {
  test('hides account data without saying signed out, and recovers', async ({ openDemo, page }) => {
    await openDemo('erik', FOLDER);
    await expect(row(page, 'apollo')).toBeVisible();
    // The document itself asks first, so that the parts of the page still have to arrive.
    await page.route('**/v1/auth/session', (route) => route.abort('internetdisconnected'));
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Your session could not be checked' })).toBeVisible();
    await expect(page.getByText('The service did not answer')).toBeVisible();
    expect(await page.getByText(/Erik|apollo|signed out/).count()).toBe(0);
    await page.unroute('**/v1/auth/session');
    await page.getByRole('button', { name: 'Check session' }).click();
    await expect(row(page, 'apollo')).toBeVisible();
  });
});

test.describe('a session that ends in the middle of work', () => {
  test('asks to sign in, hides the page, and shows it again afterwards', core, async ({ demo, page }) => {
    await signInByClicks(page, 'erik', demo.url + FOLDER);
    await expect(row(page, 'apollo')).toBeVisible();
    // A request of the opened page that is still under way would find out before the click.
    await page.waitForLoadState('networkidle');
    await page.context().clearCookies({ name: 'svc_session' });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect(ended(page)).toBeVisible();
    expect(page.url()).toBe(demo.url + FOLDER);
    expect(await page.getByText(NAMES).count()).toBe(0);
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Sign in' }).click(),
    ]);
    // The provider still knows who this is, and does not ask.
    await expect.poll(() => popup.isClosed()).toBe(true);
    await expect(ended(page)).not.toBeAttached();
    await expect(row(page, 'apollo')).toBeVisible();
  });

  test('is noticed at once, without a request', async ({ openDemo, demo, page, signedIn }) => {
    const opened = page.waitForEvent('websocket');
    await openDemo('erik', FOLDER);
    await expect(row(page, 'apollo')).toBeVisible();
    expect(new URL((await opened).url()).pathname).toBe('/rpc');
    await endSessionsOf(demo.url, await signedIn(demo.url, 'ada'), 'erik');
    await expect(ended(page)).toBeVisible();
    expect(await page.getByText(NAMES).count()).toBe(0);
  });

  test('is looked for when the page is looked at again', async ({ openDemo, page }) => {
    await page.routeWebSocket('**/rpc', () => undefined);
    await openDemo('erik', FOLDER);
    await expect(row(page, 'apollo')).toBeVisible();
    await page.context().clearCookies({ name: 'svc_session' });
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await expect(ended(page)).toBeVisible();
  });

  test('leaves nothing behind when another tab signs out', async ({ demo, page }) => {
    await signInByClicks(page, 'erik', demo.url + FOLDER);
    await expect(row(page, 'apollo')).toBeVisible();
    const other = await page.context().newPage();
    await other.goto(`${demo.url}/`);
    await other.getByRole('button', { name: 'Session of' }).click();
    await other.getByRole('button', { name: 'Sign out' }).click();
    await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible();
    expect([await page.content(), page.url()].join()).not.toMatch(NAMES);
  });
});

test.describe('a page on which somebody else has signed in meanwhile', () => {
  test('goes, with what was under way, although it would ask before it is left', async ({
    openDemo,
    demo,
    page,
    local,
    signedIn,
  }) => {
    await openDemo('erik', FOLDER);
    await expect(row(page, 'apollo')).toBeVisible();
    // Nobody answers them, so that an upload is under way.
    await page.route('**/api/**', (route) => (route.request().method() === 'PUT' ? undefined : route.continue()));
    await upload(page, await local('of-erik.txt', 'text'));
    await expect(tray(page)).toContainText('of-erik.txt');
    page.on('dialog', (asked) => void asked.dismiss());
    const vera = await signedIn(demo.url, 'vera');
    await page.context().addCookies([
      {
        name: SESSION_COOKIE,
        value: vera.cookie(demo.url, SESSION_COOKIE)!,
        url: demo.url,
        httpOnly: true,
        sameSite: 'Lax',
      },
    ]);
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await expect(page.getByRole('button', { name: 'Session of Vera' })).toBeVisible();
    expect(await page.content()).not.toMatch(/Erik|of-erik/);
  });
});

test.describe('the page', () => {
  test('keeps no credential and no name in the storage of the browser', async ({ openDemo, page }) => {
    await openDemo('erik', FOLDER);
    await expect(row(page, 'apollo')).toBeVisible();
    await menu(page).click();
    await page.getByText('Dark', { exact: true }).click();
    const stored = await page.evaluate(() => ({
      local: Object.fromEntries(Object.entries(localStorage)),
      session: Object.entries(sessionStorage),
      cookies: document.cookie,
    }));
    expect(stored).toEqual({
      local: { 'svc-color-scheme': 'dark' },
      session: [],
      cookies: '',
    });
  });

  test('allows scripts of its own files only', async ({ demo, page }) => {
    const faults: string[] = [];
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    await page.goto(`${demo.url}/sign-in`);
    await expect(page.getByRole('link', { name: 'Sign in' })).toBeVisible();
    const answer = await page.request.get(`${demo.url}/sign-in`, { headers: { accept: 'text/html' } });
    const policy = answer.headers()['content-security-policy'] ?? '';
    const folder = `${demo.url}/assets/`;
    expect(policy.split(';')).toEqual(
      expect.arrayContaining([
        "default-src 'self'",
        `script-src ${folder}`,
        `worker-src ${folder}`,
        "object-src 'none'",
      ]),
    );
    expect(faults).toEqual([]);
  });

  test('is public at `/signed-out` and `/sign-in` only', async ({ demo, page }) => {
    for (const path of ['/signed-out', '/sign-in'])
      expect((await page.goto(demo.url + path))?.url()).toBe(demo.url + path);
    for (const path of ['/', '/admin', '/keys', '/p/main'])
      expect((await page.goto(demo.url + path))?.url()).toContain(demo.issuer);
  });
});

const ended = (page: Page) => page.getByRole('heading', { name: 'Your session has ended' });
/** What only a signed-in person sees. */
const NAMES = /Erik|apollo|team-files/;

async function expectNothingLeft(page: Page): Promise<void> {
  // Dialogs and messages fade out.
  await expect.poll(() => page.content()).not.toMatch(NAMES);
}
