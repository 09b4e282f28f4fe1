import { expect, type Page } from '@playwright/test';
import { DesktopComputer, Screen, type DesktopRun } from '../support/desktop-app.ts';
import { test as base } from './fixtures.ts';

type OfTest = {
  /** Somebody's computer with a screen. The test's own `page` is their usual browser. */
  readonly computer: DesktopComputer;
  /** Signs in at the page that the usual browser is asked to open. @param before - how many it was asked to open before. */
  readonly signIn: (account: RegExp, before?: number) => Promise<void>;
  /** Starts the application, signs in, and keeps the session in the file. */
  readonly startSignedIn: (
    server: string,
    env?: Record<string, string>,
  ) => Promise<{ readonly run: DesktopRun; readonly window: Page }>;
};

export const test = base.extend<OfTest, { readonly display: Screen }>({
  display: [
    async ({}, use) => {
      const screen = await Screen.start();
      await use(screen);
      await screen.close();
    },
    { scope: 'worker' },
  ],

  computer: async ({ display }, use) => {
    const computer = await DesktopComputer.make(display);
    await use(computer);
    await computer.remove();
  },

  signIn: async ({ computer, page }, use) => {
    await use(async (account, before = 0) => {
      await page.goto(await computer.nextOpened(before));
      await page.getByRole('button', { name: account }).click();
      await expect(page.getByRole('heading', { name: 'Signed in' })).toBeVisible();
    });
  },

  startSignedIn: async ({ computer, signIn }, use) => {
    await use(async (server, env) => {
      const run = computer.start(['--server', server], env);
      const window = await run.window();
      await window.getByRole('link', { name: 'Sign in' }).click();
      await expect(window.getByRole('heading', { name: 'Sign in in your browser' })).toBeVisible();
      await signIn(/Eve/);
      await window.getByRole('button', { name: 'Keep it in the file' }).click();
      await expect(window.getByRole('button', { name: /Session of/ })).toBeVisible();
      return { run, window };
    });
  },
});

/** The address of the window's page without what the UI reads of it: the random path of the window. */
export function baseOf(window: Page): string {
  return window.url().replace(/^(https?:\/\/[^/]+\/[^/]+\/).*$/, '$1');
}
