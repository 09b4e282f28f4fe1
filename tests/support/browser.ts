import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The system's Chromium without a window, with its network features quiet. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE, args: QUIET });
}

/** What the scripts of the pages have thrown, and nobody caught. */
const thrownByPages: Error[] = [];

export type View = Pick<BrowserContextOptions, 'viewport' | 'colorScheme' | 'locale' | 'timezoneId'>;

/** A browser profile of its own: nobody is signed in. */
export async function openPage(browser: Browser, view: View = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', timezoneId: 'UTC', ...view });
  context.setDefaultTimeout(20_000);
  context.on('weberror', (error) => thrownByPages.push(error.error()));
  return context.newPage();
}

type Suite<Service> = {
  readonly begin: (service: Service, browser: Browser) => unknown;
  /** Takes a page for each test, in a profile of its own that is closed afterwards. */
  readonly each?: (page: Page) => unknown;
};

/** The start and the end of a suite: a service and a browser. */
export function inBrowser<Service extends { close(): Promise<void> }>(start: () => Promise<Service>, { begin, each }: Suite<Service>): void {
  let service: Service | undefined;
  let browser: Browser | undefined;
  let page: Page | undefined;
  beforeAll(async () => {
    service = await start();
    browser = await launchBrowser();
    await begin(service, browser);
  }, 90_000);
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });
  afterEach(() => {
    const [error] = thrownByPages.splice(0);
    if (error !== undefined) throw error;
  });
  if (each === undefined) return;
  beforeEach(async () => {
    page = await openPage(browser!);
    await each(page);
  });
  afterEach(async () => page?.context().close());
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
