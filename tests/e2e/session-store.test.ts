import { expect, type Page } from '@playwright/test';
import { startApp, type TestApp } from '../support/app.ts';
import { endSessionsOf } from '../support/end-sessions.ts';
import { filesOf } from '../support/files.ts';
import { chooseAccount, row } from '../support/page.ts';
import { RedisServer } from '../support/redis-server.ts';
import type { Visitor } from '../support/visitor.ts';
import { test } from './fixtures.ts';
import { expectGoodScreen } from './views.ts';
import { watchData } from './watch-data.ts';

/** The service with its sessions in a real Redis, which can be killed. */
let app: TestApp;
let redis: RedisServer;
let admin: Visitor;

test.beforeAll(async () => {
  redis = await RedisServer.start();
  app = await startApp({
    config: ({ auth, ...rest }) => ({
      ...rest,
      auth: { ...(auth as object), session: { type: 'redis', url: redis.url } },
    }),
  });
  admin = await app.signIn('ada');
  await filesOf(app, admin, 'files').put('report.txt', 'x');
});
test.afterAll(async () => {
  await app.close();
  await redis.stop();
});

const heading = (page: Page, name: string) => page.getByRole('heading', { name });
const report = (page: Page) => row(page, 'report.txt');

type Screen = {
  readonly name: string;
  readonly heading: string;
  readonly lead: (page: Page) => Promise<void>;
  readonly hides: RegExp;
  readonly leave: (page: Page) => Promise<void>;
};

const SCREENS: readonly Screen[] = [
  {
    name: 'session check failed',
    heading: 'Your session could not be checked',
    lead: async (page) => {
      await redis.kill();
      const refresh = page.getByRole('button', { name: 'Refresh' });
      // A request that was under way may find out before the click.
      await expect(async () => {
        if (await refresh.isVisible()) await refresh.click({ timeout: 1_000 });
        await expect(heading(page, 'Your session could not be checked')).toBeVisible({ timeout: 1_000 });
      }).toPass();
    },
    hides: /Eve|report|signed out/,
    leave: comeBack,
  },
  {
    name: 'sign-out unconfirmed',
    heading: 'Sign-out is unconfirmed',
    lead: async (page) => {
      await page.getByRole('button', { name: 'Session of' }).click();
      // A request that was under way would find out before the click.
      await page.waitForLoadState('networkidle');
      await redis.kill();
      await page.getByRole('button', { name: 'Sign out' }).click();
    },
    hides: /Eve|report/,
    leave: comeBack,
  },
  {
    name: 'page load while the session store fails',
    heading: 'Your session could not be checked',
    lead: async (page) => {
      // What the page that is left still asks would be counted.
      await page.waitForLoadState('networkidle');
      await redis.kill();
      const asked = watchData(page);
      expect((await page.reload())?.status()).toBe(503);
      await expect(heading(page, 'Your session could not be checked')).toBeVisible();
      expect(page.url()).toBe(`${app.origin}/p/main/files`);
      expect(asked).toEqual([]);
    },
    hides: /Eve|report|signed out|Sign in/,
    leave: comeBack,
  },
  {
    name: 'sign-out by its address while the session store fails',
    heading: 'Sign-out is unconfirmed',
    lead: async (page) => {
      await redis.kill();
      expect((await page.goto(`${app.origin}/api/auth/logout`))?.status()).toBe(503);
    },
    hides: /Eve|report|Sign in/,
    leave: async (page) => {
      await comeBack(page, page.getByRole('heading', { name: 'Storage', exact: true }));
      await page.goto(`${app.origin}/p/main/files`);
    },
  },
  {
    name: 'API reference while the session store fails',
    heading: 'Your session could not be checked',
    lead: async (page) => {
      await redis.kill();
      expect((await page.goto(`${app.origin}/api/docs`))?.status()).toBe(503);
      expect(page.url()).toBe(`${app.origin}/api/docs`);
    },
    hides: /Eve|report|signed out|Sign in/,
    leave: async (page) => {
      await comeBack(page, page.getByRole('link', { name: 'Back to the storage' }));
      expect(page.url()).toBe(`${app.origin}/api/docs`);
      await page.goto(`${app.origin}/p/main/files`);
    },
  },
  {
    name: 'session ended',
    heading: 'Your session has ended',
    lead: () => endSessionsOf(app.origin, admin, 'eve'),
    hides: /Eve|report/,
    leave: async (page) => {
      const [popup] = await Promise.all([
        page.waitForEvent('popup'),
        page.getByRole('button', { name: 'Sign in' }).click(),
      ]);
      await chooseAccount(popup, 'eve');
    },
  },
];

for (const screen of SCREENS) {
  test(`${screen.name} hides the account, has no accessibility fault, and is left again`, async ({ openAs, page }) => {
    await openAs('eve', `${app.origin}/p/main/files`);
    await expect(report(page)).toBeVisible();
    await screen.lead(page);
    await expect(heading(page, screen.heading)).toBeVisible();
    expect(await page.getByText(screen.hides).count()).toBe(0);
    await expectGoodScreen(page, screen.name, heading(page, screen.heading));
    await screen.leave(page);
    await expect(heading(page, screen.heading)).not.toBeAttached();
    await expect(report(page)).toBeVisible();
  });
}

/** The session is still there once Redis is. */
async function comeBack(page: Page, shown = report(page)): Promise<void> {
  await redis.restart();
  const check = page.getByRole('button', { name: 'Check session' });
  // The service asks Redis again a little later than it is there.
  await expect(async () => {
    if (await check.isVisible()) await check.click({ timeout: 1_000 });
    await expect(shown).toBeVisible({ timeout: 1_000 });
  }).toPass();
}

test('a sign-out that was not confirmed goes on at the provider once the session is gone', async ({ openAs, page }) => {
  await openAs('eve', `${app.origin}/p/main/files`);
  await expect(report(page)).toBeVisible();
  await redis.kill();
  await page.goto(`${app.origin}/api/auth/logout`);
  await expect(heading(page, 'Sign-out is unconfirmed')).toBeVisible();
  await redis.restart();
  await expect(() => endSessionsOf(app.origin, admin, 'eve')).toPass();
  const check = page.getByRole('button', { name: 'Check session' });
  await expect(async () => {
    if (await check.isVisible()) await check.click({ timeout: 1_000 });
    await page.waitForURL(`${app.issuer}/interaction/**`, { timeout: 2_000 });
  }).toPass();
  // The provider asks who signs in, because its session has ended too.
  await chooseAccount(page, 'eve');
});

test.describe('in German', () => {
  test.use({ locale: 'de-AT' });

  test('a page load and a sign-out while the session store fails say what happened and offer to check', async ({
    openAs,
    page,
  }) => {
    await openAs('eve', `${app.origin}/p/main/files`);
    await expect(report(page)).toBeVisible();
    await redis.kill();
    for (const [path, title] of [
      ['/p/main/files', 'Ihre Sitzung konnte nicht geprüft werden'],
      ['/api/auth/logout', 'Die Abmeldung ist nicht bestätigt'],
    ] as const) {
      await page.goto(app.origin + path);
      await expect(page.getByRole('button', { name: 'Sitzung prüfen' })).toBeVisible();
      await expectGoodScreen(page, `german-${title}`, heading(page, title));
    }
    await redis.restart();
  });
});
