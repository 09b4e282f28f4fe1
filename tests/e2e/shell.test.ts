import { expect, type Page } from '@playwright/test';
import { dialog, row } from '../support/page.ts';
import { test } from './fixtures.ts';
import { expectGoodScreen } from './views.ts';

const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Storage' });

test.describe('the sidebar', () => {
  test('stays hidden over a reload, and the way back covers no row', async ({ openDemo, page }) => {
    await openDemo('erik', '/p/archive/swatches');
    await expect(page.getByRole('row').nth(1)).toBeVisible();
    await page.getByRole('button', { name: 'Hide the sidebar' }).click();
    await page.reload();
    await expect(page.getByRole('row').nth(1)).toBeVisible();
    await expect(sidebar(page)).toBeHidden();
    const show = page.getByRole('button', { name: 'Show the sidebar' });
    const [button, grid] = [(await show.boundingBox())!, (await page.getByRole('main').boundingBox())!];
    expect(button.x + button.width).toBeLessThanOrEqual(grid.x);
    await expectGoodScreen(page, 'hidden sidebar', page.getByRole('row').nth(1));
    await page.setViewportSize({ width: 1280, height: 800 });
    await show.click();
    await page.reload();
    await expect(sidebar(page)).toBeVisible();
  });

  test('leaves the focus on the button that brings it back, and that one on the other', async ({ openDemo, page }) => {
    await openDemo('erik', '/');
    const [hide, show] = ['Hide', 'Show'].map((verb) => page.getByRole('button', { name: `${verb} the sidebar` }));
    for (const key of ['Enter', 'Space']) {
      await hide!.press(key);
      await expect(show!).toBeFocused();
      await show!.press(key);
      await expect(hide!).toBeFocused();
    }
  });

  test('keeps over a reload which storage is folded', async ({ openDemo, page }) => {
    await openDemo('erik', '/');
    await expect(sidebar(page).getByRole('link', { name: 'backups' })).toBeVisible();
    await sidebar(page).getByRole('button', { name: 'Buckets of archive' }).click();
    await expect(sidebar(page).getByRole('link', { name: 'backups' })).toHaveCount(0);
    await page.reload();
    await expect(sidebar(page).getByRole('link', { name: 'team-files' })).toBeVisible();
    await expect(sidebar(page).getByRole('button', { name: 'Buckets of archive' })).toHaveAttribute(
      'aria-expanded',
      'false',
    );
  });
});

test('the sidebar has nothing beside it while buckets are read', async ({ openDemo, page }) => {
  await page.route('**/api/providers/main/buckets', () => undefined);
  await openDemo('erik', '/p/archive');
  const branch = sidebar(page).getByRole('button', { name: 'Buckets of main' });
  await expect(branch).toHaveAttribute('aria-expanded', 'true');
  await expect(page.getByRole('main').getByRole('link', { name: 'backups' })).toBeVisible();
  const beside = await branch.evaluate((element) => {
    let scrolled: Element | null = element;
    while (scrolled !== null && getComputedStyle(scrolled).overflowY !== 'auto') scrolled = scrolled.parentElement;
    return scrolled === null ? undefined : scrolled.scrollWidth - scrolled.clientWidth;
  });
  expect(beside).toBe(0);
});

test.describe('the palette', () => {
  test('begins with nothing typed each time, however soon it is opened again', async ({ openDemo, page }) => {
    await openDemo('erik', '/p/main/team-files');
    await expect(row(page, 'projects')).toBeVisible();
    const typed = dialog(page, 'Go to').getByRole('textbox');
    await page.keyboard.press('Control+k');
    await expect(typed).toBeFocused();
    await page.keyboard.type('photos');
    // Both keys before it has faded out.
    await typed.evaluate((field) => {
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
      document.documentElement.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'k', code: 'KeyK', ctrlKey: true, bubbles: true }),
      );
    });
    await expect(typed).toHaveValue('');
    await expect(typed).toBeFocused();
    await page.keyboard.type('sensors');
    await expect(typed).toHaveValue('sensors');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'sensors' })).toBeVisible();
    await page.keyboard.press('Control+k');
    await expect(typed).toHaveValue('');
  });

  test('finds what is in the open folder, and the pages that somebody may open', async ({ openDemo, page }) => {
    const goTo = async (text: string) => {
      await page.keyboard.press('Control+k');
      await expect(dialog(page, 'Go to').getByRole('textbox')).toBeFocused();
      await page.keyboard.type(text);
    };
    const found = (name: string | RegExp) => dialog(page, 'Go to').getByRole('button', { name });
    await openDemo('erik', '/p/main/team-files?sort=-name');
    await expect(row(page, 'README.md')).toBeVisible();
    await goTo('readm');
    await expectGoodScreen(page, 'palette with a file', found('README.md'));
    await page.keyboard.press('Enter');
    await expect(page.getByText('s3://team-files/README.md')).toBeVisible();
    await page.setViewportSize({ width: 1280, height: 800 });
    await goTo('rep');
    // Another test may have been there: a recent folder comes first, and says where it is.
    await found(/^reports$/).click();
    await expect(row(page, 'empty.txt')).toBeVisible();
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-name');
    await goTo('adm');
    await expect(found(/Search for/)).toBeVisible();
    await expect(found(/Administration/)).toHaveCount(0);
    await openDemo('ada', '/p/main/team-files');
    await expect(row(page, 'README.md')).toBeVisible();
    await goTo('audi');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('link', { name: 'Audit', exact: true })).toHaveAttribute('aria-current', 'page');
  });

  test('has what was typed while it was loaded, and the page has none of it', async ({ openDemo, page }) => {
    let load = () => {};
    const asked = new Promise<void>((resolve) => (load = resolve));
    await page.route(/\/assets\/palette-/, async (route) => {
      await asked;
      await route.continue();
    });
    await openDemo('erik', '/p/main/team-files');
    await row(page, 'README.md').getByRole('gridcell').nth(2).click();
    await expect(page.getByRole('complementary')).toBeVisible();
    await page.keyboard.press('Escape');
    const address = page.url();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Phott');
    await page.keyboard.press('Backspace');
    for (const key of ['Delete', 'ArrowDown', ' ', 'Enter']) await page.keyboard.press(key);
    load();
    const typed = dialog(page, 'Go to').getByRole('textbox');
    await page.keyboard.type('x');
    await expect(typed).toHaveValue('Phot x');
    await expect(typed).toBeFocused();
    await page.keyboard.type('y');
    await expect(typed).toHaveValue('Phot xy');
    expect(page.url()).toBe(address);
    await page.keyboard.press('Escape');
    await expect(dialog(page)).toHaveCount(0);
    await expect(page.getByText('1 selected')).toHaveCount(0);
    await expect(page.getByRole('grid')).toBeFocused();
    await page.keyboard.press(' ');
    await expect(page.getByText('1 selected')).toBeVisible();
  });

  test('is not waited for after Escape', async ({ openDemo, page }) => {
    await page.route(/\/assets\/palette-/, () => undefined);
    await openDemo('erik', '/p/main/team-files');
    await row(page, 'README.md').getByRole('gridcell').nth(2).click();
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('complementary')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('complementary')).toHaveCount(0);
    await page.keyboard.press(' ');
    await expect(page.getByText('1 selected')).toBeVisible();
  });
});

test.describe('colours that the reader chooses', () => {
  test('leave a sign of what is checked, selected and current', async ({ openDemo, page }) => {
    await page.emulateMedia({ forcedColors: 'active' });
    await openDemo('erik', '/p/main/team-files');
    await expect(row(page, 'projects')).toBeVisible();
    const box = row(page, 'projects').getByRole('checkbox');
    const unchecked = await box.screenshot();
    await box.check();
    await page.mouse.move(0, 0);
    expect(unchecked.equals(await box.screenshot())).toBe(false);
    await expect(row(page, 'projects')).toHaveCSS('outline-style', 'solid');
    await expect(row(page, 'notes')).toHaveCSS('outline-style', 'none');
    await expect(sidebar(page).getByRole('link', { name: 'team-files' })).toHaveCSS('outline-style', 'solid');
    await expect(sidebar(page).getByRole('link', { name: 'photos' })).toHaveCSS('outline-style', 'none');
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('dialog')).toHaveCSS('border-style', 'solid');
    await page.keyboard.press('Escape');
    await page.emulateMedia({ forcedColors: 'none', media: 'print' });
    await expect(sidebar(page)).toBeHidden();
    await expect(page.getByRole('button', { name: 'Upload files' })).toBeHidden();
    await expect(row(page, 'projects')).toBeVisible();
  });
});

test.describe('a reader elsewhere', () => {
  test.use({ locale: 'da-DK' });

  test('reads dates and numbers in the language of the page, in the order of their place', async ({
    openDemo,
    page,
  }) => {
    await openDemo('erik', '/p/archive/backups?prefix=2024%2F');
    await expect(row(page, 'database.bin')).toBeVisible();
    expect(await page.getAttribute('html', 'lang')).toBe('en');
    const cells = await row(page, 'database.bin').getByRole('gridcell').allInnerTexts();
    expect(cells[2]).toBe('262,1 kB');
    const title = await row(page, 'database.bin').getByRole('gridcell').nth(3).getAttribute('title');
    expect(title).toMatch(
      /^(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,? \d{1,2} (January|February|March|April|May|June|July|August|September|October|November|December) 20\d\d/,
    );
  });
});

test.describe('the details of a file that is not there', () => {
  test('say so, offer nothing to do with it, and ask storage once', async ({ openDemo, page }) => {
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'HEAD' && request.url().includes('gone.txt')) asked.push(request.url());
    });
    await openDemo('erik', '/p/archive/backups?prefix=2024%2F&object=2024%2Fgone.txt');
    const panel = page.getByRole('complementary', { name: 'Details of gone.txt' });
    await expect(panel.getByRole('heading', { name: 'There is no such file' })).toBeVisible();
    await expect(row(page, 'notes.txt')).toBeVisible();
    await expect(panel.getByRole('button', { name: /Download|Share|Delete|More actions/ })).toHaveCount(0);
    await page.waitForLoadState('networkidle');
    expect(asked).toHaveLength(1);
    await expectGoodScreen(page, 'missing file', page.getByRole('heading', { name: 'There is no such file' }));
  });
});

test('the UI can be installed as an application', async ({ openDemo, page }) => {
  await openDemo('erik', '/');
  await expect(page.getByRole('navigation', { name: 'Storage' })).toBeVisible();
  const cdp = await page.context().newCDPSession(page);
  const { url, errors, data } = await cdp.send('Page.getAppManifest');
  expect([new URL(url).pathname, errors, JSON.parse(data ?? '')]).toEqual([
    '/manifest.webmanifest',
    [],
    expect.objectContaining({ name: 'svc' }),
  ]);
  const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors');
  // A profile of a test is a private window, where nothing can be installed.
  expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);
});
