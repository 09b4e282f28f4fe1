import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start.ts';
import { inBrowser, openAs, openPage } from '../support/browser.ts';
import { startDemoService } from '../support/demo-service.ts';

let demo: Demo;
let page: Page;

inBrowser(startDemoService, {
  begin: async (started, browser) => {
    demo = started;
    page = await openPage(browser);
    await openAs(page, 'erik', `${demo.url}/`);
    await page.getByRole('heading', { name: 'Storage' }).waitFor();
  },
});

const row = (name: string | RegExp) => page.getByRole('row', { name });
const grid = () => page.getByRole('grid');
const names = async () => (await page.getByRole('row').getByRole('link').allInnerTexts()).map((name) => name.trim());
const go = async (path: string) => {
  await page.goto(demo.url + path);
  await page.getByRole('grid').waitFor();
};

describe('the sidebar', () => {
  it('lists providers with their buckets, folds them and filters them', async () => {
    await page.goto(`${demo.url}/`);
    const sidebar = page.getByRole('navigation', { name: 'Storage' });
    await sidebar.getByRole('link', { name: 'team-files' }).waitFor();
    await sidebar.getByRole('button', { name: 'Buckets of main' }).click();
    expect(await sidebar.getByRole('link', { name: 'team-files' }).count()).toBe(0);
    await sidebar.getByRole('textbox').fill('swat');
    expect(await sidebar.locator('a[href*="/p/"]').allInnerTexts()).toEqual(['archive', 'swatches']);
  });
});

describe('a folder', () => {
  it('is walked into by clicks, and out again by breadcrumbs and Back', async () => {
    await go('/p/main/team-files');
    await row('projects').getByRole('link').click();
    await row('apollo').getByRole('link').click();
    await page.getByRole('heading', { name: 'apollo' }).waitFor();
    expect(new URL(page.url()).searchParams.get('prefix')).toBe('projects/apollo/');
    await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'projects' }).click();
    await page.getByRole('heading', { name: 'projects' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'apollo' }).waitFor();
  });

  it('opens with at most two requests', async () => {
    await go('/p/main/team-files');
    const requests: string[] = [];
    const note = (request: { url(): string }) => request.url().includes('/api/') && requests.push(request.url());
    page.on('request', note);
    await row('projects').getByRole('link').click();
    await row('apollo').waitFor();
    await page.waitForLoadState('networkidle');
    page.off('request', note);
    expect(requests.map((url) => new URL(url).pathname.split('/').at(-1)).sort()).toEqual(['objects', 'permissions']);
  });

  it('shows name, size, time and type in the locale of the reader', async () => {
    await go('/p/archive/backups?prefix=2024%2F');
    const cells = await row('database.bin').getByRole('gridcell').allInnerTexts();
    expect(cells.slice(1, 5).map((text) => text.trim())).toEqual([expect.stringContaining('database.bin'), '262.1 kB', expect.stringMatching(/^\d{1,2} \w+ \d{4}, \d\d:\d\d$/), 'BIN file']);
  });

  it('is linked with sort and filter, and sorted by a column', async () => {
    await go('/p/archive/backups?prefix=2024%2F&sort=-size');
    expect(await names()).toEqual(['database.bin', 'manifest.json', 'notes.txt']);
    await page.getByRole('button', { name: 'Size' }).click();
    await page.getByRole('row').last().getByRole('link', { name: 'database.bin' }).waitFor();
    expect(new URL(page.url()).searchParams.get('sort')).toBe('size');
    await go('/p/archive/backups?prefix=2024%2F&filter=NOTES');
    expect(await names()).toEqual(['notes.txt']);
  });

  it('jumps to any prefix, a part of a name included', async () => {
    await go('/p/archive/swatches');
    await page.getByRole('button', { name: 'Jump to a prefix' }).click();
    await page.getByRole('textbox', { name: 'Prefix in swatches' }).fill('swatch 11');
    await page.keyboard.press('Enter');
    await page.getByText('10 items').waitFor();
    expect((await names())[0]).toBe('swatch 110.png');
  });

  it('says what could not be found', async () => {
    await page.goto(`${demo.url}/p/main/no-such-bucket`);
    await page.getByRole('heading', { name: 'There is no such bucket' }).waitFor();
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    await page.getByRole('link', { name: 'Buckets of main' }).waitFor();
    expect(await page.getByRole('button', { name: /Upload|New folder|Load all/ }).count()).toBe(0);
  });

  it('shows an empty bucket as one, with the next step', async () => {
    await page.goto(`${demo.url}/p/main/empty-bucket`);
    await page.getByRole('heading', { name: 'This bucket is empty' }).waitFor();
  });
});

describe('a folder of many keys', () => {
  it('says how much is loaded, reads on when scrolled, and loads all on request', async () => {
    await go('/p/main/sensors?prefix=readings%2F');
    await page.getByText(/loaded so far/).waitFor();
    await grid().focus();
    await page.keyboard.press('End');
    await page.getByText(/2,000 items|3,000 items/).first().waitFor();
    const more = page.getByRole('button', { name: 'Load all' });
    if (await more.isVisible()) await more.click();
    await page.getByText('3,000 items', { exact: true }).waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(80);
    expect(await grid().getAttribute('aria-rowcount')).toBe('3001');
    await page.keyboard.press('End');
    await row('03000.json').waitFor();
  });

  it('says so when it filters or sorts only a part', async () => {
    await page.goto(`${demo.url}/p/main/sensors?prefix=readings%2F&filter=02999`);
    await page.getByText('Only what is loaded so far was looked at').waitFor();
    await page.getByRole('link', { name: 'Search all keys that start with “02999”' }).click();
    await row('02999.json').waitFor();
    await go('/p/main/sensors?prefix=readings%2F&sort=-size');
    await page.getByText('1,000 items loaded so far, and sorted').waitFor();
  });
});

describe('keys of every kind', () => {
  it('are shown, and their details are linked', async () => {
    await go('/p/main/team-files');
    for (const name of await names()) {
      const found = await page.getByRole('row').getByRole('link', { name, exact: true }).count();
      expect({ name, found }).toEqual({ name, found: 1 });
    }
    const prefix = '/lead//double/50% +#?&ü 🎉/';
    await page.goto(`${demo.url}/p/main/team-files?${new URLSearchParams({ prefix }).toString()}`);
    await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
    const crumbs = await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('listitem').allInnerTexts();
    expect(crumbs.map((text) => text.trim())).toEqual(['main', 'team-files', '/', 'lead', '/', 'double', '50% +#?&ü 🎉']);
  });
});

describe('the keyboard', () => {
  it('moves by arrows, opens with Enter, goes up with Backspace, selects with Space and Shift', async () => {
    await go('/p/archive/backups');
    await grid().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '2024' }).waitFor();
    await row('database.bin').waitFor();
    await page.keyboard.press('Space');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByRole('toolbar', { name: 'Selection' }).getByText('2 selected').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Details of manifest.json' }).waitFor();
    expect(new URL(page.url()).searchParams.get('object')).toBe('2024/manifest.json');
    await page.keyboard.press('Escape');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    await page.keyboard.press('Backspace');
    await page.getByRole('heading', { name: 'backups' }).waitFor();
  });

  it('filters with `/` and comes back to the rows with Enter', async () => {
    await go('/p/archive/backups?prefix=2025%2F');
    await page.keyboard.press('/');
    await page.keyboard.type('notes');
    await page.keyboard.press('Enter');
    await page.getByText('1 of 3 items').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Details of notes.txt' }).waitFor();
  });

  it('asks before it deletes with Delete', async () => {
    await go('/p/archive/backups?prefix=2025%2F');
    await grid().focus();
    await page.keyboard.press('Delete');
    await page.getByRole('dialog', { name: /delete/i }).waitFor();
    await page.keyboard.press('Escape');
    await row('database.bin').waitFor();
  });

  it('goes anywhere with Ctrl-K, and helps with `?`', async () => {
    await go('/p/archive/backups');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Go to' }).waitFor();
    await page.keyboard.type('team');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'team-files' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Go to' }).waitFor();
    await page.keyboard.type('archive/backups/2023/');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '2023' }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
  });
});

describe('the first load', () => {
  it('takes at most 250 kB of compressed script', () => {
    const web = new URL('../../dist/web/', import.meta.url);
    const html = readFileSync(new URL('index.html', web), 'utf8');
    const scripts = [...html.matchAll(/(?:src|href)="\.\/([^"]+\.js)"/g)].map(([, path]) => path ?? '');
    const bytes = scripts.reduce((sum, path) => sum + gzipSync(readFileSync(new URL(path, web))).length, 0);
    expect(scripts.length).toBeGreaterThan(1);
    expect(bytes).toBeLessThanOrEqual(250_000);
  });

  it('leaves the code of previews and administration for later', () => {
    const assets = readdirSync(new URL('../../dist/web/assets/', import.meta.url));
    const html = readFileSync(new URL('../../dist/web/index.html', import.meta.url), 'utf8');
    for (const chunk of ['details-', 'admin-page-', 'keys-page-', 'palette-']) {
      expect(assets.some((name) => name.startsWith(chunk))).toBe(true);
      expect(html).not.toContain(chunk);
    }
  });
});
