import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The system's Chromium without a window, with its network features quiet. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE, args: QUIET });
}

export type View = Pick<BrowserContextOptions, 'viewport' | 'colorScheme' | 'locale' | 'timezoneId'>;

/** A browser profile of its own: nobody is signed in. */
export async function openPage(browser: Browser, view: View = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', timezoneId: 'UTC', ...view });
  context.setDefaultTimeout(10_000);
  return context.newPage();
}

/** Opens an address of the service and picks an account on the provider's page that comes up. */
export async function openAs(page: Page, account: string, url: string): Promise<void> {
  await page.goto(url);
  await chooseAccount(page, account);
}

/** On the provider's page. */
export async function chooseAccount(page: Page, account: string): Promise<void> {
  await page.locator(`button[name="account"][value="${account}"]`).click();
}

/** What axe-core finds wrong on the page as it is now: one line for each element. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined))));
  return page.evaluate<string[]>(`${AXE};axe.run().then((result) => result.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 160))))`);
}
