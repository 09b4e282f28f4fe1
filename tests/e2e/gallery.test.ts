import { expect, type Page } from '@playwright/test';
import { png } from '../../scripts/demo/samples/png.ts';
import { test } from './fixtures.ts';
import { expectGoodScreen } from './views.ts';

const grid = (page: Page) => page.getByRole('grid');
const tile = (page: Page, name: string) =>
  page.getByRole('gridcell').filter({ has: page.getByRole('link', { name, exact: true }) });
const picture = (page: Page, name: string) => tile(page, name).locator('img');
const current = (page: Page) =>
  grid(page).evaluate((element) =>
    document
      .getElementById(element.getAttribute('aria-activedescendant') ?? '')
      ?.querySelector('a')
      ?.getAttribute('aria-label'),
  );

async function chooseView(page: Page, view: string): Promise<void> {
  await page.getByRole('button', { name: 'View', exact: true }).click();
  await page.getByRole('menuitemradio', { name: view, exact: true }).click();
}

/** A picture in one colour, each of another size in bytes. */
const plain = (hue: number) => new Uint8Array(png(64 + hue, 48, () => [hue * 20, 120, 160]));

test.describe('the view of a folder', () => {
  test('is a list, a compact list or a gallery, and stays as it was chosen', async ({ filesIn, openAs, app, page }) => {
    const files = await filesIn('files');
    await files.put('open/a.txt', 'x');
    await openAs('dan', `${app.origin}/p/main/files?prefix=open%2F`);
    const heightOf = async () => (await page.getByRole('row', { name: 'a.txt' }).boundingBox())?.height;
    await expect(page.getByRole('row', { name: 'a.txt' })).toBeVisible();
    await expect.poll(heightOf).toBe(40);
    await chooseView(page, 'Compact list');
    await expect.poll(heightOf).toBe(32);
    await page.reload();
    await expect(page.getByRole('row', { name: 'a.txt' })).toBeVisible();
    await expect.poll(heightOf).toBe(32);
    expect((await page.context().cookies()).map(({ name }) => name)).toEqual(['svc_session']);
    await chooseView(page, 'Gallery');
    await expect(tile(page, 'a.txt')).toBeVisible();
  });

  test('is a gallery: pictures come as they are seen, and keys, selection, menus and locks work as in the list', async ({
    filesIn,
    openAs,
    app,
    page,
  }) => {
    const files = await filesIn('files');
    await files.put('gallery/inside/x.txt', 'x');
    for (let index = 0; index < 12; index += 1)
      await files.put(`gallery/picture ${String(index).padStart(2, '0')}.png`, plain(index), 'image/png');
    await files.put('gallery/broken.png', 'no picture', 'image/png');
    await files.put('gallery/notes.txt', 'x');
    await files.put('gallery/vector.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml');
    const asked: string[] = [];
    page.on(
      'request',
      (request) =>
        request.url().includes('/object/thumbnail') && asked.push(new URL(request.url()).searchParams.get('key')!),
    );
    await page.addInitScript(() => localStorage.setItem('svc-view', 'gallery'));
    await openAs('dan', `${app.origin}/p/main/files?prefix=gallery%2F`);
    await expect(picture(page, 'picture 00.png')).toBeVisible();
    await expect
      .poll(() => picture(page, 'picture 00.png').evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBe(64);
    await expect(picture(page, 'broken.png')).toHaveCount(0);
    await expect(tile(page, 'vector.svg').locator('.tabler-icon-file-type-svg')).toBeVisible();
    for (const without of ['notes.txt', 'vector.svg']) expect(asked).not.toContain(`gallery/${without}`);
    expect(new Set(asked).size).toBe(asked.length);

    const columns = Number(await grid(page).getAttribute('aria-colcount'));
    expect(columns).toBeGreaterThan(3);
    await grid(page).focus();
    await page.keyboard.press('Home');
    await expect.poll(() => current(page)).toBe('inside');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => current(page)).toBe('broken.png');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => current(page)).toBe(await tileAt(page, columns));
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => current(page)).toBe('inside');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await expect(page.getByRole('gridcell', { selected: true })).toHaveCount(3);
    await page.keyboard.press('Escape');
    await tile(page, 'picture 01.png').getByRole('checkbox').check();
    await expect(page.getByRole('toolbar', { name: 'Selection' })).toContainText('1 selected');
    await page.keyboard.press('Escape');
    await tile(page, 'notes.txt').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect(tile(page, 'notes.txt')).toHaveCount(0);
    await tile(page, 'inside').dblclick();
    await expect(tile(page, 'x.txt')).toBeVisible();
    await page.goBack();
    await expect(tile(page, 'picture 00.png')).toBeVisible();
  });

  test('is a gallery whose names and buttons are not covered by square or upright pictures', async ({
    filesIn,
    openAs,
    app,
    page,
  }) => {
    const files = await filesIn('files');
    const SIZES = { square: [300, 300], upright: [100, 400], wide: [400, 100] } as const;
    for (const number of [1, 2, 3, 4])
      for (const [name, [width, height]] of Object.entries(SIZES))
        await files.put(
          `shapes/${name} ${number}.png`,
          new Uint8Array(png(width, height, () => [20, 120, 160])),
          'image/png',
        );
    await openAs('dan', `${app.origin}/p/main/files?prefix=shapes%2F`);
    await chooseView(page, 'Gallery');
    await expect(page.getByRole('menu')).toHaveCount(0);
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 390, height: 844 },
    ]) {
      await page.setViewportSize(viewport);
      await expect(page.getByRole('gridcell').locator('img')).toHaveCount(12);
      // The rows move to their new places after the browser has told the page its new width.
      const faults = () =>
        page.getByRole('gridcell').evaluateAll((cells) =>
          cells.flatMap((cell) => {
            const { width, height } = cell.querySelector('img')!.getBoundingClientRect();
            const covered = [...cell.querySelectorAll('a, button')].filter((part) => {
              const box = part.getBoundingClientRect();
              const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
              return box.bottom < innerHeight && !part.contains(top);
            });
            return [
              ...(Math.abs(width / height - 4 / 3) > 0.02 ? [`${width} to ${height}`] : []),
              ...covered.map((part) => part.ariaLabel),
            ];
          }),
        );
      await expect.poll(faults).toEqual([]);
    }
  });

  test('locks what may not be opened, in a gallery too, and asks for no picture of it', async ({
    filesIn,
    openAs,
    app,
    page,
  }) => {
    await (await filesIn('files')).put('listed only.txt', 'x');
    await page.addInitScript(() => localStorage.setItem('svc-view', 'gallery'));
    await openAs('dan', `${app.origin}/p/main/files`);
    await expect(tile(page, 'listed only.txt').getByText('You may not open this file')).toBeAttached();
  });

  test('is a gallery of many pictures: only those in view are asked for', async ({ openDemo, page }) => {
    const asked = new Set<string>();
    page.on('request', (request) => request.url().includes('/object/thumbnail') && asked.add(request.url()));
    await page.addInitScript(() => localStorage.setItem('svc-view', 'gallery'));
    await openDemo('ada', '/p/archive/swatches');
    await expect(picture(page, 'swatch 001.png')).toBeVisible();
    await page.waitForLoadState('networkidle');
    expect(asked.size).toBeLessThan(80);
    await grid(page).focus();
    await page.keyboard.press('End');
    await expect(picture(page, 'swatch 120.png')).toBeVisible();
  });

  test('is a gallery that is good to see', async ({ openDemo, page }) => {
    await page.addInitScript(() => localStorage.setItem('svc-view', 'gallery'));
    await openDemo('ada', '/p/main/photos?prefix=2025%2Fsummer%2F');
    await expect(picture(page, 'sunset #1.png')).toBeVisible();
    await tile(page, 'sunset #1.png').getByRole('checkbox').check();
    await expectGoodScreen(page, 'gallery', picture(page, 'sunset #1.png'));
  });
});

/** The name of the tile at this place. */
async function tileAt(page: Page, index: number): Promise<string | null> {
  return page.getByRole('gridcell').nth(index).getByRole('link').getAttribute('aria-label');
}
