import { readdirSync, readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { row } from '../support/page.ts';
import { core, test as base } from './fixtures.ts';

const test = base.extend<{ readonly go: (path: string) => Promise<void> }>({
  /** Opens a folder of the demo as Erik, an editor. */
  go: async ({ openDemo, page }, use) => {
    await use(async (path) => {
      await openDemo('erik', path);
      await expect(grid(page)).toBeVisible();
    });
  },
});

const grid = (page: Page) => page.getByRole('grid');
/** The names of what the folder shows, in order. */
const names = (page: Page) => page.getByRole('row').getByRole('link');

test.describe('the sidebar', () => {
  test('lists providers with their buckets, folds them and filters them', async ({ openDemo, page }) => {
    await openDemo('erik', '/');
    const sidebar = page.getByRole('navigation', { name: 'Storage' });
    await expect(sidebar.getByRole('link', { name: 'team-files' })).toBeVisible();
    await sidebar.getByRole('button', { name: 'Buckets of main' }).click();
    await expect(sidebar.getByRole('link', { name: 'team-files' })).toHaveCount(0);
    await sidebar.getByRole('textbox').fill('swat');
    await expect(sidebar.locator('a[href*="/p/"]')).toHaveText(['archive', 'swatches']);
  });
});

test.describe('a folder', () => {
  test('is walked into by clicks, and out again by breadcrumbs and Back', core, async ({ go, page }) => {
    await go('/p/main/team-files');
    await row(page, 'projects').getByRole('link').click();
    await row(page, 'apollo').getByRole('link').click();
    await expect(page.getByRole('heading', { name: 'apollo' })).toBeVisible();
    expect(new URL(page.url()).searchParams.get('prefix')).toBe('projects/apollo/');
    await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'projects' }).click();
    await expect(page.getByRole('heading', { name: 'projects' })).toBeVisible();
    await page.goBack();
    await expect(page.getByRole('heading', { name: 'apollo' })).toBeVisible();
  });

  test('opens with at most two requests', core, async ({ go, page }) => {
    await go('/p/main/team-files');
    await page.waitForLoadState('networkidle');
    const requests: string[] = [];
    page.on('request', (request) => request.url().includes('/api/') && requests.push(request.url()));
    await row(page, 'projects').getByRole('link').click();
    await expect(row(page, 'apollo')).toBeVisible();
    // A further request would have gone out before this one.
    await page.evaluate(() => fetch('/sign-in'));
    expect(requests.map((url) => new URL(url).pathname.split('/').at(-1)).sort()).toEqual(['objects', 'permissions']);
  });

  test('shows name, size, time and type in the locale of the reader', async ({ go, page }) => {
    await go('/p/archive/backups?prefix=2024%2F');
    const cells = await row(page, 'database.bin').getByRole('gridcell').allInnerTexts();
    expect(cells.slice(1, 5).map((text) => text.trim())).toEqual([
      expect.stringContaining('database.bin'),
      '262.1 kB',
      expect.stringMatching(/^\d{1,2} \w+ \d{4}, \d\d:\d\d$/),
      'BIN file',
    ]);
  });

  test('is linked with sort and filter, and sorted by a column', async ({ go, page }) => {
    await go('/p/archive/backups?prefix=2024%2F&sort=-size');
    await expect(names(page)).toHaveText(['database.bin', 'manifest.json', 'notes.txt']);
    await page.getByRole('button', { name: 'Size' }).click();
    await expect(page.getByRole('row').last().getByRole('link', { name: 'database.bin' })).toBeVisible();
    expect(new URL(page.url()).searchParams.get('sort')).toBe('size');
    await go('/p/archive/backups?prefix=2024%2F&filter=NOTES');
    await expect(names(page)).toHaveText(['notes.txt']);
  });

  test('jumps to any prefix, a part of a name included', async ({ go, page }) => {
    await go('/p/archive/swatches');
    await page.getByRole('button', { name: 'Go to a path' }).click();
    await page.getByRole('textbox', { name: 'Path in swatches' }).fill('swatch 11');
    await page.keyboard.press('Enter');
    await expect(page.getByText('10 items')).toBeVisible();
    await expect(names(page).first()).toHaveText('swatch 110.png');
  });

  test('gives the focus back to where it was when nobody goes to a path', async ({ go, page }) => {
    await go('/p/archive/swatches');
    await expect(names(page).first()).toBeVisible();
    const path = page.getByRole('textbox', { name: 'Path in swatches' });
    const button = page.getByRole('button', { name: 'Go to a path' });
    await button.focus();
    await page.keyboard.press('Enter');
    await expect(path).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(button).toBeFocused();
    await grid(page).focus();
    await page.keyboard.press('g');
    await expect(path).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(path).toBeHidden();
    await expect(grid(page)).toBeFocused();
  });

  test('says what could not be found', async ({ openDemo, page }) => {
    await openDemo('erik', '/p/main/no-such-bucket');
    await expect(page.getByRole('heading', { name: 'There is no such bucket' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Buckets of main' })).toBeVisible();
    expect(await page.getByRole('button', { name: /Upload|New folder|Load all/ }).count()).toBe(0);
  });

  for (const path of ['/p/nope/x', '/p/main/x', '/p/main/team-files?prefix=a%2F..%2F', '/p/NOPE!'])
    test(`says in plain words that nothing can be at ${path}`, async ({ openDemo, page }) => {
      await openDemo('erik', path);
      await expect(page.getByRole('heading', { name: 'There is nothing at this address' })).toBeVisible();
      await expect(page.getByRole('main')).toHaveText(/The link may be old, or mistyped\.Go to the home page$/);
    });

  test('shows an empty bucket as one, with the next step', async ({ openDemo, page }) => {
    await openDemo('erik', '/p/main/empty-bucket');
    await expect(page.getByRole('heading', { name: 'This bucket is empty' })).toBeVisible();
  });
});

test.describe('a folder of many keys', () => {
  test('says how much is loaded, reads on when scrolled, and loads all on request', async ({ go, page }) => {
    await go('/p/main/sensors?prefix=readings%2F');
    await expect(page.getByText(/loaded so far/)).toBeVisible();
    await grid(page).focus();
    await page.keyboard.press('End');
    await expect(page.getByText(/2,000 items|3,000 items/).first()).toBeVisible();
    const more = page.getByRole('button', { name: 'Load all' });
    // It may have read on by itself before the click.
    await expect(async () => {
      if (await more.isVisible()) await more.click({ timeout: 1_000 });
      await expect(page.getByText('3,000 items', { exact: true })).toBeVisible({ timeout: 1_000 });
    }).toPass();
    await expect.poll(() => page.getByRole('row').count()).toBeLessThan(80);
    await expect(grid(page)).toHaveAttribute('aria-rowcount', '3001');
    await page.keyboard.press('End');
    await expect(row(page, '03000.json')).toBeVisible();
  });

  test('says so when it filters or sorts only a part', async ({ go, openDemo, page }) => {
    await openDemo('erik', '/p/main/sensors?prefix=readings%2F&filter=02999');
    await expect(page.getByText('No name loaded so far contains')).toBeVisible();
    await page.getByRole('link', { name: 'Search all names that start with “02999”' }).click();
    await expect(row(page, '02999.json')).toBeVisible();
    await go('/p/main/sensors?prefix=readings%2F&sort=-size');
    await expect(page.getByText('1,000 items loaded so far, and sorted')).toBeVisible();
  });
});

test.describe('keys of every kind', () => {
  test('are shown, and their details are linked', async ({ go, openDemo, page }) => {
    await go('/p/main/team-files');
    await expect(names(page).first()).toBeVisible();
    for (const name of await names(page).allInnerTexts()) {
      const found = await page.getByRole('row').getByRole('link', { name: name.trim(), exact: true }).count();
      expect({ name, found }).toEqual({ name, found: 1 });
    }
    const prefix = '/lead//double/50% +#?&ü 🎉/';
    await openDemo('erik', `/p/main/team-files?${new URLSearchParams({ prefix }).toString()}`);
    await expect(page.getByRole('heading', { name: 'Nothing here' })).toBeVisible();
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' });
    await expect
      .poll(async () => (await crumbs.getByRole('listitem').allInnerTexts()).map((text) => text.trim()))
      .toEqual(['', '', 'lead', '/', 'double', '50% +#?&ü 🎉']);
    await crumbs.getByRole('button', { name: 'Parent folders' }).click();
    await expect.poll(() => page.getByRole('menuitem').allInnerTexts()).toEqual(['main', 'team-files', '/']);
    await page.getByRole('menuitem', { name: 'team-files' }).click();
    await expect(page.getByRole('heading', { name: 'team-files' })).toBeVisible();
    await crumbs.getByRole('link', { name: 'Home' }).click();
    await expect(page.getByRole('heading', { name: 'Home' })).toBeVisible();
  });
});

test.describe('the keyboard', () => {
  test(
    'moves by arrows, opens with Enter, goes up with Backspace, selects with Space and Shift',
    core,
    async ({ go, page }) => {
      await go('/p/archive/backups');
      await grid(page).focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await expect(page.getByRole('heading', { name: '2024' })).toBeVisible();
      await expect(row(page, 'database.bin')).toBeVisible();
      await page.keyboard.press('Space');
      await page.keyboard.press('Shift+ArrowDown');
      await expect(page.getByRole('toolbar', { name: 'Selection' }).getByText('2 selected')).toBeVisible();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Enter');
      await expect(page.getByRole('complementary', { name: 'Details of manifest.json' })).toBeVisible();
      expect(new URL(page.url()).searchParams.get('object')).toBe('2024/manifest.json');
      await page.keyboard.press('Escape');
      await expect(page.getByRole('complementary')).not.toBeAttached();
      await page.keyboard.press('Backspace');
      await expect(page.getByRole('heading', { name: 'backups' })).toBeVisible();
    },
  );

  test('filters with `/` and comes back to the rows with Enter', async ({ go, page }) => {
    await go('/p/archive/backups?prefix=2025%2F');
    await page.keyboard.press('/');
    await page.keyboard.type('notes');
    await page.keyboard.press('Enter');
    await expect(page.getByText('1 of 3 items')).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('complementary', { name: 'Details of notes.txt' })).toBeVisible();
  });

  test('asks before it deletes with Delete', async ({ go, page }) => {
    await go('/p/archive/backups?prefix=2025%2F');
    await grid(page).focus();
    await page.keyboard.press('Delete');
    await expect(page.getByRole('dialog', { name: /delete/i })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(row(page, 'database.bin')).toBeVisible();
  });

  test('closes a dialog over the details with Escape, and only then the details', async ({ go, page }) => {
    await page.setViewportSize({ width: 390, height: 800 });
    await go('/p/archive/backups?prefix=2025%2F&object=2025%2Fnotes.txt');
    const details = page.getByRole('dialog', { name: 'notes.txt' });
    const more = details.getByRole('button', { name: 'More actions on this object' });
    await more.click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await expect(page.getByRole('dialog', { name: 'Rename' }).getByRole('textbox')).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog', { name: 'Rename' })).toHaveCount(0);
    await expect(more).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(details).toHaveCount(0);
    await expect(grid(page)).toBeFocused();
  });

  test('goes anywhere with Ctrl-K, and helps with `?`', async ({ go, page }) => {
    await go('/p/archive/backups');
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('dialog', { name: 'Go to' })).toBeVisible();
    // Enter does nothing before the field has the focus.
    await page.keyboard.type('team');
    await expect(page.getByRole('textbox', { name: 'Go to' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'team-files' })).toBeVisible();
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('dialog', { name: 'Go to' })).toBeVisible();
    await page.keyboard.type('archive/backups/2023/');
    await expect(page.getByRole('textbox', { name: 'Go to' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: '2023' })).toBeVisible();
    await expect(page.getByRole('dialog')).not.toBeAttached();
    // The keys act on the rows of the new folder at once.
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('grid')).toBeFocused();
    const link = page.getByRole('navigation', { name: 'Storage' }).getByRole('link', { name: 'team-files' });
    await link.focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'team-files' })).toBeVisible();
    await expect(link).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('grid')).toBeFocused();
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
    await page.keyboard.press('Escape');
  });
});

test.describe('the first load', () => {
  test('leaves the code of previews and administration for later', () => {
    const assets = readdirSync(new URL('../../dist/web/assets/', import.meta.url));
    const html = readFileSync(new URL('../../dist/web/index.html', import.meta.url), 'utf8');
    for (const chunk of ['details-', 'admin-page-', 'keys-page-', 'palette-']) {
      expect(assets.some((name) => name.startsWith(chunk))).toBe(true);
      expect(html).not.toContain(chunk);
    }
  });
});

test.describe('on a phone', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });

  test('a folder of a provider with a longer name has every button on the screen', async ({ go, page }) => {
    await go('/p/archive/swatches');
    const buttons = page.getByRole('main').locator('header').locator('button, a');
    await expect(buttons.first()).toBeVisible();
    const ends = await buttons.evaluateAll((all) => all.map((button) => button.getBoundingClientRect().right));
    expect(Math.max(...ends)).toBeLessThanOrEqual(390);
  });
});
