import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ACCOUNTS, CONFIG, startApp, type TestApp } from '../support/app.ts';
import { accessibilityFaults, inBrowser, openAs } from '../support/browser.ts';
import { filesOf, type Files } from '../support/files.ts';
import { unzip } from '../support/unzip.ts';

let app: TestApp;
let files: Files;
let photos: Files;
let page: Page;

/** An editor from whom one object is kept. */
const KEEPER = {
  version: 1,
  name: 'keeper',
  rules: [{ effect: 'deny', actions: ['objects:delete'], resources: [{ type: 'object', provider: 'main', bucket: 'files', key: 'partly/kept for ever.txt' }] }],
};

const start = () =>
  startApp({
    accounts: [...ACCOUNTS, { sub: 'kim', name: 'Kim Keeper', groups: ['editors', 'keepers'] }],
    config: (config) => ({ ...config, policies: [...CONFIG.policies, KEEPER], bindings: [...CONFIG.bindings, { groups: ['keepers'], policies: ['keeper'] }] }),
  });

inBrowser(start, {
  begin: async (started) => {
    app = started;
    const admin = await app.signIn('ada');
    files = filesOf(app, admin, 'files');
    photos = filesOf(app, admin, 'photos');
  },
  each: async (opened) => {
    page = opened;
    // The browser's own save dialog cannot be operated from here.
    await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'));
  },
});

const open = (prefix: string, account = 'eve') => openAs(page, account, `${app.origin}/p/main/files?prefix=${encodeURIComponent(prefix)}`);
const row = (name: string) => page.getByRole('row', { name });
const dialog = () => page.getByRole('dialog');
const tray = () => page.getByRole('region', { name: 'Transfers' });

async function choose(name: string, action: string): Promise<void> {
  await row(name).getByRole('button', { name: `Actions on ${name}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

async function select(...names: string[]): Promise<void> {
  for (const name of names) await row(name).getByRole('checkbox').check();
}

describe('a new folder', () => {
  it('is created, and its name is not taken twice', async () => {
    await open('new/');
    for (const outcome of ['created', 'taken']) {
      await page.getByRole('button', { name: 'New folder' }).click();
      await dialog().getByLabel('Name').fill('Ordner ü');
      expect(await accessibilityFaults(page)).toEqual([]);
      await dialog().getByRole('button', { name: 'Create folder' }).click();
      if (outcome === 'created') await row('Ordner ü').waitFor();
      else await dialog().getByText('exists already. Choose another name.').waitFor();
    }
    expect(await files.keys('new/')).toEqual(['new/Ordner ü/']);
  });
});

describe('renaming', () => {
  it('moves a file to its new name', async () => {
    await files.put('rename/before.txt', 'content');
    await open('rename/');
    await choose('before.txt', 'Rename');
    await dialog().getByLabel('New name').fill('after #1.txt');
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Rename' }).click();
    await row('after #1.txt').waitFor();
    expect(await files.keys('rename/')).toEqual(['rename/after #1.txt']);
    expect(await (await files.get('rename/after #1.txt')).text()).toBe('content');
  });

  it('moves everything in a folder', async () => {
    for (const key of ['a.txt', 'deep/b.txt', 'deep/er/c.txt']) await files.put(`folders/old/${key}`, key);
    await open('folders/');
    await choose('old', 'Rename');
    await dialog().getByLabel('New name').fill('new');
    await dialog().getByRole('button', { name: 'Rename' }).click();
    await row('new').waitFor();
    await tray().getByText('Done · 3 of 3').waitFor();
    expect(await files.keys('folders/')).toEqual(['folders/new/a.txt', 'folders/new/deep/b.txt', 'folders/new/deep/er/c.txt']);
  });

  it('refuses a name that is taken', async () => {
    await files.put('taken/a.txt', 'a');
    await files.put('taken/b.txt', 'b');
    await open('taken/');
    await choose('a.txt', 'Rename');
    await dialog().getByLabel('New name').fill('b.txt');
    await dialog().getByRole('button', { name: 'Rename' }).click();
    await dialog().getByText('exists already').waitFor();
    expect(await (await files.get('taken/b.txt')).text()).toBe('b');
  });
});

describe('copying and moving', () => {
  it('copies a selection to a folder of another bucket', async () => {
    await files.put('copy/a.txt', 'a');
    await files.put('copy/sub/b.txt', 'b');
    await photos.put('target/there.txt', 'x');
    await open('copy/');
    await select('a.txt', 'sub');
    await page.getByRole('button', { name: /more actions on the selection|actions on the selection/i }).click();
    await page.getByRole('menuitem', { name: 'Copy to' }).click();
    await dialog().getByRole('button', { name: 'main', exact: true }).click();
    await dialog().getByRole('button', { name: 'photos' }).click();
    await dialog().getByRole('button', { name: 'target' }).click();
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Copy here' }).click();
    await tray().getByText('Done · 2 of 2').waitFor();
    expect(await photos.keys('target/')).toEqual(['target/a.txt', 'target/sub/b.txt', 'target/there.txt']);
    expect(await files.keys('copy/')).toEqual(['copy/a.txt', 'copy/sub/b.txt']);
  });

  it('asks before a copy replaces something, and moves', async () => {
    await files.put('move/from/a.txt', 'new');
    await files.put('move/to/a.txt', 'old');
    await open('move/from/');
    await choose('a.txt', 'Move to');
    await dialog().getByRole('button', { name: 'move', exact: true }).click();
    await dialog().getByRole('button', { name: 'to', exact: true }).click();
    await dialog().getByRole('button', { name: 'Move here' }).click();
    await page.getByRole('dialog', { name: 'The name is taken' }).getByRole('button', { name: 'Keep both' }).click();
    await tray().getByText('Done · 1 of 1').waitFor();
    expect(await files.keys('move/')).toEqual(['move/to/a (2).txt', 'move/to/a.txt']);
  });

  it('does not offer a target where writing is not allowed', async () => {
    await files.put('a.txt', 'a');
    await openAs(page, 'dan', `${app.origin}/p/main/files`);
    await choose('a.txt', 'Copy to');
    await dialog().getByText('It is here already').waitFor();
    expect(await dialog().getByRole('button', { name: 'Copy here' }).isDisabled()).toBe(true);
  });
});

describe('deleting', () => {
  it('asks first, deletes a folder with all in it, and gives a result for each key', async () => {
    for (let i = 0; i < 5; i += 1) await files.put(`delete/folder/${i}.txt`, 'x');
    await files.put('delete/stays.txt', 'x');
    await open('delete/');
    await select('folder');
    await page.keyboard.press('Delete');
    await dialog().getByText('Everything beneath a folder is deleted with it.').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
    await tray().getByText('Done · 5 of 5').waitFor();
    await row('folder').waitFor({ state: 'detached' });
    expect(await files.keys('delete/')).toEqual(['delete/stays.txt']);
    await tray().getByRole('button', { name: 'Results' }).click();
    await dialog().getByText('delete/folder/4.txt').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('tells which keys were not deleted, and deletes the others', async () => {
    await files.put('partly/a.txt', 'x');
    await files.put('partly/kept for ever.txt', 'x');
    await open('partly/', 'kim');
    await select('a.txt', 'kept for ever.txt');
    await page.keyboard.press('Delete');
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
    await tray().getByText('Done · 2 of 2 · 1 failed').waitFor();
    await tray().getByRole('button', { name: 'Results' }).click();
    await dialog().getByText('Your policies do not allow deleting it.').waitFor();
    expect(await dialog().getByText('partly/a.txt').count()).toBe(0);
    expect(await files.keys('partly/')).toEqual(['partly/kept for ever.txt']);
  });

  it('deletes nothing when it is cancelled', async () => {
    await files.put('kept/a.txt', 'x');
    await open('kept/');
    await choose('a.txt', 'Delete');
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    expect(await files.keys('kept/')).toEqual(['kept/a.txt']);
  });
});

describe('sharing', () => {
  it('copies a link that works without a session, and tells when it ends', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await files.put('share/a.txt', 'shared content');
    await open('share/');
    await choose('a.txt', 'Share link');
    const begun = Date.now();
    await dialog().getByRole('button', { name: 'Create and copy' }).click();
    await dialog().getByText('Copied to the clipboard').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(await (await fetch(link)).text()).toBe('shared content');
    const end = new Date(begun + 3_600_000);
    await dialog().getByText(new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' }).format(end)).waitFor();
  });

  it('is not offered without `objects:presign`', async () => {
    await photos.put('2025/a.txt', 'x');
    await openAs(page, 'pia', `${app.origin}/p/main/photos?prefix=2025/`);
    await row('a.txt').getByRole('button', { name: 'Actions on a.txt' }).click();
    await page.getByRole('menuitem', { name: 'Download' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Share link' }).count()).toBe(0);
    expect(await page.getByRole('menuitem', { name: 'Delete' }).count()).toBe(0);
  });
});

describe('downloading', () => {
  it('saves a file under its name', async () => {
    await files.put('down/Grüße #1.html', '<p>hi</p>', 'text/html');
    await open('down/');
    const download = page.waitForEvent('download');
    await choose('Grüße #1.html', 'Download');
    const saved = await download;
    expect(saved.suggestedFilename()).toBe('Grüße #1.html');
    expect(await readFile(await saved.path(), 'utf8')).toBe('<p>hi</p>');
  });

  it('says what happened when the file is gone', async () => {
    await files.put('down/gone.txt', 'x');
    await open('down/');
    await row('gone.txt').waitFor();
    await files.remove('down/gone.txt');
    await choose('gone.txt', 'Download');
    await page.getByText('`gone.txt` was not downloaded').waitFor();
  });

  it('saves a selection as one ZIP', async () => {
    await files.put('zip/a.txt', 'aaa');
    await files.put('zip/sub/deep/b.txt', 'bbb');
    await open('zip/');
    await select('a.txt', 'sub');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download as ZIP' }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toBe('zip.zip');
    const entries = unzip(await readFile(await saved.path()));
    expect(Object.fromEntries(entries.map(({ name, content }) => [name, content]))).toEqual({ 'a.txt': 'aaa', 'sub/deep/b.txt': 'bbb' });
  });
});

describe('buckets', () => {
  const buckets = () => openAs(page, 'ada', `${app.origin}/p/main`);

  it('are created and deleted', async () => {
    await buckets();
    await page.getByRole('button', { name: 'Create bucket' }).click();
    await dialog().getByLabel('Name').fill('Not_A_Name');
    await dialog().getByText('Use lower-case letters').waitFor();
    await dialog().getByLabel('Name').fill('a-new-bucket');
    await dialog().getByRole('button', { name: 'Create bucket' }).click();
    await page.waitForURL('**/p/main/a-new-bucket');
    await page.goto(`${app.origin}/p/main`);
    await page.getByRole('button', { name: 'Actions on a-new-bucket' }).first().click();
    await page.getByRole('menuitem', { name: 'Delete bucket' }).click();
    const remove = dialog().getByRole('button', { name: 'Delete bucket' });
    expect(await remove.isDisabled()).toBe(true);
    await dialog().getByLabel(/to confirm/).fill('a-new-bucket');
    expect(await accessibilityFaults(page)).toEqual([]);
    await remove.click();
    await page.getByText('The bucket `a-new-bucket` is deleted.').waitFor();
  });

  it('say what to do when they are not empty, or there already', async () => {
    await files.put('something.txt', 'x');
    await buckets();
    await page.getByRole('button', { name: 'Actions on files' }).first().click();
    await page.getByRole('menuitem', { name: 'Delete bucket' }).click();
    await dialog().getByLabel(/to confirm/).fill('files');
    await dialog().getByRole('button', { name: 'Delete bucket' }).click();
    await dialog().getByText('Delete everything in the bucket first').waitFor();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Create bucket' }).click();
    await dialog().getByLabel('Name').fill('photos');
    await dialog().getByRole('button', { name: 'Create bucket' }).click();
    await dialog().getByText('Choose another name.').waitFor();
  });
});
