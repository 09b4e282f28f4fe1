import type { Page } from 'playwright-core';
import type { View } from './browser.ts';

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

export async function keepPicture(page: Page, screen: string, view: string): Promise<void> {
  if (PICTURES === undefined) return;
  await page.screenshot({ path: `${PICTURES}/${screen} ${view}.png`.replaceAll(' ', '-') });
}
