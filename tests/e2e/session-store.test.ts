import { describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.ts';
import { chooseAccount, inBrowser, openAs, openPage } from '../support/browser.ts';
import { endSessionsOf } from '../support/end-sessions.ts';
import { filesOf } from '../support/files.ts';
import { RedisServer } from '../support/redis-server.ts';
import { expectGoodScreen, VIEWS } from '../support/views.ts';
import type { Visitor } from '../support/visitor.ts';

type Stored = { readonly app: TestApp; readonly redis: RedisServer; close(): Promise<void> };

let app: TestApp;
let redis: RedisServer;
let admin: Visitor;
let browser: Browser;

/** The service with its sessions in a real Redis, that can be killed. */
async function startStored(): Promise<Stored> {
  const store = await RedisServer.start();
  const started = await startApp({ config: ({ auth, ...rest }) => ({ ...rest, auth: { ...(auth as object), session: { type: 'redis', url: store.url } } }) });
  return {
    app: started,
    redis: store,
    close: async () => {
      await started.close();
      await store.stop();
    },
  };
}

inBrowser(startStored, {
  begin: async (started, launched) => {
    ({ app, redis } = started);
    browser = launched;
    admin = await app.signIn('ada');
    await filesOf(app, admin, 'files').put('report.txt', 'x');
  },
});

type Step = (page: Page) => Promise<void>;

const SCREENS: readonly (readonly [screen: string, heading: string, lead: Step, leave: Step])[] = [
  [
    'session check failed',
    'Your session could not be checked',
    async (page) => {
      await redis.kill();
      await page.getByRole('button', { name: 'Read again' }).click();
      await page.getByRole('heading', { name: 'Your session could not be checked' }).waitFor();
      expect(await page.getByText(/Eve|report|signed out/).count()).toBe(0);
    },
    comeBack,
  ],
  [
    'sign-out unconfirmed',
    'Sign-out is unconfirmed',
    async (page) => {
      const navigation = page.getByRole('button', { name: 'Open navigation' });
      if (await navigation.isVisible()) await navigation.click();
      await page.getByRole('button', { name: 'Session of' }).click();
      await redis.kill();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign-out is unconfirmed' }).waitFor();
      expect(await page.getByText(/Eve|report/).count()).toBe(0);
    },
    comeBack,
  ],
  [
    'session ended',
    'Your session has ended',
    async (page) => {
      await endSessionsOf(app, admin, 'eve');
      await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
      expect(await page.getByText(/Eve|report/).count()).toBe(0);
    },
    async (page) => {
      const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: 'Sign in' }).click()]);
      await popup.waitForLoadState();
      if (!popup.isClosed() && popup.url().startsWith(app.issuer)) await chooseAccount(popup, 'eve');
      await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'detached' });
    },
  ],
];

describe.each(VIEWS)('%s', (name, view) => {
  it.each(SCREENS)('%s hides the account, has no accessibility fault, and is left again', async (screen, heading, lead, leave) => {
    const page = await openPage(browser, view);
    await openAs(page, 'eve', `${app.origin}/p/main/files`);
    await page.getByRole('row', { name: 'report.txt' }).waitFor();
    await lead(page);
    await page.getByRole('heading', { name: heading }).waitFor();
    await expectGoodScreen(page, screen, name);
    await leave(page);
    await page.getByRole('row', { name: 'report.txt' }).waitFor();
    await page.context().close();
  });
});

/** The session is still there once Redis is. */
async function comeBack(page: Page): Promise<void> {
  await redis.restart();
  const check = page.getByRole('button', { name: 'Check session' });
  for (let tries = 0; tries < 20 && (await check.count()) > 0; tries += 1) {
    await check.click().catch(() => undefined);
    await page.waitForTimeout(500);
  }
}
