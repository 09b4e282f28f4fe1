import { expect, test as base, type Page } from '@playwright/test';
import { PROVIDERS, startWithProvider, type ProviderName, type Tried } from '../../scripts/providers/start.ts';
import { Machine } from '../cli/svc-process.ts';

const STARTING_MS = 180_000;

/** How a person signs in on the page of each, and says that the session there shall end. */
const PAGES: Readonly<
  Record<
    ProviderName,
    {
      readonly user: string;
      signIn(page: Page, person: Tried['person']): Promise<void>;
      signOut(page: Page): Promise<void>;
    }
  >
> = {
  glewlwyd: {
    user: '#username',
    signIn: async (page, { username, password }) => {
      await page.locator('#username').fill(username);
      await page.locator('#password').fill(password);
      await page.locator('#password').press('Enter');
      await page.getByRole('button', { name: 'Continue' }).click();
    },
    signOut: async (page) => {
      await page.waitForURL(/prompt=end_session/);
      // Its page fails when it is pressed before it knows whose session this is.
      await page.waitForLoadState('networkidle');
      const ended = page.waitForResponse((response) => response.request().method() === 'DELETE');
      await page.locator('button, a').filter({ hasText: 'Logout' }).first().click();
      expect((await ended).status()).toBe(200);
    },
  },
  lemonldap: {
    user: 'input[name="user"]',
    signIn: async (page, { username, password }) => {
      await page.locator('input[name="user"]').fill(username);
      await page.locator('input[name="password"]').fill(password);
      await page.locator('button[type="submit"]').first().click();
    },
    // It asks nobody, and svc asks at once for another sign-in.
    signOut: async (page) => expect(page.locator('input[name="user"]')).toBeVisible(),
  },
};

for (const name of Object.keys(PROVIDERS) as ProviderName[]) {
  const { title, missing } = PROVIDERS[name];
  const test = base.extend<object, { tried: Tried }>({
    tried: [
      async ({}, use) => {
        const tried = await startWithProvider(name);
        await use(tried);
        await tried.close();
      },
      { scope: 'worker', timeout: STARTING_MS },
    ],
  });

  test.describe(title, () => {
    test.skip(missing.length > 0, `this machine has no ${missing.join(' and no ')}`);

    test(`${title} signs a person in with their groups, and out at both ends`, async ({ page, tried }) => {
      test.setTimeout(STARTING_MS);
      await page.goto(tried.url);
      await PAGES[name].signIn(page, tried.person);
      await expect(
        page
          .getByRole('link', { name: 'files' })
          .or(page.getByRole('link', { name: 'main' }))
          .first(),
      ).toBeVisible();
      await page.getByRole('button', { name: 'Session of' }).click();
      for (const group of tried.person.groups) await expect(page.getByText(group).first()).toBeVisible();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await PAGES[name].signOut(page);
      await page.goto(tried.url);
      // The session there has ended as well: it asks who this is.
      await expect(page.locator(PAGES[name].user)).toBeVisible();
    });

    test(`${title} signs a person in for svc login`, async ({ page, tried }) => {
      test.setTimeout(STARTING_MS);
      const machine = await Machine.make();
      try {
        const login = machine.start(['login', '--no-browser', '--server', tried.url]);
        const [address = ''] = await login.stderrHas(/http:\/\/\S+authorize\S+/);
        await page.goto(address);
        await PAGES[name].signIn(page, tried.person);
        expect(await login.ended).toMatchObject({ status: 0 });
        expect((await machine.svc('ls', 'main')).stdout).toBe('files\n');
      } finally {
        await machine.remove();
      }
    });
  });
}
