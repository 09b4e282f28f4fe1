import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.ts';
import { inBrowser, openAs, openPage } from '../support/browser.ts';
import { filesOf, type Files } from '../support/files.ts';

let app: TestApp;
let files: Files;
let browser: Browser;
let page: Page;

inBrowser(startApp, {
  begin: async (started, launched) => {
    app = started;
    browser = launched;
    files = filesOf(app, await app.signIn('ada'), 'files');
  },
  each: (opened) => (page = opened),
});

const objectPath = (key: string) => `/api/providers/main/buckets/files/object?key=${encodeURIComponent(key)}`;
let svg: string;

beforeAll(async () => {
  svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><script href="${app.origin}${objectPath('evil.js')}"/><rect width="40" height="20"/></svg>`;
  // What runs in this origin can leave a note here, from whichever tab.
  await files.put('evil.js', "localStorage.setItem('ran', globalThis.constructor.name); globalThis.postMessage?.('ran')", 'text/javascript');
  await files.put('evil.svg', svg, 'image/svg+xml');
});

/** Opens an address in a real new tab, as a link of the page does, and waits until it is shown or saved. */
async function openInNewTab(address: string): Promise<void> {
  const opened = page.context().waitForEvent('page');
  await page.evaluate((href) => {
    const link = document.createElement('a');
    Object.assign(link, { href: new URL(href, location.href).href, target: '_blank', rel: 'opener' });
    document.body.append(link);
    link.click();
  }, address);
  const tab = await opened;
  await Promise.race([tab.waitForLoadState('load'), tab.waitForEvent('download'), tab.waitForEvent('close')]).catch(() => undefined);
  // The script of a document runs before its load event; a script that is still under way would have been asked for by then.
  await page.waitForLoadState('networkidle');
}

async function openFolder(): Promise<void> {
  await openAs(page, 'ada', `${app.origin}/p/main/files`);
  await page.getByRole('link', { name: 'evil.js' }).waitFor();
}

const ran = () => page.evaluate(() => localStorage.getItem('ran'));

/** Loads the object as a script of the page itself, and as a worker. */
const load = (path: string) =>
  page.evaluate(async (address) => {
    const url = new URL(address, location.href).href;
    const asScript = await new Promise((resolve) => {
      const script = Object.assign(document.createElement('script'), { src: url, onload: () => resolve('ran'), onerror: () => resolve('refused') });
      document.body.append(script);
    });
    const asWorker = await new Promise((resolve) => {
      try {
        Object.assign(new Worker(url), { onmessage: () => resolve('ran'), onerror: () => resolve('refused') });
      } catch {
        resolve('refused');
      }
    });
    return { asScript, asWorker };
  }, path);

describe('a script that lies in a bucket', () => {
  it('does not run when the preview of an SVG that loads it is opened in a tab', async () => {
    await openAs(page, 'ada', `${app.origin}/p/main/files?object=evil.svg`);
    await page.waitForFunction(() => document.querySelector<HTMLImageElement>('[aria-label=Preview] img')?.naturalWidth === 40);
    const source = await page.evaluate(() => document.querySelector<HTMLImageElement>('[aria-label=Preview] img')!.src);
    await openInNewTab(source);
    expect(await ran()).toBeNull();
    expect(source).toBe(app.origin + objectPath('evil.svg'));
  });

  it('does not run in a document that a page of ours makes', async () => {
    await openFolder();
    for (const [type, text] of [['image/svg+xml', svg], ['text/html', `<script src="${app.origin}${objectPath('evil.js')}"></script>`]] as const) {
      await openInNewTab(await page.evaluate(([blobType, body]) => URL.createObjectURL(new Blob([body], { type: blobType })), [type, text] as const));
      expect([type, await ran()]).toEqual([type, null]);
    }
  });

  it('is no script and no worker of the UI and of the reference', async () => {
    await openFolder();
    expect(await load(objectPath('evil.js'))).toEqual({ asScript: 'refused', asWorker: 'refused' });
    await page.goto(`${app.origin}/api/docs`);
    await page.getByText('/api/auth/login').first().waitFor();
    expect(await load(objectPath('evil.js'))).toEqual({ asScript: 'refused', asWorker: 'refused' });
  });

  it('is refused to a page that no policy holds back', async () => {
    const context = await browser.newContext({ bypassCSP: true });
    try {
      page = await context.newPage();
      await openFolder();
      expect(await load(objectPath('evil.js'))).toEqual({ asScript: 'refused', asWorker: 'refused' });
      await page.evaluate((url) => document.body.append(Object.assign(document.createElement('embed'), { src: url })), objectPath('evil.svg'));
      await openInNewTab(await page.evaluate((body) => URL.createObjectURL(new Blob([body], { type: 'image/svg+xml' })), svg));
      expect(await ran()).toBeNull();
    } finally {
      await context.close();
    }
  });
});

describe('the UI without its own scripts', () => {
  it('still begins in the colours that were chosen', async () => {
    const view = await openPage(browser, { colorScheme: 'dark' });
    await view.goto(`${app.origin}/signed-out`);
    expect(await view.evaluate(() => document.documentElement.dataset['mantineColorScheme'])).toBe('dark');
    await view.context().close();
  });
});
