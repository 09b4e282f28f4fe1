import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import { dialog, row, tray } from '../support/page.ts';
import { test } from './fixtures.ts';

/** What would happen if the pointer let go. */
const note = (page: Page): Locator => page.getByTestId('drop-note');
const crumb = (page: Page, name: string): Locator => page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name });
const bucketLink = (page: Page, name: string): Locator => page.getByRole('navigation', { name: 'Storage' }).getByRole('link', { name, exact: true });

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
  test('moves what is selected into a folder, by the way and into a bucket, and copies while Ctrl is held', async ({ files, filesIn, openFolder, page }) => {
    for (const key of ['a.txt', 'b.txt', 'c.txt', 'box/in.txt', 'box/deep/er.txt']) await files.put(`drag/${key}`, key);
    await openFolder('drag/');
    for (const name of ['a.txt', 'b.txt']) await row(page, name).getByRole('checkbox').check();
    await carry(page, row(page, 'a.txt'), row(page, 'box'));
    await expect(row(page, 'box')).toHaveAttribute('data-drop', 'taken');
    await letGo(page, 'Move 2 items to “box”');
    await expect(row(page, 'a.txt')).toHaveCount(0);
    await expect.poll(() => files.keys('drag/')).toEqual(['drag/box/a.txt', 'drag/box/b.txt', 'drag/box/deep/er.txt', 'drag/box/in.txt', 'drag/c.txt']);

    await page.keyboard.down('Control');
    await carry(page, row(page, 'c.txt'), row(page, 'box'));
    await letGo(page, 'Copy “c.txt” to “box”');
    await page.keyboard.up('Control');
    await expect.poll(() => files.keys('drag/')).toEqual(['drag/box/a.txt', 'drag/box/b.txt', 'drag/box/c.txt', 'drag/box/deep/er.txt', 'drag/box/in.txt', 'drag/c.txt']);

    // A name that is taken is asked about.
    await carry(page, row(page, 'c.txt'), row(page, 'box'));
    await letGo(page, 'Move “c.txt” to “box”');
    await dialog(page, 'The name is taken').getByRole('button', { name: 'Skip', exact: true }).click();

    // A folder goes neither into itself nor where it is.
    await carry(page, row(page, 'box'), row(page, 'box'));
    await expect(row(page, 'box')).toHaveAttribute('data-drop', 'refused');
    await letGo(page, /“?box”? cannot go into itself/);
    await row(page, 'box').getByRole('link').click();
    await carry(page, row(page, 'deep'), crumb(page, 'drag'));
    await letGo(page, 'Move “deep” to “drag”');
    await expect.poll(() => files.keys('drag/')).toContain('drag/deep/er.txt');
    await carry(page, row(page, 'in.txt'), bucketLink(page, 'photos'));
    await letGo(page, 'Move “in.txt” to “photos”');
    await expect.poll(async () => (await filesIn('photos')).keys('in.txt')).toEqual(['in.txt']);
    await expect(row(page, 'in.txt')).toHaveCount(0);
  });

  test('says what may not be moved and where nothing may be put, and goes on while the list is read again', async ({ files, openFolder, page }) => {
    const odd = 'x\u202Efdp..exe';
    for (const key of ['a.txt', 'kept for ever.txt', odd, 'closed/x.txt', 'box/x.txt']) await files.put(`rights/${key}`, key);
    await openFolder('rights/', 'kim');
    await carry(page, row(page, 'a.txt'), row(page, 'closed'));
    await expect(row(page, 'closed')).toHaveAttribute('data-drop', 'refused');
    await expect(note(page)).toHaveText('You may not put anything into “closed”.');
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
    await expect.poll(() => files.keys('rights/')).toEqual(['rights/box/a.txt', 'rights/box/kept for ever.txt', 'rights/box/x.txt', `rights/box/${odd}`, 'rights/closed/x.txt', 'rights/kept for ever.txt']);
  });
});

test.describe('dropping files on the row of a folder', () => {
  test('uploads into that folder, and not where nothing may be put', async ({ local, directory, files, openFolder, page }) => {
    for (const key of ['box/x.txt', 'closed/x.txt']) await files.put(`rows/${key}`, key);
    await local('one.txt', 'one');
    await openFolder('rows/', 'kim');
    const devTools = await page.context().newCDPSession(page);
    const drag = async (type: 'dragEnter' | 'dragOver' | 'drop', on: Locator): Promise<void> => {
      await expect(on).toBeVisible();
      const box = (await on.boundingBox())!;
      await devTools.send('Input.dispatchDragEvent', { type, x: box.x + 150, y: box.y + box.height / 2, data: { items: [], files: [join(directory, 'one.txt')], dragOperationsMask: 1 } });
    };
    await drag('dragEnter', row(page, 'box'));
    await drag('dragOver', row(page, 'box'));
    await expect(note(page)).toHaveText('Upload to “box”');
    await expect(row(page, 'box')).toHaveAttribute('data-drop', 'taken');
    await drag('drop', row(page, 'box'));
    await expect(tray(page).getByText('Uploaded 1 file')).toBeVisible();
    await drag('dragEnter', row(page, 'closed'));
    await drag('dragOver', row(page, 'closed'));
    await expect(note(page)).toHaveText('You may not upload into “closed”.');
    await drag('drop', row(page, 'closed'));
    await expect(page.getByText('Nothing was uploaded')).toBeVisible();
    expect(await files.keys('rows/')).toEqual(['rows/box/one.txt', 'rows/box/x.txt', 'rows/closed/x.txt']);
  });
});
