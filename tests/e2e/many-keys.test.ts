import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.ts';
import { inBrowser, openAs } from '../support/browser.ts';
import { startStubStorage, type StubStorage } from '../support/stub-storage.ts';

type Provider = { endpoint: string };
type ManyKeys = { readonly app: TestApp; readonly storage: StubStorage; close(): Promise<void> };

let app: TestApp;
let storage: StubStorage;
let page: Page;

/** The service on storage that makes up folders of any size: each page of a listing is a request to the service, and one of it to storage. */
async function startManyKeys(): Promise<ManyKeys> {
  const stub = await startStubStorage();
  const started = await startApp({ config: (config) => ({ ...config, providers: (config['providers'] as Provider[]).map((provider) => ({ ...provider, endpoint: stub.url })) }) });
  return {
    app: started,
    storage: stub,
    close: async () => {
      await started.close();
      await stub.close();
    },
  };
}

inBrowser(startManyKeys, {
  begin: (started) => ({ app, storage } = started),
  each: (opened) => (page = opened),
});

const row = (name: string) => page.getByRole('row', { name });
const open = (prefix: string) => page.goto(`${app.origin}/p/main/files?prefix=${encodeURIComponent(prefix)}`);

/** `slow` frames took over 50 ms, other work of the machine included; `busyMs` is what the page itself needed for a frame, in processor time. */
type Frames = { readonly busyMs: number; readonly medianMs: number; readonly slow: number; readonly all: number };

/** Scrolls as a wheel does, then by jumps that replace every row. */
async function scroll(): Promise<Frames> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busySeconds = async () => (await devTools.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')!.value;
  const before = await busySeconds();
  const times = await page.evaluate(async () => {
    const scroller = document.querySelector('[role=grid]')!;
    const middle = scroller.scrollHeight / 2;
    const places = Array.from({ length: 180 }, (_, step) => (step < 120 ? step * 60 : step % 2 === 0 ? middle + step * 20 : step * 20));
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

describe('a folder of 100,000 keys', () => {
  it('is read by 100 requests, drawn by its visible rows, and scrolls like one of 1,000', async () => {
    await openAs(page, 'vic', `${app.origin}/p/main/files?prefix=1000%2F`);
    await row('000000.txt').waitFor();
    const few = await scroll();

    const before = storage.listings;
    let asked = 0;
    page.on('request', (request) => (asked += /\/objects\?/.test(request.url()) ? 1 : 0));
    await open('100000/');
    await row('000000.txt').waitFor();
    const firstPageListings = storage.listings - before;
    await page.getByRole('button', { name: 'Load all' }).click();
    await page.getByText('100,000 items', { exact: true }).waitFor({ timeout: 90_000 });
    expect([firstPageListings, storage.listings - before, asked]).toEqual([1, 100, 100]);

    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    await row('099999.txt').waitFor();
    await page.keyboard.press('Home');
    expect(await page.getByRole('row').count()).toBeLessThan(80);
    const many = await scroll();
    process.stdout.write(`scrolling: of 1,000 keys ${JSON.stringify(few)}, of 100,000 keys ${JSON.stringify(many)}\n`);
    expect(many.busyMs).toBeGreaterThan(0);
    expect(many.busyMs).toBeLessThan(few.busyMs * 2);
  }, 180_000);

  it('is loaded no further once another folder is opened', async () => {
    await openAs(page, 'vic', `${app.origin}/p/main/files?prefix=100000%2F`);
    await page.getByRole('button', { name: 'Load all' }).click();
    await page.getByRole('button', { name: 'Stop loading' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Go to' }).waitFor();
    await page.keyboard.type('main/files/90000/');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '90000' }).waitFor();
    await row('000000.txt').waitFor();
    const listings = storage.listings;
    await page.waitForTimeout(1_500);
    expect(storage.listings).toBe(listings);
    await page.getByText('1,000 items loaded so far').waitFor();
    await page.getByRole('button', { name: 'Load all' }).waitFor();
  }, 60_000);

  it('is loaded no further once the page shows no folder', async () => {
    const before = storage.listings;
    await openAs(page, 'vic', `${app.origin}/p/main/files?prefix=100000%2F`);
    await page.getByRole('button', { name: 'Load all' }).click();
    await page.getByRole('button', { name: 'Stop loading' }).waitFor();
    await page.getByRole('link', { name: 'svc' }).first().click();
    await page.getByRole('grid').waitFor({ state: 'detached' });
    await page.waitForTimeout(500);
    const { listings } = storage;
    await page.waitForTimeout(1_500);
    expect([storage.listings, listings - before < 100]).toEqual([listings, true]);
  }, 60_000);

  it('is filtered and sorted as a whole once it is loaded', async () => {
    await openAs(page, 'vic', `${app.origin}/p/main/files?prefix=100000%2F`);
    await page.getByRole('button', { name: 'Load all' }).click();
    await page.getByText('100,000 items', { exact: true }).waitFor({ timeout: 90_000 });
    await page.keyboard.press('/');
    await page.keyboard.type('9999');
    await page.getByText('19 of 100,000 items').waitFor();
    await page.getByRole('button', { name: 'Size' }).click();
    await page.getByRole('button', { name: 'Size' }).click();
    await page.getByRole('row').nth(1).getByText('099999.txt').waitFor();
  }, 180_000);
});
