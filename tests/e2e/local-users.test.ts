import { expect, type Page } from '@playwright/test';
import { Machine } from '../cli/svc-process.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { test } from './fixtures.ts';
import { expectGoodScreen } from './views.ts';

/** Without an identity provider: developers choose who to be. */
let app: TestApp;

test.beforeAll(async () => {
  app = await startApp({
    config: ({ auth, ...rest }) => ({
      ...rest,
      auth: {
        ...(auth as object),
        oidc: undefined,
        local_users: [
          { subject: 'boss', roles: ['admin'] },
          { subject: 'guest', roles: ['viewer', 'editor'] },
          { subject: 'bare', roles: [] },
        ],
      },
    }),
  });
});
test.afterAll(() => app.close());

const user = (page: Page, subject: string) => page.getByRole('button', { name: subject });

test.describe('the page of local users', () => {
  test('signs in whom a click chooses, and leads back to the same place', async ({ page }) => {
    await page.goto(`${app.origin}/p/main/files?sort=-size`);
    expect(new URL(page.url()).pathname).toBe('/api/auth/login');
    await user(page, 'guest').click();
    await expect(page.getByRole('heading', { name: 'files' })).toBeVisible();
    expect(page.url()).toBe(`${app.origin}/p/main/files?sort=-size`);
    await expect(page.getByRole('button', { name: 'Session of guest' })).toBeVisible();
  });

  test('is a session that ends with Sign out', async ({ page }) => {
    await page.goto(`${app.origin}/`);
    await user(page, 'guest').click();
    await page.getByRole('button', { name: 'Session of guest' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible();
    await page.goto(`${app.origin}/`);
    await expect(user(page, 'guest')).toBeVisible();
  });

  test('signs in by the page of `/v1/auth/authorize` too', async ({ page }) => {
    await page.goto(`${app.origin}/v1/auth/authorize?return_to=/p/main/photos`);
    await user(page, 'boss').click();
    await expect(page.getByRole('heading', { name: 'photos' })).toBeVisible();
  });

  test('signs in `svc login`', async ({ page }) => {
    const machine = await Machine.make();
    const login = machine.start(['login', '--no-browser', '--server', app.origin]);
    try {
      const [url = ''] = await login.stderrHas(/http:\/\/\S+authorize\S+/);
      await page.goto(url);
      await user(page, 'boss').click();
      expect(await login.ended).toMatchObject({
        status: 0,
        stdout: expect.stringContaining(`signed in at ${app.origin} as boss`),
      });
      await expect(page.getByRole('heading', { name: 'Signed in' })).toBeVisible();
    } finally {
      login.child.kill();
      await machine.remove();
    }
  });

  test('is a good screen', async ({ page }) => {
    await page.goto(`${app.origin}/api/auth/login`);
    await expectGoodScreen(page, 'local users', user(page, 'guest'));
  });
});
