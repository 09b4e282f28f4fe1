import { readFile } from 'node:fs/promises';
import { expect, type Page, type Route } from '@playwright/test';
import { accessibilityFaults, choose, dialog, row, sendTwice, tray } from '../support/page.ts';
import { unzip } from '../support/unzip.ts';
import { test } from './fixtures.ts';

async function select(page: Page, ...names: string[]): Promise<void> {
  for (const name of names) await row(page, name).getByRole('checkbox').check();
}

test.describe('a new folder', () => {
  test('is created, and its name is not taken twice', async ({ files, openFolder, page }) => {
    await openFolder('new/');
    for (const outcome of ['created', 'taken']) {
      await page.getByRole('button', { name: 'New folder' }).click();
      await dialog(page).getByLabel('Name').fill('Ordner ü');
      expect(await accessibilityFaults(page)).toEqual([]);
      await dialog(page).getByRole('button', { name: 'Create folder' }).click();
      await expect(
        outcome === 'created' ? row(page, 'Ordner ü') : dialog(page).getByText('already exists. Choose another name.'),
      ).toBeVisible();
    }
    expect(await files.keys('new/')).toEqual(['new/Ordner ü/']);
  });

  test('is created when a proxy sends the request twice, also in the folder to which a file moves', async ({
    files,
    openFolder,
    page,
  }) => {
    await files.put('proxied/a.txt', 'a');
    await openFolder('proxied/');
    await sendTwice(page, /\/object\?/);
    await page.getByRole('button', { name: 'New folder' }).click();
    await dialog(page).getByLabel('Name').fill('first');
    await dialog(page).getByRole('button', { name: 'Create folder' }).click();
    await expect(row(page, 'first')).toHaveAttribute('data-active');
    await choose(page, 'a.txt', 'Move to…');
    await dialog(page).getByRole('button', { name: 'New folder' }).click();
    await dialog(page).getByLabel('Name of the new folder').fill('second');
    await dialog(page).getByLabel('Name of the new folder').press('Enter');
    await dialog(page).getByRole('button', { name: 'Move here' }).click();
    await expect
      .poll(() => files.keys('proxied/'))
      .toEqual(['proxied/first/', 'proxied/second/', 'proxied/second/a.txt']);
  });
});

test.describe('renaming', () => {
  test('moves a file to its new name', async ({ files, openFolder, page }) => {
    await files.put('rename/before.txt', 'content');
    await openFolder('rename/');
    await choose(page, 'before.txt', 'Rename');
    await dialog(page).getByLabel('New name').fill('other/after.txt');
    await expect(dialog(page).getByText('A name has no slash. “Move to…” puts it into another folder.')).toBeVisible();
    await expect(dialog(page).getByRole('button', { name: 'Rename' })).toBeDisabled();
    await dialog(page).getByLabel('New name').fill('after #1.txt');
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Rename' }).click();
    await expect(row(page, 'after #1.txt')).toBeVisible();
    expect(await files.keys('rename/')).toEqual(['rename/after #1.txt']);
    expect(await (await files.get('rename/after #1.txt')).text()).toBe('content');
  });

  test('moves everything in a folder', async ({ files, openFolder, page }) => {
    for (const key of ['a.txt', 'deep/b.txt', 'deep/er/c.txt']) await files.put(`folders/old/${key}`, key);
    await openFolder('folders/');
    await choose(page, 'old', 'Rename');
    await dialog(page).getByLabel('New name').fill('new');
    await dialog(page).getByRole('button', { name: 'Rename' }).click();
    await expect(row(page, 'new')).toBeVisible();
    await expect(tray(page).getByText('Done · 3 of 3')).toBeVisible();
    await expect(tray(page).getByText('Renamed old to new', { exact: true })).toBeVisible();
    expect(await files.keys('folders/')).toEqual([
      'folders/new/a.txt',
      'folders/new/deep/b.txt',
      'folders/new/deep/er/c.txt',
    ]);
  });

  test('refuses a name that is taken', async ({ files, openFolder, page }) => {
    await files.put('taken/a.txt', 'a');
    await files.put('taken/b.txt', 'b');
    await openFolder('taken/');
    await choose(page, 'a.txt', 'Rename');
    await dialog(page).getByLabel('New name').fill('b.txt');
    await dialog(page).getByRole('button', { name: 'Rename' }).click();
    await expect(dialog(page).getByText('already exists')).toBeVisible();
    expect(await (await files.get('taken/b.txt')).text()).toBe('b');
  });
});

test.describe('copying and moving', () => {
  test('copies a selection to a folder of another bucket', async ({ files, filesIn, openFolder, page }) => {
    const photos = await filesIn('photos');
    await files.put('copy/a.txt', 'a');
    await files.put('copy/sub/b.txt', 'b');
    await photos.put('target/there.txt', 'x');
    await openFolder('copy/');
    await select(page, 'a.txt', 'sub');
    await page.getByRole('button', { name: /more actions on the selection|actions on the selection/i }).click();
    await page.getByRole('menuitem', { name: 'Copy to' }).click();
    await expect(dialog(page).getByRole('textbox', { name: 'Search folders' })).toBeFocused();
    await dialog(page).getByRole('button', { name: 'main', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'photos' }).click();
    await dialog(page).getByRole('button', { name: 'target' }).click();
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Copy here' }).click();
    await expect(tray(page).getByText('Done · 2 of 2')).toBeVisible();
    expect(await photos.keys('target/')).toEqual(['target/a.txt', 'target/sub/b.txt', 'target/there.txt']);
    expect(await files.keys('copy/')).toEqual(['copy/a.txt', 'copy/sub/b.txt']);
  });

  test('asks before a copy replaces something, and moves', async ({ files, openFolder, page }) => {
    await files.put('move/from/a.txt', 'new');
    await files.put('move/to/a.txt', 'old');
    await openFolder('move/from/');
    await choose(page, 'a.txt', 'Move to');
    // The dialog has come to rest then.
    await expect(dialog(page).getByRole('textbox', { name: 'Search folders' })).toBeFocused();
    await dialog(page).getByRole('button', { name: 'move', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'to', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'Move here' }).click();
    await page.getByRole('dialog', { name: 'File already exists' }).getByRole('button', { name: 'Keep both' }).click();
    await expect(tray(page).getByText('Done · 1 of 1')).toBeVisible();
    expect(await files.keys('move/')).toEqual(['move/to/a (2).txt', 'move/to/a.txt']);
  });

  test('does not offer a target where writing is not allowed', async ({ app, filesIn, openAs, page }) => {
    await (await filesIn('files')).put('a.txt', 'a');
    await openAs('dan', `${app.origin}/p/main/files`);
    await choose(page, 'a.txt', 'Copy to');
    await expect(dialog(page).getByText('It is already in this folder')).toBeVisible();
    await expect(dialog(page).getByRole('button', { name: 'Copy here' })).toBeDisabled();
  });
});

test.describe('deleting', () => {
  test('asks first, deletes a folder with all in it, and gives a result for each key', async ({
    files,
    openFolder,
    page,
  }) => {
    for (let i = 0; i < 5; i += 1) await files.put(`delete/folder/${i}.txt`, 'x');
    await files.put('delete/stays.txt', 'x');
    await openFolder('delete/');
    await select(page, 'folder');
    await page.keyboard.press('Delete');
    await expect(dialog(page).getByRole('button', { name: 'Cancel' })).toBeFocused();
    await expect(dialog(page).getByText('Everything in a folder is deleted with it.')).toBeVisible();
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(tray(page).getByText('Done · 5 of 5')).toBeVisible();
    await expect(row(page, 'folder')).not.toBeAttached();
    expect(await files.keys('delete/')).toEqual(['delete/stays.txt']);
    await tray(page).getByRole('button', { name: 'Results' }).click();
    await expect(dialog(page).getByText('delete/folder/4.txt')).toBeVisible();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('counts first what is beneath folders, and what of it would stay', async ({ files, openFolder, page }) => {
    await files.put('partly/a.txt', 'four');
    await files.put('partly/deep/b.txt', 'fifteen bytes..');
    await files.put('partly/kept for ever.txt', 'x');
    // Folders that were created: they are no items in themselves.
    await files.put('partly/', '');
    await files.put('partly/deep/', '');
    await openFolder('', 'kim');
    await choose(page, 'partly', 'Delete');
    await expect(dialog(page).getByText('Inside: 3 items, 20 bytes')).toBeVisible();
    await expect(dialog(page).getByText('You may not delete 1 of these items: it stays.')).toBeVisible();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    // The next test deletes what is in this folder.
    for (const key of ['partly/deep/b.txt', 'partly/deep/', 'partly/']) await files.remove(key);
  });

  test('says what it could not count, and deletes nothing before it has counted or was told not to', async ({
    files,
    openFolder,
    page,
  }) => {
    await files.put('counted/one/a.txt', 'x');
    await files.put('counted/two/b.txt', 'x');
    await openFolder('counted/');
    await select(page, 'one', 'two');
    let isFailing = false;
    const held: Route[] = [];
    await page.route(/objects\?.*prefix=counted%2Ftwo/, async (route) => {
      if (isFailing)
        await route.fulfill({
          status: 400,
          contentType: 'application/problem+json',
          body: '{"code":"internal","status":500}',
        });
      else held.push(route);
    });
    const remove = dialog(page).getByRole('button', { name: 'Delete', exact: true });
    await page.keyboard.press('Delete');
    await expect(dialog(page).getByText('Counting: 1 item, 1 byte so far…')).toBeVisible();
    await expect(remove).toBeDisabled();
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Stop counting' }).click();
    await expect(dialog(page).getByText('Inside: at least 1 item, 1 byte')).toBeVisible();
    await expect(dialog(page).getByText('The rest was not counted.')).toBeVisible();
    await expect(remove).toBeEnabled();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    isFailing = true;
    await page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
    await expect(dialog(page).getByText(/^The rest could not be counted\./)).toBeVisible();
    await expect(remove).toBeEnabled();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    for (const route of held) await route.abort().catch(() => undefined);
  });

  test('tells which keys were not deleted, and deletes the others', async ({ files, openFolder, page }) => {
    await files.put('partly/a.txt', 'x');
    await files.put('partly/kept for ever.txt', 'x');
    await openFolder('', 'kim');
    await select(page, 'partly');
    await page.keyboard.press('Delete');
    await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(tray(page).getByText('Done · 2 of 2 · 1 failed')).toBeVisible();
    await tray(page).getByRole('button', { name: 'Results' }).click();
    await expect(dialog(page).getByText('You may not delete it.')).toBeVisible();
    expect(await dialog(page).getByText('partly/a.txt').count()).toBe(0);
    expect(await files.keys('partly/')).toEqual(['partly/kept for ever.txt']);
  });

  test('says beforehand which of the chosen files are left out, and deletes the others', async ({
    files,
    openFolder,
    page,
  }) => {
    await files.put('partly/b.txt', 'x');
    await files.put('partly/kept for ever.txt', 'x');
    await openFolder('partly/', 'kim');
    await select(page, 'b.txt', 'kept for ever.txt');
    await page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
    await expect(dialog(page).getByText('1 of 2 is not allowed')).toBeVisible();
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(tray(page).getByText('Done · 1 of 1')).toBeVisible();
    expect(await files.keys('partly/')).toEqual(['partly/kept for ever.txt']);
  });

  test('leaves no details of what was deleted or renamed among the rows', async ({ files, openFolder, page }) => {
    for (const name of ['deleted.txt', 'renamed.txt']) await files.put(`details/${name}`, 'x');
    await openFolder('details/');
    for (const name of ['deleted.txt', 'renamed.txt']) {
      await row(page, name).getByRole('link').click();
      const details = page.getByRole('complementary', { name: `Details of ${name}` });
      await expect(details.getByRole('button', { name: 'Delete' })).toBeVisible();
      await page.keyboard.press(name === 'deleted.txt' ? 'Delete' : 'F2');
      if (name === 'deleted.txt') await dialog(page).getByRole('button', { name: 'Delete' }).click();
      else {
        await dialog(page).getByLabel('New name').fill('other.txt');
        await dialog(page).getByRole('button', { name: 'Rename' }).click();
      }
      await expect(row(page, name)).toHaveCount(0);
      await expect(details.getByText('There is no such file')).toBeVisible();
      await expect(details.getByRole('button', { name: 'Delete' })).toHaveCount(0);
    }
  });

  test('deletes nothing when it is cancelled', async ({ files, openFolder, page }) => {
    await files.put('kept/a.txt', 'x');
    await openFolder('kept/');
    await choose(page, 'a.txt', 'Delete');
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    expect(await files.keys('kept/')).toEqual(['kept/a.txt']);
  });
});

test.describe('sharing', () => {
  test('copies a link that works without a session, and tells when it ends', async ({ files, openFolder, page }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await files.put('share/a.txt', 'shared content');
    await openFolder('share/');
    await choose(page, 'a.txt', 'Share link');
    const begun = Date.now();
    await dialog(page).getByRole('button', { name: 'Create and copy' }).click();
    await expect(dialog(page).getByText('Copied to the clipboard')).toBeVisible();
    expect(await accessibilityFaults(page)).toEqual([]);
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(await (await fetch(link)).text()).toBe('shared content');
    const end = new Date(begun + 3_600_000);
    await expect(
      dialog(page).getByText(new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' }).format(end)),
    ).toBeVisible();
  });

  test('is not offered without `objects:presign`', async ({ app, filesIn, openAs, page }) => {
    const photos = await filesIn('photos');
    await photos.put('2025/a.txt', 'x');
    await openAs('pia', `${app.origin}/p/main/photos?prefix=2025/`);
    await row(page, 'a.txt').getByRole('button', { name: 'Actions on a.txt' }).click();
    await expect(page.getByRole('menuitem', { name: 'Download' })).toBeVisible();
    expect(await page.getByRole('menuitem', { name: 'Share link' }).count()).toBe(0);
    expect(await page.getByRole('menuitem', { name: 'Delete' }).count()).toBe(0);
  });
});

test.describe('the link of a place', () => {
  test('is copied for colleagues, who sign in', async ({ files, openFolder, page }) => {
    await files.put('linked/x & y.txt', 'x');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await openFolder('linked/');
    await choose(page, 'x & y.txt', 'Copy link');
    await expect(page.getByText('The link was copied')).toBeVisible();
    await page.goto(await page.evaluate(() => navigator.clipboard.readText()));
    await expect(page.getByRole('complementary', { name: 'Details of x & y.txt' })).toBeVisible();
  });

  test('is shown where the browser does not let it be copied', async ({ files, openFolder, page }) => {
    await files.put('refused/a.txt', 'x');
    await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await openFolder('');
    await choose(page, 'refused', 'Copy link');
    await expect(dialog(page).getByRole('textbox', { name: 'Link' })).toHaveValue(
      /\/p\/main\/actions\?prefix=refused%2F$/,
    );
  });
});

test.describe('downloading', () => {
  // The browser's own save dialog cannot be operated from here.
  test.beforeEach(({ page }) => page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker')));

  test('saves a file under its name', async ({ files, openFolder, page }) => {
    await files.put('down/Grüße #1.html', '<p>hi</p>', 'text/html');
    await openFolder('down/');
    const download = page.waitForEvent('download');
    await choose(page, 'Grüße #1.html', 'Download');
    const saved = await download;
    expect(saved.suggestedFilename()).toBe('Grüße #1.html');
    expect(await readFile(await saved.path(), 'utf8')).toBe('<p>hi</p>');
  });

  test('says what happened when the file is gone', async ({ files, openFolder, page }) => {
    await files.put('down/gone.txt', 'x');
    await openFolder('down/');
    await expect(row(page, 'gone.txt')).toBeVisible();
    await files.remove('down/gone.txt');
    await choose(page, 'gone.txt', 'Download');
    await expect(page.getByText('“gone.txt” was not downloaded')).toBeVisible();
  });

  test('saves a selection as one ZIP', async ({ files, openFolder, page }) => {
    await files.put('zip/a.txt', 'aaa');
    await files.put('zip/sub/deep/b.txt', 'bbb');
    await openFolder('zip/');
    await select(page, 'a.txt', 'sub');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download as ZIP' }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toBe('zip.zip');
    const entries = unzip(await readFile(await saved.path()));
    expect(Object.fromEntries(entries.map(({ name, content }) => [name, content]))).toEqual({
      'a.txt': 'aaa',
      'sub/deep/b.txt': 'bbb',
    });
  });
});

test.describe('buckets', () => {
  test('are created and deleted', async ({ app, openAs, page }) => {
    await openAs('ada', `${app.origin}/p/main`);
    await page.getByRole('button', { name: 'Create bucket' }).click();
    await dialog(page).getByLabel('Name').fill('Not_A_Name');
    await expect(dialog(page).getByText('Use lower-case letters')).toBeVisible();
    await dialog(page).getByLabel('Name').fill('a-new-bucket');
    await dialog(page).getByRole('button', { name: 'Create bucket' }).click();
    await page.waitForURL('**/p/main/a-new-bucket');
    await page.goto(`${app.origin}/p/main`);
    await page.getByRole('button', { name: 'Actions on a-new-bucket' }).first().click();
    await page.getByRole('menuitem', { name: 'Delete bucket' }).click();
    const remove = dialog(page).getByRole('button', { name: 'Delete bucket' });
    await expect(remove).toBeDisabled();
    await dialog(page)
      .getByLabel(/to confirm/)
      .fill('a-new-bucket');
    expect(await accessibilityFaults(page)).toEqual([]);
    await remove.click();
    await expect(page.getByText('The bucket “a-new-bucket” is deleted.')).toBeVisible();
  });

  test('are created and deleted when a proxy sends the request twice', async ({ app, openAs, page }) => {
    await openAs('ada', `${app.origin}/p/main`);
    await sendTwice(page, /\/buckets(?:\/[^/]*)?$/);
    await page.getByRole('button', { name: 'Create bucket' }).click();
    await dialog(page).getByLabel('Name').fill('made-twice');
    await dialog(page).getByRole('button', { name: 'Create bucket' }).click();
    await page.waitForURL('**/p/main/made-twice');
    await page.goto(`${app.origin}/p/main`);
    await page.getByRole('button', { name: 'Actions on made-twice' }).first().click();
    await page.getByRole('menuitem', { name: 'Delete bucket' }).click();
    await dialog(page)
      .getByLabel(/to confirm/)
      .fill('made-twice');
    await dialog(page).getByRole('button', { name: 'Delete bucket' }).click();
    await expect(page.getByText('The bucket “made-twice” is deleted.')).toBeVisible();
  });

  test('say where to name a new one first, before somebody types its name', async ({ openDemo, page }) => {
    const note = dialog(page).getByText('Add the new name there first');
    await openDemo('ada', '/p/archive');
    await page.getByRole('button', { name: 'Create bucket' }).click();
    await expect(note).toBeVisible();
    await openDemo('ada', '/p/main');
    await page.getByRole('button', { name: 'Create bucket' }).click();
    await expect(dialog(page).getByLabel('Name')).toBeVisible();
    await expect(note).toHaveCount(0);
  });

  test('say what to do when they are not empty, or there already', async ({ app, bucket, files, openAs, page }) => {
    await files.put('something.txt', 'x');
    await openAs('ada', `${app.origin}/p/main`);
    await page
      .getByRole('button', { name: `Actions on ${bucket}` })
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'Delete bucket' }).click();
    await dialog(page)
      .getByLabel(/to confirm/)
      .fill(bucket);
    await dialog(page).getByRole('button', { name: 'Delete bucket' }).click();
    await expect(dialog(page).getByText('Delete everything in the bucket first')).toBeVisible();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Create bucket' }).click();
    await dialog(page).getByLabel('Name').fill('photos');
    await dialog(page).getByRole('button', { name: 'Create bucket' }).click();
    await expect(dialog(page).getByText('Choose another name.')).toBeVisible();
  });

  test('are not taken for one that somebody else has created meanwhile', async ({ app, openAs, page, signedIn }) => {
    await openAs('ada', `${app.origin}/p/main`);
    await page.getByRole('button', { name: 'Create bucket' }).click();
    await dialog(page).getByLabel('Name').fill('made-meanwhile');
    const other = await signedIn(app.origin, 'ada');
    const buckets = `${app.origin}/api/providers/main/buckets`;
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    await other.request(buckets, { method: 'POST', body: JSON.stringify({ name: 'made-meanwhile' }), headers });
    await dialog(page).getByRole('button', { name: 'Create bucket' }).click();
    await expect(dialog(page).getByText('Choose another name.')).toBeVisible();
    await other.request(`${buckets}/made-meanwhile`, { method: 'DELETE', headers });
  });
});
