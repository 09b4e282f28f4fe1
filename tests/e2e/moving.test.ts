import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import { choose, dialog, row, tray } from '../support/page.ts';
import { test } from './fixtures.ts';
import { expectGoodScreen } from './views.ts';

/** What would happen if the pointer let go. */
const note = (page: Page): Locator => page.getByTestId('drop-note');
const crumb = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name });
const bucketLink = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Storage' }).getByRole('link', { name, exact: true });

/** Takes a row and brings it over something, without letting go. */
async function carry(page: Page, from: Locator, to: Locator): Promise<void> {
  await expect(to).toBeVisible();
  await from.hover();
  await page.mouse.down();
  await over(page, from);
  await expect(note(page)).toBeAttached();
  await over(page, to);
}

async function over(page: Page, to: Locator): Promise<void> {
  const box = (await to.boundingBox())!;
  const [x, y] = [box.x + Math.min(box.width / 2, 150), box.y + box.height / 2];
  await page.mouse.move(x, y, { steps: 4 });
  // A pointer that rests goes on to tell what it is over; here each move tells once.
  await page.mouse.move(x + 1, y);
}

/** Lets go once the note says what is expected. */
async function letGo(page: Page, expected: string | RegExp): Promise<void> {
  await expect(note(page)).toHaveText(expected);
  await page.mouse.up();
  await expect(note(page)).toHaveCount(0);
}

test.describe('dragging rows', () => {
  test('moves them although the row beneath the pointer is drawn anew before they are let go', async ({
    files,
    openFolder,
    page,
  }) => {
    for (const key of ['a.txt', 'box/in.txt']) await files.put(`anew/${key}`, key);
    await openFolder('anew/');
    await carry(page, row(page, 'a.txt'), row(page, 'box'));
    await expect(note(page)).toHaveText('Move “a.txt” to “box”');
    await row(page, 'box').evaluate((element) => {
      const drawn = document.createElement('span');
      drawn.style.cssText = 'position: absolute; inset: 0';
      element.append(drawn);
    });
    await letGo(page, 'Move “a.txt” to “box”');
    await expect.poll(() => files.keys('anew/')).toEqual(['anew/box/a.txt', 'anew/box/in.txt']);
  });

  test('moves what is selected into a folder, by the way and into a bucket, and copies while Ctrl is held', async ({
    files,
    filesIn,
    openFolder,
    page,
  }) => {
    for (const key of ['a.txt', 'b.txt', 'c.txt', 'box/in.txt', 'box/deep/er.txt']) await files.put(`drag/${key}`, key);
    await openFolder('drag/');
    for (const name of ['a.txt', 'b.txt']) await row(page, name).getByRole('checkbox').check();
    await carry(page, row(page, 'a.txt'), row(page, 'box'));
    await expect(row(page, 'box')).toHaveAttribute('data-drop', 'taken');
    await letGo(page, 'Move 2 items to “box”');
    await expect(row(page, 'a.txt')).toHaveCount(0);
    await expect
      .poll(() => files.keys('drag/'))
      .toEqual(['drag/box/a.txt', 'drag/box/b.txt', 'drag/box/deep/er.txt', 'drag/box/in.txt', 'drag/c.txt']);

    await page.keyboard.down('Control');
    await carry(page, row(page, 'c.txt'), row(page, 'box'));
    await letGo(page, 'Copy “c.txt” to “box”');
    await page.keyboard.up('Control');
    await expect
      .poll(() => files.keys('drag/'))
      .toEqual([
        'drag/box/a.txt',
        'drag/box/b.txt',
        'drag/box/c.txt',
        'drag/box/deep/er.txt',
        'drag/box/in.txt',
        'drag/c.txt',
      ]);

    // A name that is taken is asked about.
    await carry(page, row(page, 'c.txt'), row(page, 'box'));
    await letGo(page, 'Move “c.txt” to “box”');
    await dialog(page, 'File already exists').getByRole('button', { name: 'Skip', exact: true }).click();
    await expect(tray(page).getByText('Done · 1 of 1 · 1 skipped')).toBeVisible();
    await expect(tray(page).getByText('Moving “c.txt” to drag/box/', { exact: true })).toBeVisible();
    await expect(tray(page).getByText('Moved 2 items to drag/box/', { exact: true })).toBeVisible();

    // A folder goes neither into itself nor where it is.
    await carry(page, row(page, 'box'), row(page, 'box'));
    await expect(row(page, 'box')).toHaveAttribute('data-drop', 'refused');
    await letGo(page, /“?box”? cannot be put into itself/);
    await row(page, 'box').getByRole('link').click();
    await carry(page, row(page, 'deep'), crumb(page, 'drag'));
    await letGo(page, 'Move “deep” to “drag”');
    await expect.poll(() => files.keys('drag/')).toContain('drag/deep/er.txt');
    await carry(page, row(page, 'in.txt'), bucketLink(page, 'photos'));
    await letGo(page, 'Move “in.txt” to “photos”');
    await expect.poll(async () => (await filesIn('photos')).keys('in.txt')).toEqual(['in.txt']);
    await expect(row(page, 'in.txt')).toHaveCount(0);
  });

  test('says what may not be moved and where nothing may be put, and goes on while the list is read again', async ({
    files,
    openFolder,
    page,
  }) => {
    const odd = 'x\u202Efdp..exe';
    for (const key of ['a.txt', 'kept for ever.txt', odd, 'closed/x.txt', 'box/x.txt'])
      await files.put(`rights/${key}`, key);
    await openFolder('rights/', 'kim');
    await carry(page, row(page, 'a.txt'), row(page, 'closed'));
    await expect(row(page, 'closed')).toHaveAttribute('data-drop', 'refused');
    await expect(note(page)).toHaveText('You may not add files to “closed”.');
    await over(page, row(page, 'box'));
    await page.getByRole('button', { name: 'Refresh' }).evaluate((button: HTMLElement) => button.click());
    await expect(note(page)).toHaveText('Move “a.txt” to “box”');
    await over(page, row(page, 'kept for ever.txt'));
    await letGo(page, 'Move “a.txt”');
    await carry(page, row(page, 'kept for ever.txt'), row(page, 'box'));
    await letGo(page, 'Copy “kept for ever.txt” to “box”');
    await expect.poll(() => files.keys('rights/box/')).toEqual(['rights/box/kept for ever.txt', 'rights/box/x.txt']);
    for (const name of [/kept for ever/, /a\.txt/, /U\+202E/]) await row(page, name).getByRole('checkbox').check();
    await carry(page, row(page, /U\+202E/), row(page, 'box'));
    await letGo(page, 'Move 2 items to “box” · 1 of 3 is not allowed');
    await dialog(page).getByRole('button', { name: 'Continue with the other 2' }).click();
    await expect
      .poll(() => files.keys('rights/'))
      .toEqual([
        'rights/box/a.txt',
        'rights/box/kept for ever.txt',
        'rights/box/x.txt',
        `rights/box/${odd}`,
        'rights/closed/x.txt',
        'rights/kept for ever.txt',
      ]);
  });
});

const pasteButton = (page: Page): Locator => page.getByRole('button', { name: 'Paste', exact: true });
const undo = (page: Page): Locator => page.getByRole('button', { name: 'Undo', exact: true });

test.describe('cut, copy and paste', () => {
  test('move and copy rows by keys and by menus, and leave selected text to the browser', async ({
    files,
    openFolder,
    page,
    context,
    app,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    for (const key of ['a.txt', 'b.txt', 'c.txt', 'box/in.txt']) await files.put(`paste/${key}`, key);
    await openFolder('paste/');
    for (const name of ['a.txt', 'b.txt']) await row(page, name).getByRole('checkbox').check();
    await page.keyboard.press('Control+x');
    await expect(row(page, 'a.txt')).toHaveAttribute('data-cut', 'true');
    await expect(row(page, 'c.txt')).not.toHaveAttribute('data-cut');
    await expectGoodScreen(page, 'rows that were cut', row(page, 'b.txt'));
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press('Escape');
    await expect(row(page, 'a.txt')).not.toHaveAttribute('data-cut');
    await expect(pasteButton(page)).toHaveCount(0);
    await page.keyboard.press('Control+x');
    await expect(pasteButton(page)).toBeVisible();
    await page.keyboard.press('Control+v');
    await expect(page.getByText('They are already in this folder')).toBeVisible();
    await row(page, 'box').getByRole('link').click();
    await expect(row(page, 'in.txt')).toBeVisible();
    await page.keyboard.press('Control+v');
    await expect(row(page, 'a.txt')).toBeVisible();
    await expect(pasteButton(page)).toHaveCount(0);
    expect(await files.keys('paste/')).toEqual([
      'paste/box/a.txt',
      'paste/box/b.txt',
      'paste/box/in.txt',
      'paste/c.txt',
    ]);

    await page.goBack();
    await row(page, 'c.txt').getByRole('button', { name: 'Actions on c.txt' }).click();
    await page.getByRole('menuitem', { name: 'Copy', exact: true }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe(`${app.origin}/p/main/moving?prefix=paste%2F&object=paste%2Fc.txt`);
    await row(page, 'box').getByRole('link').click();
    await pasteButton(page).click();
    await expect(row(page, 'c.txt')).toBeVisible();
    expect(await files.keys('paste/')).toContain('paste/c.txt');
    await page.getByRole('heading', { level: 1 }).selectText();
    await page.keyboard.press('Control+c');
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('box');
  });

  test('is not offered where nothing may be put', async ({ files, openFolder, page }) => {
    for (const key of ['kept for ever.txt', 'a.txt', 'closed/x.txt']) await files.put(`rights/${key}`, key);
    await openFolder('rights/', 'kim');
    await choose(page, 'a.txt', 'Cut');
    await expect(pasteButton(page)).toBeVisible();
    await row(page, 'closed').getByRole('link').click();
    await expect(row(page, 'x.txt')).toBeVisible();
    await expect(pasteButton(page)).toHaveCount(0);
  });
});

test.describe('undo', () => {
  test('takes a move and a new name back, by the button and by Ctrl and Z', async ({ files, openFolder, page }) => {
    for (const key of ['a.txt', 'odd \u202E name.txt', 'box/in.txt', 'album/', 'album/deep/x.txt'])
      await files.put(`undo/${key}`, key.endsWith('/') ? '' : key);
    const before = await files.keys('undo/');
    await openFolder('undo/');
    for (const name of ['a.txt', /U\+202E/, 'album']) await row(page, name).getByRole('checkbox').check();
    await page.keyboard.press('Control+x');
    await expect(pasteButton(page)).toBeVisible();
    await row(page, 'box').getByRole('link').click();
    await expect(row(page, 'in.txt')).toBeVisible();
    await page.keyboard.press('Control+v');
    await expect(undo(page)).toBeVisible();
    expect(await files.keys('undo/')).toEqual(
      before.map((key) => (key.startsWith('undo/box/') ? key : key.replace('undo/', 'undo/box/'))).sort(),
    );
    await expectGoodScreen(page, 'undo of a move', undo(page));
    await page.setViewportSize({ width: 1280, height: 800 });
    await undo(page).click();
    await expect.poll(() => files.keys('undo/')).toEqual(before);
    await page.goBack();
    await page.getByRole('button', { name: 'Clear the selection' }).click();
    await choose(page, 'a.txt', 'Rename');
    await dialog(page).getByLabel('New name').fill('z.txt');
    await dialog(page).getByRole('button', { name: 'Rename' }).click();
    await expect(undo(page)).toBeVisible();
    await expect(row(page, 'z.txt')).toBeVisible();
    // The offer says it, so the tray does not say it again.
    await expect(page.getByText('Renamed a.txt to z.txt')).toHaveCount(1);
    await page.keyboard.press('Control+z');
    await expect(row(page, 'a.txt')).toBeVisible();
    await expect(undo(page)).toHaveCount(0);
    expect(await files.keys('undo/')).toEqual(before);
  });

  test('leaves alone what somebody else changed since, and says why; is not offered without the rights', async ({
    files,
    openFolder,
    page,
  }) => {
    for (const key of ['changed.txt', 'taken.txt', 'gone.txt', 'fine.txt']) await files.put(`safe/from/${key}`, key);
    await openFolder('safe/from/');
    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    await page.keyboard.press('Control+x');
    await expect(pasteButton(page)).toBeVisible();
    await crumb(page, 'safe').click();
    await expect(row(page, 'from')).toBeVisible();
    await page.keyboard.press('Control+v');
    await expect(undo(page)).toBeVisible();
    await files.put('safe/changed.txt', 'by somebody else');
    await files.put('safe/from/taken.txt', 'by somebody else');
    await files.remove('safe/gone.txt');
    await undo(page).click();
    await expect(page.getByText('3 of 4 could not be moved back')).toBeVisible();
    const results = tray(page).getByRole('button', { name: 'Results' });
    // The tray is drawn at most ten times a second: the results of the move are there before those of the undo.
    await expect(results).toHaveCount(2);
    await results.last().click();
    for (const why of [
      'It was changed after it was moved, so it stays where it is.',
      'Its old name is taken by now, so it stays where it is.',
      'It no longer exists.',
    ])
      await expect(dialog(page).getByText(why)).toBeVisible();
    expect(await files.keys('safe/')).toEqual([
      'safe/changed.txt',
      'safe/from/fine.txt',
      'safe/from/taken.txt',
      'safe/taken.txt',
    ]);
    expect(await (await files.get('safe/from/taken.txt')).text()).toBe('by somebody else');
    await dialog(page).getByRole('button', { name: 'Close' }).click();

    await files.put('rights/once/a.txt', 'x');
    await openFolder('rights/once/', 'kim');
    await choose(page, 'a.txt', 'Rename');
    await dialog(page).getByLabel('New name').fill('stays.txt');
    const asked = page.waitForResponse(
      (response) =>
        response.url().endsWith('/permissions') && response.request().postData() === '{"keys":["rights/once/a.txt"]}',
    );
    await dialog(page).getByRole('button', { name: 'Rename' }).click();
    await expect(row(page, 'stays.txt')).toBeVisible();
    await asked;
    await page.waitForLoadState('networkidle');
    await expect(undo(page)).toHaveCount(0);
  });
});

test.describe('the folder that something is copied or moved to', () => {
  test('is made, searched for, found among recent ones and walked to by keys', async ({ files, openFolder, page }) => {
    for (const key of ['a.txt', 'b.txt', 'far/away/Needle 2026/x.txt', 'near/x.txt'])
      await files.put(`picker/${key}`, key);
    const kept = page.waitForResponse((answer) => answer.request().postData()?.includes('place/mark') === true);
    await openFolder('picker/near/');
    await kept;
    await openFolder('picker/');
    await choose(page, 'a.txt', 'Move to');
    const moveHere = dialog(page).getByRole('button', { name: 'Move here' });
    await dialog(page).getByLabel('Search folders').fill('needle');
    await dialog(page).getByRole('button', { name: 'Needle 2026' }).click();
    await expect(dialog(page).getByText('To main / moving / picker/far/away/Needle 2026/')).toBeVisible();
    await dialog(page).getByRole('button', { name: 'New folder' }).click();
    await dialog(page).getByLabel('Name of the new folder').fill('made here');
    await expectGoodScreen(page, 'the choice of a folder', moveHere);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press('Enter');
    await expect(dialog(page).getByText('To main / moving / picker/far/away/Needle 2026/made here/')).toBeVisible();
    await moveHere.click();
    await expect
      .poll(() => files.keys('picker/far/'))
      .toEqual([
        'picker/far/away/Needle 2026/made here/',
        'picker/far/away/Needle 2026/made here/a.txt',
        'picker/far/away/Needle 2026/x.txt',
      ]);

    await choose(page, 'b.txt', 'Copy to');
    await dialog(page).getByRole('button', { name: 'Favourite and recent folders' }).click();
    await page.getByRole('menuitem', { name: 'near' }).click();
    await expect(dialog(page).getByText('To main / moving / picker/near/')).toBeVisible();
    await page.keyboard.press('ArrowLeft');
    await expect(dialog(page).getByRole('button', { name: 'far', exact: true })).toBeVisible();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'Enter']) await page.keyboard.press(key);
    await expect(dialog(page).getByText('To main / moving / picker/far/')).toBeVisible();
    await dialog(page).getByRole('button', { name: 'Copy here' }).click();
    await expect.poll(() => files.keys('picker/far/b')).toEqual(['picker/far/b.txt']);
  });
});

test.describe('dropping files on the row of a folder', () => {
  test('uploads into that folder, and not where nothing may be put', async ({
    local,
    directory,
    files,
    openFolder,
    page,
  }) => {
    for (const key of ['box/x.txt', 'closed/x.txt']) await files.put(`rows/${key}`, key);
    await local('one.txt', 'one');
    await openFolder('rows/', 'kim');
    const devTools = await page.context().newCDPSession(page);
    const drag = async (type: 'dragEnter' | 'dragOver' | 'drop', on: Locator): Promise<void> => {
      await expect(on).toBeVisible();
      const box = (await on.boundingBox())!;
      await devTools.send('Input.dispatchDragEvent', {
        type,
        x: box.x + 150,
        y: box.y + box.height / 2,
        data: { items: [], files: [join(directory, 'one.txt')], dragOperationsMask: 1 },
      });
    };
    await drag('dragEnter', row(page, 'box'));
    await drag('dragOver', row(page, 'box'));
    await expect(note(page)).toHaveText('Upload to “box”');
    await expect(row(page, 'box')).toHaveAttribute('data-drop', 'taken');
    await drag('drop', row(page, 'box'));
    await expect(tray(page).getByText('Uploaded 1 file')).toBeVisible();
    await drag('dragEnter', row(page, 'closed'));
    await drag('dragOver', row(page, 'closed'));
    await expect(note(page)).toHaveText('You may not upload to “closed”.');
    await drag('drop', row(page, 'closed'));
    await expect(page.getByText('Nothing was uploaded')).toBeVisible();
    expect(await files.keys('rows/')).toEqual(['rows/box/one.txt', 'rows/box/x.txt', 'rows/closed/x.txt']);
  });
});
