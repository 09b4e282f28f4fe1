import { expect, type Page } from '@playwright/test';
import { endSessionsOf } from '../support/end-sessions.ts';
import { choose, dialog, row } from '../support/page.ts';
import { test } from './fixtures.ts';

const FOLDER = '/p/main/team-files';
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const menus = (page: Page) => page.getByRole('menu');
const told = (page: Page) => page.getByRole('alert').filter({ hasText: 'A new version is available' });
const ofPart = (part: string) => new RegExp(`/assets/${part}-[^/]*\\.js$`);

/** Keeps back the code of a part. @returns a function that lets it come, and waits until the page has had time to use it. */
async function keepBack(page: Page, part: string): Promise<() => Promise<void>> {
  let answer = (): void => undefined;
  const late = new Promise<void>((resolve) => (answer = resolve));
  await page.route(ofPart(part), async (route) => {
    await late;
    await route.continue();
  });
  return async () => {
    const loaded = page.waitForResponse(ofPart(part));
    answer();
    await (await loaded).finished();
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 500)));
  };
}

/** Lets the code of a part fail. @returns a function that ends this. */
async function failing(page: Page, part: string): Promise<() => Promise<void>> {
  await page.route(ofPart(part), (route) => route.abort());
  return () => page.unroute(ofPart(part));
}

test.describe('a menu whose code comes late', () => {
  test('does not open beside another one that was asked for afterwards', async ({ openDemo, page }) => {
    const release = await keepBack(page, 'menus');
    await openDemo('erik', FOLDER);
    await button(page, 'View').click();
    await button(page, 'More actions on this folder').click();
    await release();
    await expect(page.getByRole('menuitem', { name: 'Calculate size' })).toBeVisible();
    await expect(menus(page)).toHaveCount(1);
    await expect(button(page, 'View')).toHaveAttribute('aria-expanded', 'false');
  });

  test('opens if other keys are pressed on its button, and closes with a second click', async ({ openDemo, page }) => {
    const release = await keepBack(page, 'menus');
    await openDemo('erik', FOLDER);
    const view = button(page, 'View');
    await view.click();
    await view.click();
    await expect(view).toHaveAttribute('aria-expanded', 'false');
    await view.press('Enter');
    await view.press('ArrowDown');
    await release();
    await expect(page.getByRole('menuitemradio', { name: 'List', exact: true })).toBeFocused();
  });

  test('does not take the focus from where Tab led', async ({ openDemo, page }) => {
    const release = await keepBack(page, 'menus');
    await openDemo('erik', FOLDER);
    await button(page, 'View').press('Enter');
    await page.keyboard.press('Tab');
    await expect(button(page, 'Refresh')).toBeFocused();
    await release();
    await expect(menus(page)).toHaveCount(0);
    await expect(button(page, 'Refresh')).toBeFocused();
  });

  test('does not open over the folder that was opened meanwhile', async ({ openDemo, page }) => {
    const release = await keepBack(page, 'menus');
    await openDemo('erik', FOLDER);
    await row(page, 'README.md').click({ button: 'right' });
    await row(page, 'projects').getByRole('link').click();
    await expect(page.getByRole('heading', { level: 1, name: 'projects' })).toBeVisible();
    await release();
    await expect(menus(page)).toHaveCount(0);
  });

  test('does not open after Escape, which does nothing else', async ({ openDemo, page }) => {
    const release = await keepBack(page, 'menus');
    await openDemo('erik', `${FOLDER}?object=README.md`);
    await row(page, 'projects').click({ button: 'right' });
    await page.keyboard.press('Escape');
    await release();
    await expect(menus(page)).toHaveCount(0);
    await expect(page.getByRole('complementary', { name: 'Details of README.md' })).toBeVisible();
  });
});

test('a session panel whose code comes late does not open after Escape', async ({ openDemo, page }) => {
  const release = await keepBack(page, 'session-popover');
  await openDemo('erik', FOLDER);
  await page.getByRole('button', { name: 'Session of' }).press('Enter');
  await page.keyboard.press('Escape');
  await release();
  await expect(dialog(page)).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Session of' })).toBeFocused();
});

test('a navigation whose code comes late does not open after Escape', async ({ openDemo, page }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  const release = await keepBack(page, 'navigation-drawer');
  await openDemo('erik', FOLDER);
  await button(page, 'Open navigation').press('Enter');
  await page.keyboard.press('Escape');
  await release();
  await expect(dialog(page)).toHaveCount(0);
  await expect(button(page, 'Open navigation')).toBeFocused();
});

test.describe('code that cannot be loaded', () => {
  const hide = (page: Page) => button(page, 'Hide this message').click();

  test('is told for each menu that is asked for, and none of them is said to be open', async ({ openDemo, page }) => {
    await failing(page, 'menus');
    await openDemo('erik', FOLDER);
    for (let time = 0; time < 2; time++) {
      await row(page, 'README.md').click({ button: 'right' });
      await expect(told(page)).toHaveCount(1);
      await hide(page);
      await expect(told(page)).toHaveCount(0);
    }
    for (let time = 0; time < 2; time++) {
      await button(page, 'View').click();
      await expect(told(page)).toHaveCount(1);
      await expect(button(page, 'View')).toHaveAttribute('aria-expanded', 'false');
      await hide(page);
      await expect(told(page)).toHaveCount(0);
    }
  });

  test('is told for each object whose details are asked for', async ({ openDemo, page }) => {
    await failing(page, 'details-panel');
    await openDemo('erik', `${FOLDER}?prefix=reports%2F`);
    for (const name of ['regions.tsv', 'empty.txt']) {
      await row(page, name).getByRole('link').click();
      await expect(told(page)).toHaveCount(1);
      await hide(page);
      await expect(told(page)).toHaveCount(0);
    }
  });

  test('is not blamed on a new version where the code is there and fails', async ({ openDemo, page }) => {
    await page.route(ofPart('details-panel'), (route) =>
      route.fulfill({
        contentType: 'text/javascript',
        body: `export function DetailsPanel() { throw new Error('broken'); }`,
      }),
    );
    await openDemo('erik', FOLDER);
    await row(page, 'README.md').getByRole('link').click();
    await expect(page.getByRole('alert').filter({ hasText: 'This could not be shown' })).toBeVisible();
    await expect(told(page)).toHaveCount(0);
  });

  test('does not keep the editor from opening later', async ({ openDemo, page }) => {
    const end = await failing(page, 'dialog-provider');
    await openDemo('erik', FOLDER);
    await choose(page, 'README.md', 'Edit');
    await expect(told(page)).toBeVisible();
    await end();
    await choose(page, 'README.md', 'Edit');
    await expect(page.getByRole('textbox', { name: 'Text of README.md' })).toBeVisible();
  });
});

for (const part of ['open-editor', 'dialog-provider'])
  test(`an editor that was left while its code was loading does not open: ${part}`, async ({ openDemo, page }) => {
    const release = await keepBack(page, part);
    await openDemo('erik', '/p/main');
    await row(page, 'team-files').getByRole('link').click();
    await choose(page, 'README.md', 'Edit');
    await page.goBack();
    await expect(row(page, 'team-files')).toBeVisible();
    await release();
    await expect(dialog(page)).toHaveCount(0);
  });

for (const [part, action] of [
  ['rename', 'Rename'],
  ['dialog-provider', 'Rename'],
  ['open-editor', 'Edit'],
  ['dialog-provider', 'Edit'],
] as const) {
  test(`a dialog does not open over the folder that was opened meanwhile: ${action}, ${part}`, async ({
    openDemo,
    page,
  }) => {
    const release = await keepBack(page, part);
    await openDemo('erik', FOLDER);
    await choose(page, 'README.md', action);
    await row(page, 'projects').getByRole('link').click();
    await expect(page.getByRole('heading', { level: 1, name: 'projects' })).toBeVisible();
    await release();
    await expect(dialog(page)).toHaveCount(0);
  });

  test(`a dialog does not open after the session has ended: ${action}, ${part}`, async ({
    demo,
    openDemo,
    page,
    signedIn,
  }) => {
    const release = await keepBack(page, part);
    await openDemo('erik', FOLDER);
    await choose(page, 'README.md', action);
    await endSessionsOf(demo.url, await signedIn(demo.url, 'ada'), 'erik');
    await expect(page.getByRole('heading', { name: 'Your session has ended' })).toBeVisible();
    await release();
    await expect(dialog(page)).toHaveCount(0);
  });
}
