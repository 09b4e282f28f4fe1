import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Locator, Page } from '@playwright/test';

type FilePayload = { readonly name: string; readonly mimeType: string; readonly buffer: Buffer };

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const row = (page: Page, name: string | RegExp): Locator => page.getByRole('row', { name });
export const dialog = (page: Page, name?: string): Locator =>
  page.getByRole('dialog', name === undefined ? {} : { name });
/** Where uploads, copies and downloads are shown. */
export const tray = (page: Page): Locator => page.getByRole('region', { name: 'Transfers' });

/** Chooses an action of the menu of an object or a folder. */
export async function choose(page: Page, name: string, action: string): Promise<void> {
  await row(page, name)
    .getByRole('button', { name: `Actions on ${name}` })
    .click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** Uploads files by the button: local ones by their paths, or one that is given with its content. */
export async function upload(page: Page, ...files: readonly string[] | readonly [FilePayload]): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Upload files' }).click();
  await (await chooser).setFiles(files);
}

/** Behaves as a proxy that repeats each request to an address: the answer to the first one is lost. */
export async function sendTwice(page: Page, url: RegExp): Promise<void> {
  await page.route(url, async (route) => {
    await route.fetch();
    await route.fulfill({ response: await route.fetch() });
  });
}

/** Picks an account on the provider's page. */
export async function chooseAccount(page: Page, account: string): Promise<void> {
  await page.locator(`button[name="account"][value="${account}"]`).click();
}

/** Opens an address where nobody is signed in, and signs in by clicks. */
export async function signInByClicks(page: Page, account: string, url: string): Promise<void> {
  await page.goto(url);
  await chooseAccount(page, account);
}

/** Waits until the page has drawn what was changed, such as its size. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** What axe-core finds wrong on the page once it is drawn and stands still: one line for each element. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  for (;;) {
    await still(page);
    if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
    const { faults, hasMoved } = await page.evaluate<{ faults: string[]; hasMoved: boolean }>(LOOK);
    if (faults.length === 0 || !hasMoved) return faults;
  }
}

/** Runs axe-core, and tells whether something moved meanwhile: a row that appears is faint at first, even beneath a dialog. */
const LOOK = `(async () => {
  const moves = () => document.getAnimations().some(({ playState }) => playState === 'running');
  let hasMoved = moves();
  const move = () => (hasMoved = true);
  const starts = ['animationstart', 'transitionrun'];
  for (const start of starts) addEventListener(start, move, true);
  const { violations } = await axe.run();
  for (const start of starts) removeEventListener(start, move, true);
  hasMoved ||= moves();
  return { faults: violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 160))), hasMoved };
})()`;

/** Waits until nothing moves on the page. */
async function still(page: Page): Promise<void> {
  do {
    await page.evaluate(() =>
      Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined))),
    );
    // What changed begins to move when it is drawn.
    await drawn(page);
  } while (await page.evaluate(() => document.getAnimations().some(({ playState }) => playState === 'running')));
}
