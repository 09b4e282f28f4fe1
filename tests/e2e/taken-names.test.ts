import { expect, type Page } from '@playwright/test';
import type { Files } from '../support/files.ts';
import { accessibilityFaults, choose, dialog, tray, upload } from '../support/page.ts';
import { test } from './fixtures.ts';

const MIB = 1024 * 1024;

const answer = (page: Page, choice: string) =>
  dialog(page, 'File already exists').getByRole('button', { name: choice, exact: true }).click();

/** What stands in a bucket beneath a prefix: content by the rest of the key. */
async function contents(of: Files, prefix: string): Promise<Record<string, string>> {
  const keys = await of.keys(prefix);
  const found = await Promise.all(
    keys.map(async (key) => [key.slice(prefix.length), (await (await of.get(key)).text()).slice(0, 20)]),
  );
  return Object.fromEntries(found) as Record<string, string>;
}

const OUTCOMES = [
  ['Replace', { '': 'new' }],
  ['Keep both', { '': 'old', ' (2)': 'new' }],
  ['Skip', { '': 'old' }],
] as const;

test.describe('a name that is taken where the caller may not list', () => {
  for (const [choice, expected] of OUTCOMES) {
    test(`is asked about by a copy: ${choice}`, async ({ files, filesIn, openFolder, page }) => {
      const photos = await filesIn('photos');
      const name = `copied ${choice}`;
      await files.put(name, 'new');
      await photos.put(name, 'old');
      await openFolder('', 'kit');
      await choose(page, name, 'Copy to');
      await dialog(page).getByRole('button', { name: 'main', exact: true }).click();
      await dialog(page).getByRole('button', { name: 'photos' }).click();
      await dialog(page).getByRole('button', { name: 'Copy here' }).click();
      await answer(page, choice);
      await expect(tray(page).getByText('Done · 1 of 1')).toBeVisible();
      expect(await contents(photos, name)).toEqual(expected);
    });

    test(`is asked about by an upload: ${choice}`, async ({ local, app, filesIn, openAs, page }) => {
      const photos = await filesIn('photos');
      const name = `sent ${choice}`;
      await photos.put(name, 'old');
      await openAs('kit', `${app.origin}/p/main/photos`);
      await expect(page.getByText('You may upload here, but not see the files')).toBeVisible();
      expect(await accessibilityFaults(page)).toEqual([]);
      await upload(page, await local(name, 'new'));
      await answer(page, choice);
      await expect(
        tray(page)
          .getByText(choice === 'Skip' ? 'Nothing was uploaded' : 'Uploaded 1 file')
          .first(),
      ).toBeVisible();
      expect(await contents(photos, name)).toEqual(expected);
    });
  }

  test('is asked about by an upload in parts, and its parts are not sent again', async ({
    local,
    app,
    filesIn,
    openAs,
    page,
  }) => {
    const photos = await filesIn('photos');
    await photos.put('large', 'old');
    await openAs('kit', `${app.origin}/p/main/photos`);
    const parts: string[] = [];
    page.on('request', (request) => /\/parts\/\d+/.test(request.url()) && parts.push(request.url()));
    await upload(page, await local('large', Buffer.alloc(20 * MIB, 'new')));
    await answer(page, 'Replace');
    await expect(tray(page).getByText('Uploaded 1 file').first()).toBeVisible();
    expect(parts).toHaveLength(3);
    expect((await (await photos.get('large')).arrayBuffer()).byteLength).toBe(20 * MIB);
  });

  test('is told for a new folder', async ({ app, filesIn, openAs, page }) => {
    const photos = await filesIn('photos');
    await photos.put('there/', '');
    await openAs('kit', `${app.origin}/p/main/photos`);
    await page.getByRole('button', { name: 'New folder' }).click();
    await dialog(page).getByLabel('Name').fill('there');
    await dialog(page).getByRole('button', { name: 'Create folder' }).click();
    await expect(dialog(page).getByText('already exists. Choose another name.')).toBeVisible();
  });
});

test.describe('a name that is taken in the last moment', () => {
  test('is asked about by a rename', async ({ files, openFolder, page }) => {
    await files.put('rename/a.txt', 'new');
    await page.route(
      '**/objects/copy',
      async (route) => {
        await files.put('rename/b.txt', 'old');
        await route.continue();
      },
      { times: 1 },
    );
    await openFolder('rename/');
    await choose(page, 'a.txt', 'Rename');
    await dialog(page).getByLabel('New name').fill('b.txt');
    await dialog(page).getByRole('button', { name: 'Rename' }).click();
    await answer(page, 'Keep both');
    await expect(tray(page).getByText('Done · 1 of 1')).toBeVisible();
    expect(await contents(files, 'rename/')).toEqual({ 'b.txt': 'old', 'b (2).txt': 'new' });
  });
});

test.describe('a folder that is moved into one of its name', () => {
  test('becomes one with it, and is gone from where it was', async ({ files, openFolder, page }) => {
    for (const [key, content] of Object.entries({
      'from/album/': '',
      'from/album/a.txt': 'new',
      'from/album/b.txt': 'b',
      'to/album/': '',
      'to/album/a.txt': 'old',
    }))
      await files.put(`merge/${key}`, content);
    await openFolder('merge/from/');
    await choose(page, 'album', 'Move to');
    await dialog(page).getByRole('button', { name: 'merge', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'to', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'Move here' }).click();
    await answer(page, 'Keep both');
    await expect(tray(page).getByText('Done · 3 of 3')).toBeVisible();
    expect(await contents(files, 'merge/')).toEqual({
      'to/album/': '',
      'to/album/a.txt': 'old',
      'to/album/a (2).txt': 'new',
      'to/album/b.txt': 'b',
    });
  });
});

/** The service carries the next request to such an address out; only its answer does not arrive. */
async function loseAnswer(page: Page, urlPattern: string): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  devTools.once('Fetch.requestPaused', ({ requestId }) => {
    void devTools
      .send('Fetch.failRequest', { requestId, errorReason: 'ConnectionReset' })
      .then(() => devTools.send('Fetch.disable'));
  });
  await devTools.send('Fetch.enable', { patterns: [{ urlPattern, requestStage: 'Response' }] });
}

test.describe('an upload whose answer is lost', () => {
  test('is not taken for a name that is taken', async ({ local, files, openFolder, page }) => {
    await openFolder('lost-upload/');
    await expect(page.getByRole('heading', { name: 'Nothing here' })).toBeVisible();
    await loseAnswer(page, '*/object?key=lost-upload*');
    const lost: string[] = [];
    page.on('requestfailed', (request) => request.method() === 'PUT' && lost.push(request.url()));
    await upload(page, await local('a.txt', 'content'));
    await expect(tray(page).getByText('Uploaded 1 file').first()).toBeVisible();
    expect(lost).toHaveLength(1);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await contents(files, 'lost-upload/')).toEqual({ 'a.txt': 'content' });
  });
});

test.describe('a copy whose answer is lost', () => {
  for (const what of ['Copy', 'Move']) {
    test(`is not taken for a name that is taken: ${what}`, async ({ files, openFolder, page }) => {
      const prefix = `lost/${what}/`;
      await files.put(`${prefix}from/a.txt`, 'content');
      await files.put(`${prefix}to/other.txt`, 'x');
      await openFolder(`${prefix}from/`);
      await loseAnswer(page, '*/objects/copy');
      await choose(page, 'a.txt', `${what} to`);
      await dialog(page).getByRole('button', { name: what, exact: true }).click();
      await dialog(page).getByRole('button', { name: 'to', exact: true }).click();
      await dialog(page)
        .getByRole('button', { name: `${what} here` })
        .click();
      // The offer to undo a move takes the place of its row.
      await expect(
        what === 'Move'
          ? page.getByRole('button', { name: 'Undo', exact: true })
          : tray(page).getByText('Done · 1 of 1'),
      ).toBeVisible();
      expect(await page.getByRole('dialog').count()).toBe(0);
      const moved = what === 'Move' ? {} : { 'from/a.txt': 'content' };
      expect(await contents(files, prefix)).toEqual({ ...moved, 'to/a.txt': 'content', 'to/other.txt': 'x' });
    });
  }
});
