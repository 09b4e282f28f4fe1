import { expect, type Page } from '@playwright/test';
import { wholeBrowser } from '../../playwright.config.ts';
import { endSessionsOf } from '../support/end-sessions.ts';
import { choose, chooseAccount, row } from '../support/page.ts';
import { test } from './fixtures.ts';
import { expectGoodScreen } from './views.ts';

test.use(wholeBrowser);

const NOTE =
  '# Minutes\n\nWe agreed on *two* things:\n\n- the **budget**\n- the [plan](plan.md)\n\n| who | what |\n| --- | --- |\n| Ada | text |\n';
const editor = (page: Page, name: string) => page.getByRole('dialog', { name });
const area = (page: Page, name: string) => page.getByRole('textbox', { name: `Text of ${name}` });
const edit = async (page: Page, name: string) => {
  await choose(page, name, 'Edit');
  await expect(area(page, name)).toBeFocused();
};
/** Types at the end of the text. */
const write = async (page: Page, text: string) => {
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.insertText(text);
};
const saved = (page: Page) => expect(page.getByText('All changes are saved')).toBeVisible();
const conflict = (page: Page) => page.getByText('Somebody else has changed this file while you were editing');

test('edits Markdown beside its preview, and keeps line ends, BOM and content type', async ({
  files,
  openFolder,
  page,
}) => {
  const stored = `\u{FEFF}${NOTE.replaceAll('\n', '\r\n')}`;
  await files.put('notes/minutes.md', stored, 'text/x-minutes');
  await openFolder('notes/');
  await edit(page, 'minutes.md');
  await expect(editor(page, 'minutes.md').getByRole('heading', { name: 'Minutes', level: 1 })).toBeVisible();
  await write(page, 'Bob ö\nEve');
  await expect(editor(page, 'minutes.md').getByRole('region', { name: 'Preview' })).toContainText('Bob ö');
  await expect(page.getByText('UTF-8 with BOM · CRLF')).toBeVisible();
  await page.keyboard.press('ControlOrMeta+s');
  await saved(page);
  const response = await files.get('notes/minutes.md');
  expect([response.headers.get('content-type'), Buffer.from(await response.arrayBuffer()).toString()]).toEqual([
    'text/x-minutes',
    `${stored}Bob ö\r\nEve`,
  ]);
  await expectGoodScreen(page, 'editor', area(page, 'minutes.md'));
  await page.setViewportSize({ width: 1280, height: 800 });
  await area(page, 'minutes.md').press('ControlOrMeta+f');
  await page.getByRole('textbox', { name: 'Find' }).fill('budget');
  await expectGoodScreen(page, 'editor search', page.getByRole('textbox', { name: 'Find' }));
});

test('keeps mixed line ends, and opens an empty file', async ({ files, openFolder, page }) => {
  await files.put('ends/mixed.txt', 'a\r\nb\nc\rd', 'text/plain');
  await files.put('ends/empty.txt', '', 'text/plain');
  await openFolder('ends/');
  await edit(page, 'mixed.txt');
  await write(page, '\ne');
  await page.getByRole('button', { name: 'Save' }).click();
  await saved(page);
  expect(await (await files.get('ends/mixed.txt')).text()).toBe('a\r\nb\nc\rd\ne');
  await page.getByRole('button', { name: 'Close the editor' }).click();
  await edit(page, 'empty.txt');
  await write(page, 'new');
  await page.keyboard.press('ControlOrMeta+s');
  await saved(page);
  expect(await (await files.get('ends/empty.txt')).text()).toBe('new');
});

test('shows both versions of a conflict and overwrites only after a second look', async ({
  files,
  openFolder,
  page,
}) => {
  const text = Array.from({ length: 30 }, (_, line) => `line ${line}`).join('\n');
  const theirs = text.replace('line 3\n', 'line 3 is theirs\n');
  await files.put('both/plan.txt', text, 'text/plain');
  await openFolder('both/');
  await edit(page, 'plan.txt');
  await write(page, '\nmine');
  await files.put('both/plan.txt', theirs, 'text/plain');
  await page.keyboard.press('ControlOrMeta+s');
  await expect(conflict(page)).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Their version of plan.txt' })).toContainText('line 3 is theirs');
  await expect(page.getByRole('textbox', { name: 'Your version of plan.txt' })).toContainText('mine');
  await expectGoodScreen(page, 'editor conflict', conflict(page));
  await page.setViewportSize({ width: 1280, height: 800 });
  expect(await (await files.get('both/plan.txt')).text()).toBe(theirs);

  await page.getByRole('button', { name: 'Overwrite theirs…' }).click();
  await files.put('both/plan.txt', `${theirs} again`, 'text/plain');
  await page.getByRole('button', { name: 'Overwrite their version' }).click();
  await expect(page.getByRole('textbox', { name: 'Their version of plan.txt' })).toContainText('again');
  expect(await (await files.get('both/plan.txt')).text()).toBe(`${theirs} again`);
  await page.getByRole('button', { name: 'Overwrite theirs…' }).click();
  await page.getByRole('button', { name: 'Overwrite their version' }).click();
  await saved(page);
  expect(await (await files.get('both/plan.txt')).text()).toBe(`${text}\nmine`);

  await write(page, ', more');
  await files.put('both/plan.txt', 'their next', 'text/plain');
  await page.keyboard.press('ControlOrMeta+s');
  await page.getByRole('button', { name: 'Take theirs' }).click();
  await expect(area(page, 'plan.txt')).toHaveText('their next');
  await saved(page);

  await write(page, ' and mine');
  await files.put('both/plan.txt', 'their last', 'text/plain');
  await page.keyboard.press('ControlOrMeta+s');
  await page.getByRole('button', { name: 'Keep mine as a copy' }).click();
  await expect(page.getByText('Your text is saved as plan (2).txt.')).toBeVisible();
  await expect(editor(page, 'plan.txt')).toHaveCount(0);
  expect([
    await (await files.get('both/plan.txt')).text(),
    await (await files.get('both/plan (2).txt')).text(),
  ]).toEqual(['their last', 'their next and mine']);
});

test('keeps the text of a file that was deleted in the meantime', async ({ files, openFolder, page }) => {
  await files.put('gone/a.txt', 'first', 'text/plain');
  await openFolder('gone/');
  await edit(page, 'a.txt');
  await write(page, ' mine');
  await files.remove('gone/a.txt');
  await page.keyboard.press('ControlOrMeta+s');
  await expect(page.getByText('This file has been deleted while you were editing')).toBeVisible();
  await page.getByRole('button', { name: 'Save it again' }).click();
  await saved(page);
  expect(await (await files.get('gone/a.txt')).text()).toBe('first mine');
});

test('asks about unsaved changes when it is closed, with Back, and when the page is left', async ({
  files,
  openFolder,
  page,
}) => {
  await files.put('leave/a.txt', 'first', 'text/plain');
  await openFolder('leave/');
  await edit(page, 'a.txt');
  await page.goBack();
  await expect(editor(page, 'a.txt')).toHaveCount(0);
  await expect(row(page, 'a.txt')).toBeVisible();
  await edit(page, 'a.txt');
  await write(page, ' mine');
  const asked = page.getByRole('alertdialog', { name: 'Your changes are not saved yet' });
  await page.goBack();
  await expect(asked).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(asked).toHaveCount(0);
  await expect(area(page, 'a.txt')).toHaveText('first mine');
  const dialog = page.waitForEvent('dialog');
  void page.reload().catch(() => undefined);
  const question = await dialog;
  expect(question.type()).toBe('beforeunload');
  await question.dismiss();
  await page.getByRole('button', { name: 'Close the editor' }).click();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await expect(editor(page, 'a.txt')).toHaveCount(0);
  expect(await (await files.get('leave/a.txt')).text()).toBe('first');
});

test('keeps the text when the connection or the session is lost, and saves it after the next sign-in', async ({
  app,
  signedIn,
  files,
  openFolder,
  page,
}) => {
  await files.put('lost/a.txt', 'first', 'text/plain');
  await openFolder('lost/');
  await edit(page, 'a.txt');
  await write(page, ' mine');
  const notSaved = page.getByText('The file was not saved. Your text is still here.');
  await page.context().setOffline(true);
  await page.keyboard.press('ControlOrMeta+s');
  await expect(notSaved).toBeVisible();
  await page.context().setOffline(false);
  await saved(page);
  expect(await (await files.get('lost/a.txt')).text()).toBe('first mine');

  await page.route('**/object?key=*', (route) =>
    route.request().method() === 'PUT' ? route.abort() : route.continue(),
  );
  await write(page, ' too');
  await page.keyboard.press('ControlOrMeta+s');
  await expect(notSaved).toBeVisible();
  await endSessionsOf(app.origin, await signedIn(app.origin, 'ada'), 'eve');
  await expect(page.getByRole('heading', { name: 'Your session has ended' })).toBeVisible();
  await expect(page.getByText('first mine')).toHaveCount(0);
  await page.unrouteAll();
  const opened = page.waitForEvent('popup');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await chooseAccount(await opened, 'eve');
  await expect(area(page, 'a.txt')).toHaveText('first mine too');
  await saved(page);
  await expect.poll(async () => (await files.get('lost/a.txt')).text()).toBe('first mine too');
});

test('is left by Escape and Tab, and undoes', async ({ files, openFolder, page }) => {
  await files.put('keys/a.txt', 'first', 'text/plain');
  await openFolder('keys/');
  await edit(page, 'a.txt');
  await write(page, ' mine');
  await page.keyboard.press('ControlOrMeta+z');
  await expect(area(page, 'a.txt')).toHaveText('first');
  await page.keyboard.press('Tab');
  await expect(area(page, 'a.txt')).toBeFocused();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Shift+Tab');
  await expect(area(page, 'a.txt')).not.toBeFocused();
  await expect(editor(page, 'a.txt')).toBeVisible();
});

test('says what cannot be edited, and is offered only with the permissions', async ({ files, openFolder, page }) => {
  await files.put('not/latin.txt', new Uint8Array([0x66, 0xfc, 0x72]), 'text/plain');
  await files.put('not/declared.txt', 'x', 'text/plain; charset=iso-8859-1');
  await files.put('not/large.txt', 'x'.repeat(1_048_577), 'text/plain');
  await openFolder('not/');
  for (const name of ['latin.txt', 'declared.txt']) {
    await choose(page, name, 'Edit');
    await expect(editor(page, name)).toContainText('This file is not text in UTF-8');
    await page.getByRole('button', { name: 'Close the editor' }).last().click();
  }
  await row(page, 'large.txt').click({ button: 'right' });
  await expect(page.getByRole('menuitem', { name: 'Rename' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'Edit' })).toHaveCount(0);
  await openFolder('not/', 'vic');
  await row(page, 'latin.txt').click({ button: 'right' });
  await expect(page.getByRole('menuitem', { name: 'Download' }).first()).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'Edit' })).toHaveCount(0);
});

test('opens from the viewer and from the details', async ({ files, openFolder, page }) => {
  await files.put('ways/a.txt', 'first', 'text/plain');
  await openFolder('ways/');
  await row(page, 'a.txt').dblclick();
  await page.getByRole('dialog', { name: 'a.txt, full screen' }).getByRole('button', { name: 'Edit' }).click();
  await expect(area(page, 'a.txt')).toBeFocused();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Close the editor' }).click();
  const details = page.getByRole('complementary', { name: 'Details of a.txt' });
  await details.getByRole('button', { name: 'Edit', exact: true }).click();
  await expect(area(page, 'a.txt')).toBeFocused();
  await write(page, ' and second');
  await page.keyboard.press('ControlOrMeta+s');
  await saved(page);
  await page.getByRole('button', { name: 'Close the editor' }).click();
  await expect(details.getByText('first and second')).toBeVisible();
});
