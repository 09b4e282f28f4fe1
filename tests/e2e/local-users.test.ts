import { describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { Machine } from '../cli/svc-process.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { inBrowser, openPage } from '../support/browser.ts';
import { expectGoodScreen, VIEWS } from '../support/views.ts';

let app: TestApp;
let browser: Browser;
let page: Page;

/** Without an identity provider: developers choose who to be. */
const startLocal = () =>
  startApp({
    config: ({ auth, ...rest }) => ({ ...rest, auth: { ...(auth as object), oidc: undefined, local_users: [{ subject: 'boss', roles: ['admin'] }, { subject: 'guest', roles: ['viewer', 'editor'] }, { subject: 'bare', roles: [] }] } }),
  });

inBrowser(startLocal, {
  begin: (started, launched) => {
    app = started;
    browser = launched;
  },
  each: (opened) => (page = opened),
});

const user = (subject: string) => page.getByRole('button', { name: subject });

describe('the page of local users', () => {
  it('signs in whom a click chooses, and leads back to the same place', async () => {
    await page.goto(`${app.origin}/p/main/files?sort=-size`);
    expect(new URL(page.url()).pathname).toBe('/api/auth/login');
    await user('guest').click();
    await page.getByRole('heading', { name: 'files' }).waitFor();
    expect(page.url()).toBe(`${app.origin}/p/main/files?sort=-size`);
    await page.getByRole('button', { name: 'Session of guest' }).waitFor();
  });

  it('signs in by the page of `/v1/auth/authorize` too', async () => {
    await page.goto(`${app.origin}/v1/auth/authorize?return_to=/p/main/photos`);
    await user('boss').click();
    await page.getByRole('heading', { name: 'photos' }).waitFor();
  });

  it('signs in `svc login`', async () => {
    const machine = await Machine.make();
    const login = machine.start(['login', '--no-browser', '--server', app.origin]);
    try {
      const [url = ''] = await login.stderrHas(/http:\/\/\S+authorize\S+/);
      await page.goto(url);
      await user('boss').click();
      expect(await login.ended).toMatchObject({ status: 0, stdout: expect.stringContaining(`signed in at ${app.origin} as boss`) });
      await page.getByRole('heading', { name: 'Signed in' }).waitFor();
    } finally {
      login.child.kill();
      await machine.remove();
    }
  });

  it.each(VIEWS)('is a good screen, %s', async (name, view) => {
    const seen = await openPage(browser, view);
    await seen.goto(`${app.origin}/api/auth/login`);
    await expectGoodScreen(seen, 'local users', name);
    await seen.context().close();
  });
});
