import { readdirSync, readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { choose, dialog, row, tray, upload } from '../support/page.ts';
import { test } from './fixtures.ts';

const FOLDER = '/p/main/team-files';
const TEXT = { name: 'README.md', mimeType: 'text/markdown', buffer: Buffer.from('text') };
const web = new URL('../../src/web/', import.meta.url);

type Scene = { readonly path: string; readonly act?: (page: Page) => Promise<unknown> };

/** What the first two load comes before the page. Without what the others load, text is shown plain. */
const NO_PARTS: ReadonlySet<string> = new Set([
  'main.ts',
  'words/words.ts',
  'preview/use-rendered.ts',
  'preview/text-worker.ts',
]);

async function openParquet(page: Page): Promise<void> {
  await upload(page, { name: 'part.parquet', mimeType: 'application/octet-stream', buffer: Buffer.from('x') });
  await row(page, 'part.parquet').getByRole('link').click();
}

/** Answers as a bucket that keeps versions would, which the storage of the demo does not have. */
async function answerVersions(page: Page, versions: readonly object[]): Promise<void> {
  await page.route(/\/info$/, (route) =>
    route.fulfill({
      json: { versioning: 'enabled', object_lock: false, can_list_versions: true, kept_days: null },
    }),
  );
  await page.route(/\/versions\?/, (route) =>
    route.fulfill({
      json: {
        versions: versions.map((version, index) => ({
          version: `v${index}`,
          etag: null,
          last_modified: '2026-01-01T00:00:00.000Z',
          storage_class: null,
          ...version,
        })),
        prefixes: [],
        next_cursor: null,
      },
    }),
  );
}

const openViews = (page: Page): Promise<void> => page.getByRole('button', { name: 'View', exact: true }).click();

/** What of the UI is loaded when it is needed, by the name of its file, and how people come to need it. */
const PARTS: Readonly<Record<string, Scene>> = {
  messages: { path: FOLDER },
  'session-popover': { path: '/keys', act: (page) => page.getByRole('button', { name: 'Session of' }).click() },
  'dialog-provider': { path: FOLDER, act: (page) => page.getByRole('button', { name: 'New folder' }).click() },
  menus: { path: FOLDER, act: openViews },
  'menu-beside': { path: FOLDER, act: openViews },
  'navigation-drawer': {
    path: FOLDER,
    act: async (page) => {
      await page.setViewportSize({ width: 390, height: 800 });
      await page.getByRole('button', { name: 'Open navigation' }).click();
      await page.setViewportSize({ width: 1280, height: 800 });
    },
  },
  'details-panel': { path: FOLDER, act: (page) => row(page, 'README.md').getByRole('link').click() },
  'home-page': { path: '/' },
  'provider-page': { path: '/p/main' },
  'admin-page': { path: '/admin' },
  'keys-page': { path: '/keys' },
  'search-page': { path: '/search' },
  'create-bucket': { path: '/', act: (page) => page.getByRole('button', { name: 'Create bucket in main' }).click() },
  'delete-bucket': {
    path: '/p/main',
    act: async (page) => {
      await page.getByRole('button', { name: 'Actions on team-files' }).click();
      await page.getByRole('menuitem', { name: 'Delete bucket' }).click();
    },
  },
  'folder-watch': { path: FOLDER },
  'found-below': { path: `${FOLDER}?filter=apollo` },
  'folder-size': { path: FOLDER, act: (page) => choose(page, 'projects', 'Calculate size') },
  'restore-folder': {
    path: FOLDER,
    act: async (page) => {
      await page.getByRole('button', { name: 'More actions on this folder' }).click();
      await page.getByRole('menuitem', { name: 'Restore this folder to…' }).click();
    },
  },
  'new-folder': { path: FOLDER, act: (page) => page.getByRole('button', { name: 'New folder' }).click() },
  'watched-folders': {
    path: '/keys',
    act: async (page) => {
      // As in the desktop application.
      await page.addInitScript(
        'window.svcDesktop = { unfinishedDownloads: async () => [], unfinishedUploads: async () => [] }',
      );
      await page.reload();
      await page.getByRole('button', { name: 'Session of' }).click();
      await page.getByRole('button', { name: 'Watched folders' }).click();
    },
  },
  download: { path: FOLDER, act: (page) => choose(page, 'README.md', 'Download') },
  'copy-link': { path: FOLDER, act: (page) => choose(page, 'README.md', 'Copy link') },
  'share-link': { path: FOLDER, act: (page) => choose(page, 'README.md', 'Share link') },
  rename: { path: FOLDER, act: (page) => choose(page, 'README.md', 'Rename') },
  'copy-move': { path: FOLDER, act: (page) => choose(page, 'README.md', 'Move to…') },
  'cut-and-paste': { path: FOLDER, act: (page) => choose(page, 'README.md', 'Cut') },
  'dragged-rows': {
    path: FOLDER,
    act: async (page) => {
      await row(page, 'README.md').hover();
      await page.mouse.down();
      await row(page, 'projects').hover();
    },
  },
  undelete: {
    path: FOLDER,
    act: async (page) => {
      await answerVersions(page, [
        { key: 'lost.txt', is_latest: true, is_delete_marker: true, size: 0 },
        { key: 'lost.txt', is_latest: false, is_delete_marker: false, size: 4 },
      ]);
      await openViews(page);
      await page.getByRole('menuitemcheckbox', { name: 'Show deleted' }).click();
      await choose(page, 'lost.txt', 'Restore');
    },
  },
  'delete-entries': { path: FOLDER, act: (page) => choose(page, 'README.md', 'Delete') },
  palette: { path: FOLDER, act: (page) => page.getByRole('button', { name: 'Go to…' }).first().click() },
  'keyboard-help': { path: FOLDER, act: (page) => page.keyboard.press('?') },
  'open-editor': { path: FOLDER, act: (page) => choose(page, 'README.md', 'Edit') },
  'conflict-view': {
    path: FOLDER,
    act: async (page) => {
      await upload(page, { name: 'part.txt', mimeType: 'text/plain', buffer: Buffer.from('mine') });
      await choose(page, 'part.txt', 'Edit');
      await page.getByRole('textbox', { name: 'Text of part.txt' }).press('x');
      await page.evaluate(() =>
        fetch('/api/providers/main/buckets/team-files/object?key=part.txt', { method: 'PUT', body: 'theirs' }),
      );
      await page.keyboard.press('ControlOrMeta+s');
    },
  },
  compare: {
    path: FOLDER,
    act: async (page) => {
      await answerVersions(page, [
        { key: 'README.md', is_latest: true, is_delete_marker: false, size: 4 },
        { key: 'README.md', is_latest: false, is_delete_marker: false, size: 4 },
      ]);
      await row(page, 'README.md').getByRole('link').click();
      await page.getByRole('button', { name: 'Show versions' }).click();
      await page.getByRole('button', { name: /^Compare/ }).click();
    },
  },
  properties: {
    path: FOLDER,
    act: async (page) => {
      await row(page, 'README.md').getByRole('link').click();
      await page.getByRole('button', { name: 'Edit properties' }).click();
    },
  },
  details: { path: FOLDER, act: (page) => row(page, 'README.md').getByRole('link').click() },
  viewer: { path: `${FOLDER}?object=README.md&full=1` },
  'gallery-line': {
    path: FOLDER,
    act: async (page) => {
      await openViews(page);
      await page.getByRole('menuitemradio', { name: 'Gallery' }).click();
    },
  },
  'markdown-preview': { path: `${FOLDER}?object=README.md` },
  'text-preview': { path: `${FOLDER}?object=README.md` },
  'zip-preview': {
    path: FOLDER,
    act: async (page) => {
      await upload(page, { name: 'part.zip', mimeType: 'application/zip', buffer: Buffer.from('x') });
      await row(page, 'part.zip').getByRole('link').click();
    },
  },
  'svg-preview': {
    path: FOLDER,
    act: async (page) => {
      await upload(page, { name: 'part.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') });
      await row(page, 'part.svg').getByRole('link').click();
    },
  },
  'parquet-preview': { path: FOLDER, act: openParquet },
  'parquet-worker': { path: FOLDER, act: openParquet },
  'csv-preview': { path: `${FOLDER}?prefix=reports%2F&object=reports%2Fregions.tsv` },
  'csv-worker': { path: `${FOLDER}?prefix=reports%2F&object=reports%2Fregions.tsv` },
  'tray-panel': {
    path: FOLDER,
    act: async (page) => {
      await page.route(/\/object\?/, (route) => route.abort());
      await upload(page, TEXT);
    },
  },
  'tools-page': { path: '/tools' },
  'conflict-dialog': { path: FOLDER, act: (page) => upload(page, TEXT) },
};

test.describe('a part of the page that cannot be loaded', () => {
  test('is known here, each of them', () => {
    const sources = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter(
      (name) => /\.tsx?$/.test(name) && !NO_PARTS.has(name),
    );
    const parts = sources.flatMap((name) =>
      [...readFileSync(new URL(name, web), 'utf8').matchAll(/(?:import|new URL)\('\.[^']*\/([\w-]+)\.tsx?'/g)].map(
        ([, part]) => part,
      ),
    );
    expect(Object.keys(PARTS).sort()).toEqual([...new Set(parts)].sort());
  });

  test('leaves text plain, where it is the worker that highlights', async ({ openDemo, page }) => {
    await page.route(/\/assets\/text-worker-[^/]*\.js$/, (route) => route.abort());
    await openDemo('ada', `${FOLDER}?object=README.md`);
    await expect(page.getByText('# Team files')).toBeVisible();
  });

  for (const [part, { path, act }] of Object.entries(PARTS)) {
    test(`is answered with a way to reload: ${part}`, async ({ openDemo, page }) => {
      await page.route(new RegExp(`/assets/${part}-[^/]*\\.js$`), (route) => route.abort());
      await openDemo('ada', path);
      await expect(
        page.getByRole('navigation', { name: 'Storage' }).getByRole('link', { name: 'team-files' }),
      ).toBeVisible();
      await act?.(page);
      const told = page.getByRole('alert').filter({ hasText: 'A new version is available' });
      await expect(told).toBeVisible();
      await expect(told.getByRole('button', { name: 'Reload' })).toBeVisible();
      await expect(
        page.getByRole('navigation', { name: 'Storage' }).getByRole('link', { name: 'team-files' }),
      ).toBeVisible();
    });
  }

  test('is there after Reload', async ({ openDemo, page }) => {
    await page.route(/\/assets\/keys-page-/, (route) => route.abort());
    await openDemo('erik', '/keys');
    const reload = page.getByRole('button', { name: 'Reload' });
    await expect(reload).toBeVisible();
    await page.unrouteAll();
    await reload.click();
    await expect(page.getByRole('heading', { name: 'API keys', exact: true })).toBeVisible();
  });

  test('does not end an upload, and says that it goes on', async ({ openFolder, files, page }) => {
    await page.route(/\/assets\/palette-/, (route) => route.abort());
    await openFolder('kept/');
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: 200_000,
    });
    await upload(page, { name: 'slow.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(1_000_000) });
    await page.getByRole('button', { name: 'Go to…' }).first().click();
    await expect(page.getByRole('alert').filter({ hasText: 'Your uploads continue in the meantime' })).toBeVisible();
    await expect(tray(page).getByText('Uploaded 1 file').filter({ visible: true }).first()).toBeVisible();
    expect(await files.keys('kept/')).toEqual(['kept/slow.bin']);
  });
});

const PAGES = ['/', '/p/main', FOLDER, `${FOLDER}?object=README.md`, '/admin', '/keys'];

/** A request to the service, without what differs from one to the next. */
const routeOf = (method: string, url: string) => `${method} ${new URL(url).pathname}`;

test.describe('a request that gets no answer', () => {
  for (const path of PAGES) {
    test(`leaves ${path} with its frame, and is told`, async ({ openDemo, page }) => {
      test.slow();
      const routes = new Set<string>();
      page.on(
        'request',
        (request) =>
          /\/(api|v1|rpc)\b/.test(new URL(request.url()).pathname) &&
          routes.add(routeOf(request.method(), request.url())),
      );
      await openDemo('ada', path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await page.waitForLoadState('networkidle');
      expect(routes.size).toBeGreaterThan(3);
      for (const lost of routes) {
        await page.route(
          (url) =>
            routes.has(`GET ${url.pathname}`) ||
            routes.has(`POST ${url.pathname}`) ||
            routes.has(`HEAD ${url.pathname}`),
          (route) =>
            routeOf(route.request().method(), route.request().url()) === lost ? route.abort() : route.fallback(),
        );
        await page.reload();
        // Of rows in bulk: the rows stand, and each is asked about when its menu is opened.
        if (lost.startsWith('POST') && lost.endsWith('/permissions')) {
          await row(page, 'README.md').getByRole('button', { name: 'Actions on README.md' }).click();
          await expect(page.getByRole('menuitem', { name: 'Delete' }), lost).toBeVisible();
        } else {
          await expect(
            page
              .getByText(/could not be|did not answer/)
              .filter({ visible: true })
              .first(),
            `${lost}: the page tells that this request got no answer`,
          ).toBeVisible();
        }
        await page.unrouteAll({ behavior: 'ignoreErrors' });
      }
    });
  }

  const CLICKS: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
    Refresh: (page) => page.getByRole('button', { name: 'Refresh' }).click(),
    'a folder': (page) => row(page, 'projects').getByRole('link').click(),
    'a file': (page) => row(page, 'README.md').getByRole('link').click(),
    'the menu of a folder': (page) =>
      row(page, 'projects').getByRole('button', { name: 'Actions on projects' }).click(),
    Download: (page) => choose(page, 'README.md', 'Download'),
    'Share link': async (page) => {
      await choose(page, 'README.md', 'Share link');
      await dialog(page).getByRole('button', { name: 'Create and copy' }).click();
    },
    Rename: async (page) => {
      await choose(page, 'README.md', 'Rename');
      await dialog(page).getByRole('textbox').fill('other.md');
      await dialog(page).getByRole('button', { name: 'Rename' }).click();
    },
    Delete: async (page) => {
      await choose(page, 'README.md', 'Delete');
      await dialog(page).getByRole('button', { name: 'Delete' }).click();
    },
    'New folder': async (page) => {
      await page.getByRole('button', { name: 'New folder' }).click();
      await dialog(page).getByRole('textbox').fill('other');
      await dialog(page).getByRole('button', { name: 'Create folder' }).click();
    },
    'a page of the administration': async (page) => {
      await page.getByRole('link', { name: 'Administration' }).click();
      await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'Policies' }).click();
    },
    'another bucket': (page) =>
      page.getByRole('navigation', { name: 'Storage' }).getByRole('link', { name: 'photos' }).click(),
  };

  for (const [what, click] of Object.entries(CLICKS)) {
    test(`is told after a click on ${what}`, async ({ openDemo, page }) => {
      // A dialog that moves while it is clicked can lose the click.
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await openDemo('ada', FOLDER);
      await expect(row(page, 'README.md')).toBeVisible();
      await page.waitForLoadState('networkidle');
      await page.route(/\/(api|rpc)\b/, (route) => route.abort());
      await click(page);
      await expect(
        page
          .getByText(/could not be|did not answer|was not/)
          .filter({ visible: true })
          .first(),
      ).toBeVisible();
    });
  }

  test('marks the rows that a failed refresh left standing, until it succeeds', async ({ openDemo, page }) => {
    await openDemo('erik', FOLDER);
    await expect(row(page, 'README.md')).toBeVisible();
    await page.route(/\/objects\?/, (route) => route.abort());
    await page.getByRole('button', { name: 'Refresh' }).click();
    const mark = page.getByRole('alert').filter({ hasText: 'This could not be refreshed' });
    await expect(mark).toBeVisible();
    await expect(row(page, 'README.md')).toBeVisible();
    await page.unrouteAll();
    await mark.getByRole('button', { name: 'Try again' }).click();
    await expect(mark).toHaveCount(0);
  });
});

test.describe('a browser without a network', () => {
  test('says so above the page for as long as it lasts', async ({ openDemo, page, context }) => {
    await openDemo('erik', FOLDER);
    await expect(row(page, 'README.md')).toBeVisible();
    await context.setOffline(true);
    await expect(page.getByText('You are offline.')).toBeVisible();
    await context.setOffline(false);
    await expect(page.getByText('You are offline.')).toHaveCount(0);
  });
});
