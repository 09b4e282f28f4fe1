import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start.ts';
import { accessibilityFaults, chooseAccount, inBrowser, openAs } from '../support/browser.ts';
import { startDemoService } from '../support/demo-service.ts';

let demo: Demo;
let page: Page;

inBrowser(startDemoService, { begin: (started) => (demo = started), each: (opened) => (page = opened) });

const FOLDER = '/p/main/team-files?prefix=projects%2F&sort=-size';
const row = (name: string) => page.getByRole('row', { name });
const menu = () => page.getByRole('button', { name: 'Session of' });

describe('signing in', () => {
  it('brings a cold visitor to the provider and back to the same place', async () => {
    await openAs(page, 'erik', demo.url + FOLDER);
    await page.getByRole('heading', { name: 'projects' }).waitFor();
    expect(page.url()).toBe(demo.url + FOLDER);
  });

  it('offers a sign-in screen, which keeps the place', async () => {
    await page.goto(`${demo.url}/sign-in?return_to=${encodeURIComponent(FOLDER)}`);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await chooseAccount(page, 'erik');
    await page.getByRole('heading', { name: 'projects' }).waitFor();
    expect(page.url()).toBe(demo.url + FOLDER);
  });

  it('shows the sign-in screen in the place of a page whose session is not there', async () => {
    await openAs(page, 'erik', `${demo.url}/`);
    await menu().waitFor();
    await page.route('**/api/auth/me', async (route) => {
      await page.request.post(`${demo.url}/v1/auth/logout`, { headers: { origin: demo.url } });
      await route.continue();
    });
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.getByText('team-files').count()).toBe(0);
  });
});

describe('the session menu', () => {
  it('shows name, subject, issuer and groups', async () => {
    await openAs(page, 'ada', `${demo.url}/`);
    await menu().click();
    const dialog = page.getByRole('dialog', { name: 'Session' });
    await expectTexts(dialog, ['Ada Admin', 'ada', demo.issuer, 'storage-admins', 'staff']);
  });

  it('signs out, at the provider too, and the cookie is dead', async () => {
    await openAs(page, 'erik', `${demo.url}/`);
    const before = await page.context().cookies();
    await menu().click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await page.context().addCookies(before.filter(({ name }) => name === 'svc_session'));
    await page.goto(`${demo.url}/`);
    await page.getByRole('heading', { name: 'Demo sign-in' }).waitFor();
  });

  it('says that sign-out is unconfirmed when the answer is lost, and hides the account', async () => {
    await openAs(page, 'erik', `${demo.url}/`);
    await menu().waitFor();
    await menu().click();
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign-out is unconfirmed' }).waitFor();
    expect(await page.getByText('Erik Editor').count()).toBe(0);
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Check session' }).click();
    await menu().waitFor();
  });
});

describe('signing out', () => {
  it('hides the account at once, however slow the answer is', async () => {
    await openAs(page, 'erik', demo.url + FOLDER);
    await row('apollo').waitFor();
    let answer = (): void => undefined;
    await page.route('**/v1/auth/logout', async (route) => {
      await new Promise<void>((resolve) => (answer = resolve));
      await route.continue();
    });
    await menu().click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('status', { name: 'Signing out' }).waitFor();
    await expectNothingLeft();
    answer();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  });

  it('leaves nothing behind when its answer was lost and the session is checked', async () => {
    await openAs(page, 'erik', demo.url + FOLDER);
    await row('apollo').waitFor();
    await page.route('**/v1/auth/logout', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await menu().click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Check session' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await expectNothingLeft();
  });
});

describe('a link of another site that signs out', () => {
  const follow = async () => {
    await page.goto(`${demo.issuer}/.well-known/openid-configuration`);
    await page.evaluate((href) => {
      const link = Object.assign(document.createElement('a'), { href });
      document.body.append(link);
      link.click();
    }, `${demo.url}/api/auth/logout`);
    await page.getByRole('heading', { name: 'Sign out?' }).waitFor();
  };

  it('leads to a page that asks first', async () => {
    await openAs(page, 'erik', `${demo.url}/`);
    await menu().waitFor();
    await follow();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'Stay signed in' }).click();
    await menu().waitFor();
    await follow();
    await page.getByRole('link', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  });
});

describe('a session check without a network', () => {
  it('hides account data without saying signed out, and recovers', async () => {
    await openAs(page, 'erik', `${demo.url}${FOLDER}`);
    await row('apollo').waitFor();
    await page.route('**/api/auth/me', async (route) => {
      await page.context().setOffline(true);
      await route.continue();
    }, { times: 1 });
    await page.reload();
    await page.getByRole('heading', { name: 'Your session could not be checked' }).waitFor();
    await page.getByText('The service did not answer').waitFor();
    expect(await page.getByText(/Erik|apollo|signed out/).count()).toBe(0);
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Check session' }).click();
    await row('apollo').waitFor();
  });
});

describe('a session that ends in the middle of work', () => {
  it('asks to sign in, hides the page, and shows it again afterwards', async () => {
    await openAs(page, 'erik', demo.url + FOLDER);
    await row('apollo').waitFor();
    await page.context().clearCookies({ name: 'svc_session' });
    await page.getByRole('button', { name: 'Read again' }).click();
    await ended().waitFor();
    expect(page.url()).toBe(demo.url + FOLDER);
    expect(await page.getByText(NAMES).count()).toBe(0);
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: 'Sign in' }).click()]);
    await popup.waitForLoadState();
    if (!popup.isClosed() && popup.url().startsWith(demo.issuer)) await chooseAccount(popup, 'erik');
    await ended().waitFor({ state: 'detached' });
    await row('apollo').waitFor();
  });

  it('is noticed at once, without a request', async () => {
    const opened = page.waitForEvent('websocket');
    await openAs(page, 'erik', demo.url + FOLDER);
    await row('apollo').waitFor();
    expect(new URL((await opened).url()).pathname).toBe('/rpc');
    const admin = await page.context().browser()!.newContext();
    const other = await admin.newPage();
    await openAs(other, 'ada', `${demo.url}/admin/sessions`);
    await endSessions(other, 'erik');
    await ended().waitFor();
    expect(await page.getByText(NAMES).count()).toBe(0);
    await admin.close();
  });

  it('is looked for when the page is looked at again', async () => {
    await page.routeWebSocket('**/rpc', () => undefined);
    await openAs(page, 'erik', demo.url + FOLDER);
    await row('apollo').waitFor();
    await page.context().clearCookies({ name: 'svc_session' });
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await ended().waitFor();
  });

  it('leaves nothing behind when another tab signs out', async () => {
    await openAs(page, 'erik', demo.url + FOLDER);
    await row('apollo').waitFor();
    const other = await page.context().newPage();
    await other.goto(`${demo.url}/`);
    await other.getByRole('button', { name: 'Session of' }).click();
    await other.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    expect([await page.content(), page.url()].join()).not.toMatch(NAMES);
  });
});

describe('the page', () => {
  it('keeps no credential in the storage of the browser', async () => {
    await openAs(page, 'erik', demo.url + FOLDER);
    await row('apollo').waitFor();
    await menu().click();
    await page.getByText('Dark', { exact: true }).click();
    const stored = await page.evaluate(() => ({ local: Object.entries(localStorage), session: Object.entries(sessionStorage), cookies: document.cookie }));
    expect(stored).toEqual({ local: [['svc-color-scheme', 'dark']], session: [], cookies: '' });
  });

  it('allows scripts of its own files only', async () => {
    const faults: string[] = [];
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    await page.goto(`${demo.url}/sign-in`);
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    const answer = await page.request.get(`${demo.url}/sign-in`, { headers: { accept: 'text/html' } });
    const policy = answer.headers()['content-security-policy'] ?? '';
    const folder = `${demo.url}/assets/`;
    expect(policy.split(';')).toEqual(expect.arrayContaining(["default-src 'self'", `script-src ${folder}`, `worker-src ${folder}`, "object-src 'none'"]));
    expect(faults).toEqual([]);
  });

  it('is public at `/signed-out` and `/sign-in` only', async () => {
    for (const path of ['/signed-out', '/sign-in']) expect((await page.goto(demo.url + path))?.url()).toBe(demo.url + path);
    for (const path of ['/', '/admin', '/keys', '/p/main']) expect((await page.goto(demo.url + path))?.url()).toContain(demo.issuer);
  });
});

const ended = () => page.getByRole('heading', { name: 'Your session has ended' });
/** What only a signed-in person sees. */
const NAMES = /Erik|apollo|team-files/;

async function expectNothingLeft(): Promise<void> {
  // Dialogs and messages fade out.
  await page.waitForFunction((names) => !new RegExp(names).test(document.documentElement.outerHTML), NAMES.source);
}

/** As an administrator, by the service's own route. */
async function endSessions(admin: Page, subject: string): Promise<void> {
  const { sessions } = (await (await admin.request.get(`${demo.url}/api/admin/sessions`)).json()) as { sessions: { id: string; subject: string }[] };
  for (const { id } of sessions.filter((session) => session.subject === subject)) await admin.request.delete(`${demo.url}/api/admin/sessions/${id}`, { headers: { origin: demo.url } });
}

async function expectTexts(scope: ReturnType<Page['getByRole']>, texts: readonly string[]): Promise<void> {
  await scope.waitFor();
  const content = await scope.innerText();
  for (const text of texts) expect(content).toContain(text);
}
