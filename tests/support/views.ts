import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { accessibilityFaults, type View } from './browser.ts';

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
