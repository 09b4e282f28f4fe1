import { expect, type Locator, type Page } from '@playwright/test';
import { choose, dialog, row } from '../support/page.ts';
import { test } from './fixtures.ts';

type Held = { readonly asked: () => number; readonly answer: () => void };

/** Keeps the answers to some requests back until the test lets them go. */
async function hold(page: Page, url: RegExp): Promise<Held> {
  const held: (() => Promise<void>)[] = [];
  await page.route(url, (route) => {
    held.push(() => route.continue());
  });
  return { asked: () => held.length, answer: () => held.splice(0).forEach((go) => void go()) };
}

/** Presses a button by a key while its answer is held: it stays focused, takes no second press, and is focused when the answer is there. */
async function expectFocusKept(page: Page, button: Locator, key: string, held: Held): Promise<void> {
  await button.focus();
  await page.keyboard.press(key);
  await expect.poll(held.asked).toBe(1);
  await expect(button).toHaveAttribute('data-loading', 'true');
  await expect(button).toBeFocused();
  await page.keyboard.press(key);
  await button.click({ force: true });
  expect(held.asked()).toBe(1);
  held.answer();
  await expect(button).not.toHaveAttribute('data-loading', 'true');
  await expect(button).toBeFocused();
}

for (const key of ['Enter', 'Space']) {
  test(`Refresh that is pressed by ${key} keeps the focus`, async ({ files, openFolder, page }) => {
    await files.put('here.txt', 'x');
    await openFolder('');
    await expect(page.getByRole('row', { name: 'here.txt' })).toBeVisible();
    await page.waitForLoadState('networkidle');
    await expectFocusKept(page, page.getByRole('button', { name: 'Refresh' }), key, await hold(page, /\/objects\?/));
  });
}

test('Refresh of a search keeps the focus', async ({ app, files, openAs, page }) => {
  await files.put('sought.txt', 'x');
  await openAs('eve', `${app.origin}/search?q=sought&in=everywhere`);
  await expect(page.getByRole('row', { name: 'sought.txt' })).toBeVisible();
  await page.waitForLoadState('networkidle');
  const button = page.getByRole('button', { name: 'Refresh' });
  const held = await hold(page, /\/search\?/);
  await button.focus();
  await page.keyboard.press('Enter');
  await expect.poll(held.asked).toBeGreaterThan(0);
  await expect(button).toBeFocused();
  held.answer();
  await expect(page.getByRole('row', { name: 'sought.txt' })).toBeVisible();
  await expect(button).toBeFocused();
});

for (const [tab, label, button] of [
  ['audit', 'Object', 'Show'],
  ['who', 'Bucket', 'Show who'],
  ['check', 'Bucket', 'Check'],
] as const)
  test(`the form of /admin/${tab} keeps the focus when it asks, and shows the question of Back`, async ({
    app,
    openAs,
    page,
  }) => {
    await openAs('ada', `${app.origin}/admin/${tab}`);
    const field = page.getByLabel(label, { exact: true });
    await field.fill('nowhere');
    const ask = page.getByRole('button', { name: button, exact: true });
    await ask.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/nowhere/);
    await expect(page.getByText('Nothing in the audit').or(page.getByRole('table').first())).toBeVisible();
    await expect(ask).toBeFocused();
    await page.goBack();
    await expect(field).toHaveValue('');
    await page.goForward();
    await expect(field).toHaveValue('nowhere');
  });

test('Show more of a long table keeps the focus', async ({ files, openFolder, page }) => {
  await files.put('long.csv', 'name,amount\n'.repeat(2_000));
  await openFolder('');
  await page.getByRole('row', { name: 'long.csv' }).getByRole('link').click();
  const more = page.getByRole('button', { name: 'Show more' });
  await expect(more).toBeVisible();
  await expectFocusKept(page, more, 'Enter', await hold(page, /object\?key=long\.csv/));
});

test('a dialog that could not do its work keeps the focus on its button', async ({ files, openFolder, page }) => {
  await files.put('taken/x.txt', 'x');
  await files.put('taken/', '');
  await openFolder('');
  await page.getByRole('button', { name: 'New folder' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('taken');
  const held = await hold(page, /object\?key=taken%2F/);
  await expectFocusKept(page, page.getByRole('button', { name: 'Create folder' }), 'Enter', held);
  await expect(page.getByRole('alert')).toBeVisible();
});

test('keys stay in the editor when Save, the text or a question goes', async ({ files, openFolder, page }) => {
  await files.put('edited/a.txt', 'first');
  await openFolder('edited/');
  await choose(page, 'a.txt', 'Edit');
  const area = page.getByRole('textbox', { name: 'Text of a.txt' });
  await expect(area).toBeFocused();
  await page.keyboard.insertText('x');
  const save = page.getByRole('button', { name: 'Save' });
  await save.press('Enter');
  await expect(page.getByText('All changes are saved')).toBeVisible();
  await expect(save).toBeDisabled();
  await expect(save).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(save).toBeFocused();

  await area.press('y');
  await page.getByRole('button', { name: 'Close the editor' }).press('Enter');
  await page.getByRole('button', { name: 'Keep editing' }).press('Enter');
  await expect(area).toBeFocused();

  await files.put('edited/a.txt', 'theirs');
  await page.keyboard.press('ControlOrMeta+s');
  await expect(page.getByText('Somebody else has changed this file')).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expect(dialog(page).locator(':focus')).toHaveCount(1);
  await page.getByRole('button', { name: 'Overwrite theirs…' }).press('Enter');
  await expect(page.getByRole('button', { name: 'Overwrite their version' })).toBeFocused();
});

test('a button that goes leaves the focus to its dialog or panel', async ({ files, openFolder, page }) => {
  await files.put('going/sub/a.txt', 'x');
  await files.put('going/long.csv', 'name,amount\n'.repeat(5_000));
  await files.put('going/a.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await openFolder('going/');
  const held = await hold(page, /\/size\?/);
  await choose(page, 'sub', 'Calculate size');
  await page.getByRole('button', { name: 'Stop counting' }).press('Enter');
  await expect(page.getByRole('button', { name: 'Stop counting' })).toHaveCount(0);
  await page.keyboard.press('ArrowDown');
  await expect(dialog(page)).toBeFocused();
  held.answer();
  await page.keyboard.press('Escape');

  const inPanel = page.getByRole('complementary', { name: /^Details of/ }).locator(':focus');
  await row(page, 'long.csv').getByRole('link').click();
  const more = page.getByRole('button', { name: 'Show more' });
  await more.press('Enter');
  await expect(page.getByText(/The first 1,?200 rows/)).toBeVisible();
  await more.press('Enter');
  await expect(more).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Preview' })).toBeFocused();
  await page.getByRole('button', { name: 'Show activity' }).press('Enter');
  await expect(page.getByRole('region', { name: 'Activity' })).toBeVisible();
  await expect(inPanel.or(page.getByRole('complementary'))).toBeFocused();
  await row(page, 'a.svg').getByRole('link').click();
  await page.getByRole('button', { name: 'Draw picture' }).press('Enter');
  await expect(page.getByRole('region', { name: 'Preview' })).toBeFocused();
});

for (const [name, path, request] of [
  ['a folder', '/p/main/files', /\/objects\?/],
  ['an administration page', '/admin/roles', /\/admin\/roles/],
] as const)
  test(`Try again of ${name} has the focus when it fails again`, async ({ app, openAs, page }) => {
    let asked = 0;
    await page.route(request, (route) => {
      if (!['fetch', 'xhr'].includes(route.request().resourceType())) return route.continue();
      asked += 1;
      return route.fulfill({ status: 404, contentType: 'application/problem+json', body: '{}' });
    });
    await openAs('ada', `${app.origin}${path}`);
    const again = page.getByRole('button', { name: 'Try again' });
    await expect(again).toBeVisible();
    const before = asked;
    await again.press('Enter');
    await expect.poll(() => asked).toBeGreaterThan(before);
    await page.waitForLoadState('networkidle');
    await expect(again).toBeFocused();
  });

test('the menu of a row that the menu key opens before the permissions are known takes the focus', async ({
  files,
  openFolder,
  page,
}) => {
  await files.put('by key/inside/x.txt', 'x');
  await openFolder('by key/');
  await expect(row(page, 'inside')).toBeVisible();
  await page.waitForLoadState('networkidle');
  const held = await hold(page, /\/permissions/);
  await page.getByRole('grid').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+F10');
  await expect.poll(held.asked).toBeGreaterThan(0);
  const checking = page.getByRole('menuitem', { name: 'Checking your permissions…' });
  await expect(checking).toBeFocused();
  await page.keyboard.press('Enter');
  held.answer();
  await expect(checking).toHaveCount(0);
  await expect(page.getByRole('menuitem').first()).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem').nth(1)).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('grid')).toBeFocused();
});
