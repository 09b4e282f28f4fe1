import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { accessibilityFaults, openAs, openPage, type View } from './browser.ts';

const NARROW = { width: 390, height: 844 };

/** How screens are looked at. */
export const VIEWS: readonly (readonly [name: string, view: View])[] = [
  ['wide and light', { colorScheme: 'light' }],
  ['wide and dark', { colorScheme: 'dark' }],
  ['narrow and light', { colorScheme: 'light', viewport: NARROW }],
  ['narrow and dark', { colorScheme: 'dark', viewport: NARROW }],
];

/** Set to a folder to keep a picture of every screen, for looking at. */
const PICTURES = process.env['SCREENSHOTS'];

/** No accessibility fault, and nothing beside the screen. */
export async function expectGoodScreen(page: Page, screen: string, view: string): Promise<void> {
  const faults = await accessibilityFaults(page);
  if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/${screen} ${view}.png`.replaceAll(' ', '-') });
  expect(faults).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBeLessThanOrEqual(0);
}

/** A place of the demo, a heading that is there when it stands, and what somebody does there. */
export type Screen = { readonly path: string; readonly ready?: string; readonly act?: (page: Page) => Promise<void> };

/** Looks at each screen in each view, signed in as the demo's administrator. */
export function inEveryView(screens: Readonly<Record<string, Screen>>, demo: () => { readonly url: string; readonly browser: Browser }): void {
  describe.each(VIEWS)('%s', (name, view) => {
    let page: Page;
    beforeAll(async () => {
      const { url, browser } = demo();
      page = await openPage(browser, view);
      // The question of a page that is left while it uploads.
      page.on('dialog', (dialog) => void dialog.accept());
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await openAs(page, 'ada', `${url}/`);
      await page.getByRole('heading', { name: 'Storage' }).waitFor();
    });
    afterAll(() => page.context().close());

    it.each(Object.entries(screens))('%s has no accessibility fault and nothing beside the screen', async (screen, { path, ready, act }) => {
      await page.goto(demo().url + path);
      if (ready !== undefined) await page.getByRole('heading', { name: ready, exact: true }).first().waitFor();
      await page.waitForLoadState('networkidle');
      await act?.(page);
      await expectGoodScreen(page, screen, name);
    });
  });
}
