import { expect, type Locator, type Page } from '@playwright/test';
import { accessibilityFaults } from '../support/page.ts';
import { test } from './fixtures.ts';

const SIZES = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } } as const;
const softly = expect.configure({ soft: true });
const SCHEMES = ['light', 'dark'] as const;

/** Set to a folder to keep a picture of every screen, for looking at. */
const PICTURES = process.env['SCREENSHOTS'];

/**
 * Looks at a page wide and narrow, light and dark: it has no accessibility fault, and nothing beside the screen.
 *
 * @param shown - what every view has to show; pages that are not there to be looked at have no faults either.
 * @param narrowed - brings that back where a narrow page has closed it.
 */
export async function expectGoodScreen(
  page: Page,
  screen: string,
  shown: Locator,
  narrowed?: (page: Page) => Promise<void>,
): Promise<void> {
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    if (size === 'narrow') await narrowed?.(page);
    for (const colorScheme of SCHEMES) {
      const view = `${screen}, ${size} and ${colorScheme}`;
      await test.step(view, async () => {
        await page.emulateMedia({ colorScheme });
        await expect(shown, view).toBeVisible();
        const faults = await accessibilityFaults(page);
        if (PICTURES !== undefined)
          await page.screenshot({ path: `${PICTURES}/${view}.png`.replaceAll(/[ ,]+/g, '-') });
        expect.soft(faults, view).toEqual([]);
        await softly
          .poll(
            () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
            view,
          )
          .toBeLessThanOrEqual(0);
      });
    }
  }
}

/** A place of the demo, what somebody does there, what is to be seen then, and what brings it back once the page is narrow. */
export type Screen = {
  readonly path: string;
  readonly act?: (page: Page) => Promise<void>;
  readonly shows: (page: Page) => Locator;
  readonly narrowed?: (page: Page) => Promise<void>;
};

/** Opens each screen once, as the demo's administrator, and looks at it in each view. */
export function inEveryView(screens: Readonly<Record<string, Screen>>): void {
  for (const [screen, { path, act, shows, narrowed }] of Object.entries(screens)) {
    test(`${screen} has no accessibility fault and nothing beside the screen`, async ({ openDemo, page }) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await openDemo('ada', path);
      await act?.(page);
      await expectGoodScreen(page, screen, shows(page), narrowed);
    });
  }
}
