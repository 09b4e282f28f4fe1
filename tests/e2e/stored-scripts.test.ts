import { expect, type Page } from '@playwright/test';
import { test as base } from './fixtures.ts';

type Stored = {
  /** The address of a script in the bucket. Wherever it runs in the origin of the service, it leaves a note in the storage of the browser. */
  readonly script: string;
  /** A picture that loads the script; `evil.svg` in the bucket. */
  readonly svg: string;
};

const test = base.extend<{ readonly stored: Stored }>({
  stored: async ({ app, bucket, files }, use) => {
    const script = `${app.origin}/api/providers/main/buckets/${bucket}/object?key=evil.js`;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><script href="${script}"/><rect width="40" height="20"/></svg>`;
    await files.put(
      'evil.js',
      "localStorage.setItem('ran', globalThis.constructor.name); globalThis.postMessage?.('ran')",
      'text/javascript',
    );
    await files.put('evil.svg', svg, 'image/svg+xml');
    await use({ script, svg });
  },
});

/** Opens an address in a real new tab, as a link of the page does, and waits until it is shown or saved. */
async function openInNewTab(page: Page, address: string): Promise<void> {
  const opened = page.context().waitForEvent('page');
  // What is saved is no document any more. Chromium without windows tells of no download here.
  const saved = page.context().waitForEvent('requestfailed', (request) => request.isNavigationRequest());
  await page.evaluate((href) => {
    const link = document.createElement('a');
    Object.assign(link, { href: new URL(href, location.href).href, target: '_blank', rel: 'opener' });
    document.body.append(link);
    link.click();
  }, address);
  const tab = await opened;
  await Promise.race([tab.waitForLoadState('load'), saved]).catch(() => undefined);
  // The script of a document runs before its load event; one that is still under way has been asked for by then.
  await tab.waitForLoadState('networkidle').catch(() => undefined);
}

const expectFolder = (page: Page) => expect(page.getByRole('link', { name: 'evil.js' })).toBeVisible();

/** What the script has left, if it ran. */
const note = (page: Page) => page.evaluate(() => localStorage.getItem('ran'));

/** Loads an address as a script of the page itself, and as a worker. */
const load = (page: Page, url: string) =>
  page.evaluate(async (address) => {
    const asScript = await new Promise((resolve) => {
      const script = Object.assign(document.createElement('script'), {
        src: address,
        onload: () => resolve('ran'),
        onerror: () => resolve('refused'),
      });
      document.body.append(script);
    });
    const asWorker = await new Promise((resolve) => {
      try {
        Object.assign(new Worker(address), { onmessage: () => resolve('ran'), onerror: () => resolve('refused') });
      } catch {
        resolve('refused');
      }
    });
    return { asScript, asWorker };
  }, url);

const REFUSED = { asScript: 'refused', asWorker: 'refused' };

/** The address of a document that the page itself makes. */
const blobOf = (page: Page, type: string, text: string) =>
  page.evaluate(([blobType, body]) => URL.createObjectURL(new Blob([body], { type: blobType })), [type, text] as const);

test.describe('a script that lies in a bucket', () => {
  test('does not run when the preview of an SVG that loads it is opened in a tab', async ({
    app,
    bucket,
    openAs,
    page,
    stored,
  }) => {
    await openAs('ada', `${app.origin}/p/main/${bucket}?object=evil.svg`);
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByRole('button', { name: 'Draw picture' }).click();
    const image = preview.getByRole('img');
    await expect(image).toHaveJSProperty('naturalWidth', 40);
    const source = (await image.getAttribute('src'))!;
    await openInNewTab(page, source);
    expect(await note(page)).toBeNull();
    expect(new URL(source, app.origin).href).toBe(stored.script.replace('evil.js', 'evil.svg'));
  });

  test('does not run in a document that a page of ours makes', async ({ openFolder, page, stored }) => {
    await openFolder('', 'ada');
    await expectFolder(page);
    for (const [type, text] of [
      ['image/svg+xml', stored.svg],
      ['text/html', `<script src="${stored.script}"></script>`],
    ] as const) {
      await openInNewTab(page, await blobOf(page, type, text));
      expect([type, await note(page)]).toEqual([type, null]);
    }
  });

  test('is no script and no worker of the UI and of the reference', async ({ app, openFolder, page, stored }) => {
    await openFolder('', 'ada');
    await expectFolder(page);
    expect(await load(page, stored.script)).toEqual(REFUSED);
    await page.goto(`${app.origin}/api/docs`);
    await expect(page.getByText('/api/auth/login').first()).toBeVisible();
    expect(await load(page, stored.script)).toEqual(REFUSED);
  });

  test.describe('to a page that no policy holds back', () => {
    test.use({ bypassCSP: true });

    test('is refused', async ({ openFolder, page, stored }) => {
      await openFolder('', 'ada');
      await expectFolder(page);
      expect(await load(page, stored.script)).toEqual(REFUSED);
      await page.evaluate(
        (url) => document.body.append(Object.assign(document.createElement('embed'), { src: url })),
        stored.script.replace('evil.js', 'evil.svg'),
      );
      await openInNewTab(page, await blobOf(page, 'image/svg+xml', stored.svg));
      expect(await note(page)).toBeNull();
    });
  });
});

test.describe('the UI without its own scripts', () => {
  test('still begins in the colours that were chosen', async ({ app, page }) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(`${app.origin}/signed-out`);
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  });
});
