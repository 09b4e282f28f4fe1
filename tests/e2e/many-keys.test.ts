import { expect, type Page } from '@playwright/test';
import { startApp, type TestApp } from '../support/app.ts';
import { dialog, row } from '../support/page.ts';
import { startStubStorage, type StubStorage } from '../support/stub-storage.ts';
import { test } from './fixtures.ts';

/** The service on storage that makes up folders of any size: each page of a listing is a request to the service, and one of it to storage. */
let app: TestApp;
let storage: StubStorage;

type Provider = { endpoint: string };

test.beforeAll(async () => {
  storage = await startStubStorage();
  app = await startApp({
    config: (config) => ({
      ...config,
      providers: (config['providers'] as Provider[]).map((provider) => ({ ...provider, endpoint: storage.url })),
    }),
  });
});
test.afterAll(async () => {
  await app.close();
  await storage.close();
});

/** The address of a folder of as many keys as its name says. */
const folder = (count: number) => `${app.origin}/p/main/files?prefix=${count}%2F`;

/** `slow` frames took over 50 ms, other work of the machine included; `busyMs` is what the page itself needed for a frame, in processor time. */
type Frames = { readonly busyMs: number; readonly medianMs: number; readonly slow: number; readonly all: number };

/** Scrolls as a wheel does, then by jumps that replace every row. */
async function scroll(page: Page): Promise<Frames> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busySeconds = async () =>
    (await devTools.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')!.value;
  const before = await busySeconds();
  const times = await page.evaluate(async () => {
    const scroller = document.querySelector('[role=grid]')!;
    const middle = scroller.scrollHeight / 2;
    const places = Array.from({ length: 180 }, (_, step) =>
      step < 120 ? step * 60 : step % 2 === 0 ? middle + step * 20 : step * 20,
    );
    const taken: number[] = [];
    let last = performance.now();
    for (const place of places) {
      scroller.scrollTop = place;
      await new Promise(requestAnimationFrame);
      taken.push(performance.now() - last);
      last = performance.now();
    }
    return taken.sort((a, b) => a - b);
  });
  const busyMs = (((await busySeconds()) - before) * 1_000) / times.length;
  return { busyMs, medianMs: times[times.length / 2]!, slow: times.filter((ms) => ms > 50).length, all: times.length };
}

/** As long as the page takes for ten pages of a listing. */
async function tenListings(page: Page): Promise<void> {
  for (let i = 0; i < 10; i += 1)
    await page.request.get(`${app.origin}/api/providers/main/buckets/files/objects?prefix=1000%2F`);
}

async function expectNoMoreListings(page: Page): Promise<void> {
  const before = storage.listings;
  await tenListings(page);
  expect(storage.listings - before).toBe(10);
}

test.describe('a folder of 100,000 keys', () => {
  test('is read by 100 requests, drawn by its visible rows, scrolls like one of 1,000, and is filtered and sorted as a whole', async ({
    openAs,
    page,
  }) => {
    test.slow();
    await openAs('vic', folder(1_000));
    await expect(row(page, '000000.txt')).toBeVisible();
    const few = await scroll(page);

    const before = storage.listings;
    let asked = 0;
    page.on('request', (request) => (asked += /\/objects\?/.test(request.url()) ? 1 : 0));
    await page.goto(folder(100_000));
    await expect(row(page, '000000.txt')).toBeVisible();
    const firstPageListings = storage.listings - before;
    await page.getByRole('button', { name: 'Load all' }).click();
    await expect(page.getByText('100,000 items', { exact: true })).toBeVisible({ timeout: 120_000 });
    expect([firstPageListings, storage.listings - before, asked]).toEqual([1, 100, 100]);

    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    await expect(row(page, '099999.txt')).toBeVisible();
    await page.keyboard.press('Home');
    await expect.poll(() => page.getByRole('row').count()).toBeLessThan(80);
    const many = await scroll(page);
    process.stdout.write(`scrolling: of 1,000 keys ${JSON.stringify(few)}, of 100,000 keys ${JSON.stringify(many)}\n`);
    expect(many.busyMs).toBeGreaterThan(0);
    expect(many.busyMs).toBeLessThan(few.busyMs * 5);

    await page.keyboard.press('/');
    await page.keyboard.type('9999');
    await expect(page.getByText('19 of 100,000 items')).toBeVisible();
    await page.getByRole('button', { name: 'Size' }).click();
    await page.getByRole('button', { name: 'Size' }).click();
    await expect(page.getByRole('row').nth(1).getByText('099999.txt')).toBeVisible();
  });

  for (const [motion, reducedMotion] of [
    ['with motion', 'no-preference'],
    ['with less motion', 'reduce'],
  ] as const) {
    test(`stands still while more of it arrives above, in the order from Z to A, ${motion}`, async ({
      openAs,
      page,
    }) => {
      await page.emulateMedia({ reducedMotion });
      await openAs('vic', `${folder(3_000)}&sort=-name`);
      await expect(row(page, '000999.txt')).toBeVisible();
      await page.getByRole('grid').focus();
      await page.keyboard.press('End');
      for (let up = 0; up < 5; up += 1) await page.keyboard.press('ArrowUp');
      await expect(row(page, '000005.txt')).toHaveAttribute('data-active');
      const before = (await row(page, '000005.txt').boundingBox())!.y;
      await expect(page.getByText('1,000 items loaded so far')).toBeVisible();
      await page.getByRole('button', { name: 'Load all' }).click();
      await expect(page.getByText('3,000 items', { exact: true })).toBeVisible();
      await expect(row(page, '000005.txt')).toHaveAttribute('data-active');
      await expect.poll(async () => (await row(page, '000005.txt').boundingBox())!.y).toBeCloseTo(before, 0);
      await page.getByRole('grid').press('ArrowUp');
      await expect(row(page, '000006.txt')).toHaveAttribute('data-active');
    });
  }

  test('is not taken for a ZIP of chosen files, of which there may be 1,000', async ({ openAs, page }) => {
    const asked: unknown[] = [];
    await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'));
    await page.route(/\/archive$/, async (route) => {
      asked.push(route.request().postDataJSON());
      await route.abort();
    });
    await openAs('vic', folder(3_000));
    await expect(row(page, '000000.txt')).toBeVisible();
    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    await page.getByRole('button', { name: 'Select all in this folder' }).click();
    await expect(page.getByText('All 3,000 items in this folder are selected.')).toBeVisible();
    await row(page, '000000.txt').getByRole('checkbox').click();
    await page.getByRole('button', { name: 'Download as ZIP' }).click();
    await expect(page.getByText('Too many items for one ZIP')).toBeVisible();
    expect(asked).toEqual([]);
    await row(page, '000000.txt').getByRole('checkbox').click();
    await page.getByRole('button', { name: 'Download as ZIP' }).click();
    await expect.poll(() => asked).toMatchObject([{ keys: [], prefixes: ['3000/'] }]);
  });

  test('is loaded no further once another folder is opened', async ({ openAs, page }) => {
    await openAs('vic', folder(100_000));
    await page.getByRole('button', { name: 'Load all' }).click();
    await expect(page.getByRole('button', { name: 'Stop loading' })).toBeVisible();
    await page.keyboard.press('Control+k');
    await expect(dialog(page, 'Go to')).toBeVisible();
    await page.keyboard.type('main/files/90000/');
    await expect(page.getByRole('textbox', { name: 'Go to' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: '90000' })).toBeVisible();
    await expect(row(page, '000000.txt')).toBeVisible();
    await expectNoMoreListings(page);
    await expect(page.getByText('1,000 items loaded so far')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Load all' })).toBeVisible();
  });

  test('is loaded no further once the page shows no folder', async ({ openAs, page }) => {
    const before = storage.listings;
    await openAs('vic', folder(100_000));
    await page.getByRole('button', { name: 'Load all' }).click();
    await expect(page.getByRole('button', { name: 'Stop loading' })).toBeVisible();
    await page.getByRole('link', { name: 'svc' }).first().click();
    await expect(page.getByRole('grid')).not.toBeAttached();
    // A page that was under way may still arrive.
    await tenListings(page);
    await expectNoMoreListings(page);
    expect(storage.listings - before).toBeLessThan(100);
  });
});
