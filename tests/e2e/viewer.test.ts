import { expect, type Page } from '@playwright/test';
import { wholeBrowser } from '../../playwright.config.ts';
import { pdf } from '../../scripts/demo/samples/pdf.ts';
import { blankPng, png } from '../../scripts/demo/samples/png.ts';
import { wav } from '../../scripts/demo/samples/wav.ts';
import { animatedGif } from '../support/animated-pictures.ts';
import { row } from '../support/page.ts';
import { test } from './fixtures.ts';
import { expectGoodScreen } from './views.ts';

test.use(wholeBrowser);

const viewer = (page: Page, name?: string) =>
  page.getByRole('dialog', { name: name === undefined ? /, full screen$/ : `${name}, full screen` });
const details = (page: Page, name: string) => page.getByRole('complementary', { name: `Details of ${name}` });
const widthOf = (page: Page, name: string) =>
  viewer(page)
    .getByRole('img', { name })
    .evaluate((image) => image.getBoundingClientRect().width);

test.describe('the viewer', () => {
  test.beforeEach(async ({ files, openFolder, page }) => {
    await files.put('shown/inside/x.txt', 'x');
    await files.put('shown/a.png', new Uint8Array(png(300, 200, (x, y) => [x % 256, y % 256, 90])), 'image/png');
    await files.put('shown/b.txt', 'a text to be read\n'.repeat(200), 'text/plain');
    await files.put(
      'shown/c.pdf',
      new Uint8Array(pdf([{ heading: 'Shown', lines: ['full screen'] }])),
      'application/pdf',
    );
    await files.put('shown/d.wav', new Uint8Array(wav([{ hertz: 440, seconds: 1 }])), 'audio/wav');
    await files.put('shown/e.bin', 'x', 'application/octet-stream');
    await openFolder('shown/');
    await expect(row(page, 'e.bin')).toBeVisible();
  });

  test('says that a picture is empty, and asks for none of its bytes, also beside it', async ({ files, page }) => {
    for (const name of ['a.png', 'b.png', 'c.png']) await files.put(`empty/${name}`, '', 'image/png');
    const reads: string[] = [];
    page.on('request', (request) => /\/object\?key=empty/.test(request.url()) && reads.push(request.method()));
    const { origin, pathname } = new URL(page.url());
    await page.goto(`${origin}${pathname}?prefix=empty%2F&object=empty%2Fa.png&full=1`);
    await expect(viewer(page, 'a.png').getByText('This file is empty.')).toBeVisible();
    await page.keyboard.press('ArrowRight');
    await expect(viewer(page, 'b.png').getByText('This file is empty.')).toBeVisible();
    expect(new Set(reads)).toEqual(new Set(['HEAD']));
  });

  test('says that a picture is loading while its line is slow', async ({ page }) => {
    const held = Promise.withResolvers<undefined>();
    await page.route(/\/object\?key=shown%2Fa\.png/, async (route) => {
      if (route.request().method() === 'GET') await held.promise;
      await route.continue();
    });
    await row(page, 'a.png').dblclick();
    const loading = viewer(page, 'a.png').getByRole('status', { name: 'Loading the preview' });
    await expect(loading).toBeVisible();
    held.resolve(undefined);
    await expect(viewer(page, 'a.png').getByRole('img', { name: 'a.png' })).toBeVisible();
    await expect(loading).toHaveCount(0);
  });

  test('is opened by Enter and double click, goes through the folder as it is shown, and gives it back as it was', async ({
    page,
  }) => {
    await row(page, 'b.txt').getByRole('checkbox').check();
    await row(page, 'a.png').getByRole('link').click();
    await expect(details(page, 'a.png')).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(viewer(page, 'a.png').getByRole('img', { name: 'a.png' })).toBeVisible();
    await expect(viewer(page)).toContainText('1 of 5');
    expect(new URL(page.url()).searchParams.get('full')).toBe('1');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowRight');
    await expect(viewer(page, 'b.txt').getByText('a text to be read').first()).toBeVisible();
    await page.keyboard.press('ArrowRight');
    await expect(viewer(page, 'c.pdf').locator('iframe')).toBeVisible();
    await viewer(page).getByRole('button', { name: 'Next' }).click();
    await expect(viewer(page, 'd.wav').locator('audio')).toBeVisible();
    await viewer(page).getByRole('button', { name: 'Next' }).click();
    await expect(viewer(page, 'e.bin').getByText('There is no preview')).toBeVisible();
    await page.keyboard.press('ArrowLeft');
    await page.reload();
    await expect(viewer(page, 'd.wav').locator('audio')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(viewer(page)).toHaveCount(0);
    await expect(details(page, 'd.wav')).toBeVisible();
    await expect(page.getByRole('grid')).toBeFocused();
    await expect(row(page, 'd.wav')).toHaveAttribute('data-active', 'true');

    await page.getByRole('button', { name: 'Close details' }).click();
    await row(page, 'a.png').dblclick();
    await expect(viewer(page, 'a.png')).toBeVisible();
    await page.goBack();
    await expect(viewer(page)).toHaveCount(0);
    await expect(details(page, 'a.png')).toBeVisible();
    await page.getByRole('button', { name: 'Open full screen' }).click();
    await expect(viewer(page, 'a.png')).toBeVisible();
    await viewer(page).getByRole('button', { name: 'Show details' }).click();
    await expect(details(page, 'a.png')).toBeVisible();
    await expect(viewer(page)).toHaveCount(0);
  });

  test('gives back the selection, and follows the order and the filter of the folder', async ({ page }) => {
    await row(page, 'b.txt').getByRole('checkbox').check();
    await row(page, 'a.png').dblclick();
    await expect(viewer(page, 'a.png')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('toolbar', { name: 'Selection' })).toContainText('1 selected');
    await page.getByRole('button', { name: 'Clear the selection' }).click();
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await page.keyboard.press('/');
    await page.keyboard.type('.p');
    await expect(row(page, 'b.txt')).toHaveCount(0);
    await row(page, 'c.pdf').dblclick();
    await expect(viewer(page, 'c.pdf')).toContainText('1 of 2');
    await viewer(page).getByRole('button', { name: 'Next' }).click();
    await expect(viewer(page, 'a.png')).toBeVisible();
  });

  test('zooms a picture by keys, buttons, wheel and double click, and moves it', async ({ page }) => {
    await row(page, 'a.png').dblclick();
    const image = viewer(page).getByRole('img', { name: 'a.png' });
    await expect(image).toBeVisible();
    await expect.poll(() => widthOf(page, 'a.png')).toBe(300);
    await page.keyboard.press('+');
    await expect.poll(() => widthOf(page, 'a.png')).toBe(450);
    await viewer(page).getByRole('button', { name: 'Zoom in' }).click();
    await expect.poll(() => widthOf(page, 'a.png')).toBe(675);
    await page.keyboard.press('0');
    await expect.poll(() => widthOf(page, 'a.png')).toBe(300);
    await image.hover();
    await page.mouse.wheel(0, -900);
    await expect.poll(() => widthOf(page, 'a.png')).toBeGreaterThan(3000);
    const before = await image.boundingBox();
    await page.mouse.down();
    await page.mouse.move(700, 500, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => image.boundingBox()).not.toEqual(before);
    await image.dblclick();
    await expect.poll(() => widthOf(page, 'a.png')).toBe(300);
  });

  test('leaves the details to the arrow keys', async ({ page }) => {
    await row(page, 'a.png').getByRole('link').click();
    await expect(details(page, 'a.png')).toBeVisible();
    await page.keyboard.press('ArrowDown');
    await expect(details(page, 'b.txt')).toBeVisible();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect(details(page, 'd.wav')).toBeVisible();
    await page.goBack();
    await expect(page.getByRole('complementary')).toHaveCount(0);
  });

  test('is opened by a click in a gallery, and Back closes it', async ({ page }) => {
    await page.getByRole('button', { name: 'View', exact: true }).click();
    await page.getByRole('menuitemradio', { name: 'Gallery' }).click();
    await page.getByRole('link', { name: 'a.png' }).click();
    await expect(viewer(page, 'a.png')).toBeVisible();
    await page.keyboard.press('ArrowRight');
    await expect(viewer(page, 'b.txt')).toBeVisible();
    await page.goBack();
    await expect(viewer(page)).toHaveCount(0);
    await expect(page.getByRole('gridcell').filter({ hasText: 'b.txt' })).toHaveAttribute('data-active', 'true');
    expect(new URL(page.url()).searchParams.has('object')).toBe(false);
  });
});

test('the viewer draws a picture that takes long only on request, and loads none of a type that takes long', async ({
  files,
  openFolder,
  page,
}) => {
  const loaded: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'GET') loaded.push(new URL(request.url()).searchParams.get('key') ?? '');
  });
  await files.put('long/a.txt', 'words to read', 'text/plain');
  await files.put('long/b.png', '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"/>', 'image/svg+xml');
  await files.put('long/c.png', blankPng(10_000, 5_001), 'image/png');
  await openFolder('long/');
  await row(page, 'a.txt').dblclick();
  await expect(viewer(page, 'a.txt').getByText('words to read')).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await expect(viewer(page, 'b.png').getByText('width="40"')).toBeVisible();
  expect(loaded.filter((key) => key === 'long/b.png')).toHaveLength(1);
  await page.keyboard.press('ArrowRight');
  await expect(viewer(page).getByText('This picture has 50 million pixels.')).toBeVisible();
  await expect(viewer(page).getByRole('img', { name: 'c.png' })).toHaveCount(0);
  await viewer(page).getByRole('button', { name: 'Draw picture' }).click();
  await expect(viewer(page).getByRole('img', { name: 'c.png' })).toBeVisible();
});

test('the viewer loads the shown picture, then those beside it, and none that is left', async ({
  files,
  openFolder,
  page,
}) => {
  for (const name of ['a', 'b', 'c', 'd', 'e']) await files.put(`beside/${name}.gif`, animatedGif(2), 'image/gif');
  const asked: string[] = [];
  const loading: string[] = [];
  await page.route(/object\?key=beside/, (route) => {
    const request = route.request();
    if (request.method() !== 'GET') return route.continue();
    const name = request.url().at(-5)!;
    asked.push(name);
    if (name === 'a') return route.continue();
    // It stays without an answer.
    loading.push(name);
    return undefined;
  });
  page.on('requestfailed', (request) => {
    const at = loading.indexOf(request.url().at(-5)!);
    if (request.method() === 'GET' && at !== -1) loading.splice(at, 1);
  });
  await openFolder('beside/');
  await row(page, 'a.gif').dblclick();
  await expect.poll(() => loading).toEqual(['b']);
  for (const left of [['b'], ['b', 'c'], ['c', 'd']]) {
    await page.keyboard.press('ArrowRight');
    await expect(viewer(page, `${left.at(-1)}.gif`)).toBeVisible();
    await expect.poll(() => loading).toEqual(left);
  }
  expect(asked).toEqual(['a', 'b', 'c', 'd']);
  await page.keyboard.press('Escape');
  // The details may be open, and then show what was viewed last.
  await expect.poll(() => loading.filter((name) => name !== 'd')).toEqual([]);
});

test('the viewer is good to see, with a picture and with a text', async ({ openDemo, page }) => {
  await openDemo('ada', '/p/main/photos?prefix=2025%2Fsummer%2F&object=2025%2Fsummer%2Fsunset+%231.png&full=1');
  await expectGoodScreen(page, 'viewer', viewer(page).getByRole('img', { name: 'sunset #1.png' }));
  await openDemo('ada', '/p/main/team-files?object=README.md&full=1');
  await expectGoodScreen(page, 'viewer of text', viewer(page).getByRole('heading').nth(1));
});
