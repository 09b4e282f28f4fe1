import { expect, type Page } from '@playwright/test';
import { choose, dialog, row } from '../support/page.ts';
import { test } from './fixtures.ts';
import { expectGoodScreen } from './views.ts';

const grid = (page: Page) => page.getByRole('grid', { name: 'Found' });
const found = (page: Page) =>
  grid(page)
    .getByRole('row')
    .filter({ has: page.getByRole('checkbox', { name: /^Select (?!all)/ }) });
const selection = (page: Page) => page.getByRole('toolbar', { name: 'Selection' });
const box = (page: Page) => page.getByRole('textbox', { name: 'Search' });
const SEARCH = /\/search\?/;

test.describe('a search', () => {
  test('looks below the folder, in the bucket or everywhere, and leads to what it found', async ({
    openDemo,
    page,
  }) => {
    await openDemo('erik', '/p/main/team-files?prefix=projects%2F');
    await page.getByRole('link', { name: 'Search this folder and its subfolders' }).click();
    await box(page).fill('PLAN');
    await page.keyboard.press('Enter');
    await expect(found(page).first()).toHaveText(/plan\.md.*main \/ team-files \/ projects \/ apollo/);
    const below = await found(page).count();
    await page.getByText('In team-files', { exact: true }).click();
    await expect(page).toHaveURL(/in=bucket/);
    await expect.poll(() => found(page).count()).toBeGreaterThanOrEqual(below);
    await page.getByText('Everywhere', { exact: true }).click();
    await box(page).fill('notes.txt');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await expect(found(page).filter({ hasText: 'archive / backups' }).first()).toBeVisible();
    await found(page).filter({ hasText: 'archive / backups' }).first().getByRole('link').click();
    await expect(page.getByRole('complementary', { name: 'Details of notes.txt' })).toBeVisible();
  });

  test('is still there after Back, and is not asked again', async ({ openDemo, page }) => {
    await openDemo('erik', '/search?q=apollo&in=everywhere');
    await expect(page.getByRole('status').filter({ hasText: 'found' })).toHaveText(
      /^\d+ found, [\d,]+ names searched$/,
    );
    let asked = 0;
    page.on('request', (request) => (asked += SEARCH.test(request.url()) && request.url().includes('/api/') ? 1 : 0));
    await found(page)
      .filter({ hasText: /^apollo/ })
      .first()
      .getByRole('link')
      .click();
    await expect(page.getByRole('heading', { name: 'apollo' })).toBeVisible();
    await page.goBack();
    await expect(found(page).first()).toBeVisible();
    expect(asked).toBe(0);
  });

  test('shows nothing that one may not list', async ({ openDemo, page }) => {
    await openDemo('dana', '/search?q=salaries&in=everywhere');
    await expect(page.getByRole('heading', { name: 'Nothing was found' })).toBeVisible();
    await openDemo('erik', '/search?q=salaries&in=everywhere');
    await expect(found(page).first()).toHaveText(/^salaries/);
  });

  test('is narrowed by kind, size and time, with a link for each', async ({ files, bucket, openAs, app, page }) => {
    await Promise.all([files.put('shots/cat.png', 'x'), files.put('shots/cat.txt', 'x')]);
    await openAs('eve', `${app.origin}/search?q=cat&in=bucket&provider=main&bucket=${bucket}`);
    await expect(found(page)).toHaveCount(2);
    await page.getByRole('combobox', { name: 'Any kind' }).click();
    await page.getByRole('option', { name: 'Images' }).click();
    await expect(found(page)).toHaveText([/^cat\.png/]);
    await page.reload();
    await expect(found(page)).toHaveText([/^cat\.png/]);
    await page.getByRole('combobox', { name: 'Any time' }).click();
    await page.getByRole('option', { name: 'More than a year ago' }).click();
    await expect(page.getByRole('heading', { name: 'Nothing was found' })).toBeVisible();
  });

  test('finds by a tag, alone or beside the text, with a link for it', async ({
    files,
    bucket,
    openAs,
    signedIn,
    app,
    page,
  }) => {
    const eve = await signedIn(app.origin, 'eve');
    for (const [name, value] of [
      ['minutes.txt', 'approved, paid'],
      ['minutes of may.txt', 'draft'],
      ['letter.txt', 'approved, paid'],
    ] as const) {
      await files.put(`tagged/${name}`, 'x');
      const answer = await eve.request(
        `${app.origin}/api/providers/main/buckets/${bucket}/object/tags?key=${encodeURIComponent(`tagged/${name}`)}`,
        {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ tags: [{ key: 'state', value }] }),
        },
      );
      expect(answer.ok).toBe(true);
    }
    await openAs('eve', `${app.origin}/search?in=folder&provider=main&bucket=${bucket}&prefix=tagged%2F`);
    const tag = page.getByRole('textbox', { name: 'Tag' });
    await tag.fill('state=approved, paid');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await expect(found(page)).toHaveText([/^letter\.txt/, /^minutes\.txt/]);
    await box(page).fill('minutes');
    await tag.fill('state');
    // A filter asks with what was typed.
    await page.getByRole('combobox', { name: 'Any kind' }).click();
    await page.getByRole('option', { name: 'Text' }).click();
    await expect(found(page)).toHaveText([/^minutes of may\.txt/, /^minutes\.txt/]);
    await page.reload();
    await expect(tag).toHaveValue('state');
    await expect(found(page)).toHaveText([/^minutes of may\.txt/, /^minutes\.txt/]);
    await page.goBack();
    await expect(tag).toHaveValue('state=approved, paid');
    await expect(found(page)).toHaveText([/^letter\.txt/, /^minutes\.txt/]);
    await tag.fill('=paid');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await expect(page.getByText('The name is missing')).toBeVisible();
    await expect(found(page)).toHaveText([/^letter\.txt/, /^minutes\.txt/]);
  });

  test('is stopped, and goes on where it was', async ({ files, bucket, openAs, app, page }) => {
    await files.put('late/later.txt', 'x');
    await page.route(/\/api\/.*\/search\?/, () => new Promise(() => undefined));
    await openAs('eve', `${app.origin}/search?q=later&in=bucket&provider=main&bucket=${bucket}`);
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect(page.getByText('Not everything was searched')).toBeVisible();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect(found(page)).toHaveText([/^later\.txt/]);
  });

  test('says which place could not be searched, and shows what the others have', async ({ openDemo, page }) => {
    await page.route(/\/buckets\/photos\/search\?/, (route) => route.abort());
    await openDemo('erik', '/search?q=plan&in=everywhere');
    await expect(page.getByRole('alert').filter({ hasText: '“photos” could not be searched' })).toBeVisible();
    await expect(found(page).first()).toBeVisible();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByRole('alert')).toHaveCount(0);
  });

  test('says so when its answer is cut off', async ({ openDemo, page }) => {
    await page.route(/\/buckets\/team-files\/search\?/, (route) =>
      route.fulfill({
        contentType: 'application/x-ndjson',
        body: '{"object":{"key":"cut.txt","size":1,"etag":"e","last_modified":"2026-01-01T00:00:00Z"}}\n',
      }),
    );
    await openDemo('erik', '/search?q=cut&in=bucket&provider=main&bucket=team-files');
    await expect(page.getByRole('alert').filter({ hasText: 'could not be searched' })).toBeVisible();
    await expect(found(page)).toHaveText([/^cut\.txt/]);
  });

  test('marks what it looked for in the names', async ({ openDemo, page }) => {
    await openDemo('erik', '/search?q=PLAN&in=everywhere');
    await expect(found(page).first().locator('mark')).toHaveText(['plan']);
    await openDemo('erik', '/search?q=apollo%2Fplan&in=everywhere');
    await expect(found(page).first().locator('mark')).toHaveText(['plan']);
  });

  test('has no accessibility fault', async ({ openDemo, page }) => {
    await openDemo('ada', '/search?q=00&in=everywhere');
    await expect(page.getByRole('status').filter({ hasText: ' found, ' })).toBeVisible();
    await expectGoodScreen(page, 'search', found(page).first());
  });
});

test.describe('what a search found', () => {
  const chosen = (page: Page) => page.getByRole('row', { selected: true }).getByRole('link').allInnerTexts();
  const names = ['acts/one/act-a.txt', 'acts/one/act-b.txt', 'acts/two/act-c.txt', 'acts/two/act-d.txt'];

  test.beforeEach(async ({ files, bucket, openAs, app, page }) => {
    for (const name of await files.keys('acts/')) await files.remove(name);
    for (const name of names) await files.put(name, name);
    await openAs('eve', `${app.origin}/search?q=act-&in=folder&provider=main&bucket=${bucket}&prefix=acts%2F`);
    await expect(found(page)).toHaveCount(4);
  });

  test('is selected with the mouse and with the keyboard, as in a folder', async ({ page }) => {
    const before = await found(page).nth(0).boundingBox();
    await found(page).nth(0).getByRole('checkbox').check();
    await expect(selection(page)).toBeVisible();
    expect(await found(page).nth(0).boundingBox()).toEqual(before);
    await found(page)
      .nth(2)
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] });
    await expect.poll(() => chosen(page)).toEqual(['act-a.txt', 'act-b.txt', 'act-c.txt']);
    await expect(selection(page)).toContainText('3 selected');
    await page.keyboard.press('Escape');
    await expect(selection(page)).not.toBeAttached();
    await box(page).press('ArrowDown');
    await expect(grid(page)).toBeFocused();
    await page.keyboard.press('End');
    await page.keyboard.press('Shift+ArrowUp');
    await expect.poll(() => chosen(page)).toEqual(['act-c.txt', 'act-d.txt']);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('complementary', { name: 'Details of act-c.txt' })).toBeVisible();
    await page.goBack();
    await expect(selection(page)).toContainText('2 selected');
    await expect.poll(() => chosen(page)).toEqual(['act-c.txt', 'act-d.txt']);
  });

  test('is downloaded, one or many, and shared', async ({ page }) => {
    const one = page.waitForEvent('download');
    await choose(page, 'act-a.txt', 'Download');
    expect((await one).suggestedFilename()).toBe('act-a.txt');
    await choose(page, 'act-b.txt', 'Share link');
    await dialog(page, 'Share link').getByRole('button', { name: 'Create and copy' }).click();
    await expect(dialog(page).getByRole('textbox', { name: 'Link' })).toHaveValue(/act-b\.txt/);
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    const zip = page.waitForRequest((request) => request.url().endsWith('/archive'));
    await selection(page).getByRole('button', { name: 'Download as ZIP' }).click();
    expect((await zip).postDataJSON()).toMatchObject({ keys: names, name: 'acts.zip' });
  });

  test('leaves the list when it is deleted, and moves under its own name', async ({ files, page }) => {
    await found(page).nth(0).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await expect(found(page)).toHaveCount(3);
    await found(page).nth(0).getByRole('checkbox').check();
    await found(page).nth(1).getByRole('checkbox').check();
    await selection(page).getByRole('button', { name: 'More actions on the selection' }).click();
    await page.getByRole('menuitem', { name: 'Move to…' }).click();
    await dialog(page).getByRole('button', { name: 'acts', exact: true }).first().click();
    await dialog(page).getByRole('button', { name: 'Move here' }).click();
    await expect(found(page)).toHaveCount(1);
    await expect.poll(() => files.keys('acts/')).toEqual(['acts/act-b.txt', 'acts/act-c.txt', 'acts/two/act-d.txt']);
  });

  test('offers what policy allows on each row', async ({ openDemo, page }) => {
    await openDemo('dana', '/search?q=plan.md&in=everywhere');
    const secret = found(page).filter({ hasText: 'secret plan.md' });
    await expect(secret).toContainText('You may not open this file');
    await secret.click({ button: 'right' });
    await expect(page.getByRole('menuitem', { name: 'No actions available' })).toBeVisible();
    await page.keyboard.press('Escape');
    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    await selection(page).getByRole('button', { name: 'Delete' }).click();
    await expect(dialog(page)).toContainText('You may not do this with “secret plan.md”. It is left out.');
  });

  test('of several buckets is acted on in one of them', async ({ openDemo, page }) => {
    await openDemo('erik', '/search?q=notes&in=everywhere');
    await expect(page.getByRole('status').filter({ hasText: ' found, ' })).toBeVisible();
    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    await expect(selection(page).getByRole('button', { name: 'Download as ZIP' })).toHaveCount(0);
    await selection(page)
      .getByRole('button', { name: /in backups$/ })
      .click();
    await expect(selection(page).getByRole('button', { name: /^Download/ })).toBeVisible();
    for (const row of await page.getByRole('row', { selected: true }).all())
      await expect(row).toContainText('/ backups');
  });
});

test.describe('a filter that matches nothing in the folder', () => {
  const filter = (page: Page) => page.getByRole('textbox', { name: 'Filter by name' });

  test.beforeEach(async ({ files, openFolder, page }) => {
    for (const key of ['sieve/top.txt', 'sieve/deep/er/needle.txt']) await files.put(key, 'x');
    await openFolder('sieve/');
    await expect(row(page, 'top.txt')).toBeVisible();
  });

  test('searches below it at once, and leads to what it found and back', async ({ page }) => {
    await filter(page).fill('NEEDLE');
    await expect(
      page.getByText('No name in this folder contains “NEEDLE”. Its subfolders are searched too.'),
    ).toBeVisible();
    await expect(found(page)).toHaveText([/^needle\.txt.*search \/ sieve \/ deep \/ er/]);
    await filter(page).press('Enter');
    await page.keyboard.press('Space');
    await expect(selection(page)).toContainText('1 selected');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('complementary', { name: 'Details of needle.txt' })).toBeVisible();
    await page.goBack();
    await expect(found(page)).toHaveCount(1);
    await expect(selection(page)).toHaveText(/1 selected/);
    await page.getByRole('button', { name: 'Clear the filter' }).last().click();
    await expect(row(page, 'top.txt')).toBeVisible();
    await expect(selection(page)).not.toBeAttached();
  });

  test('leads to the same search everywhere', async ({ files, page }) => {
    await files.put('beyond/outside.txt', 'x');
    await filter(page).fill('outside');
    await page.getByRole('link', { name: 'Search everywhere' }).click();
    await expect(page).toHaveURL(/\/search\?q=outside&in=everywhere&/);
    await expect(found(page)).toHaveText([/^outside\.txt.*search \/ beyond/]);
  });

  test('is stopped, and ends its search when the text changes', async ({ page }) => {
    await page.route(/\/api\/.*\/search\?/, () => new Promise(() => undefined));
    await filter(page).fill('needle');
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect(page.getByText('Not everything was searched')).toBeVisible();
    const asked = page.waitForRequest((request) => request.url().includes('q=needl&'));
    await filter(page).fill('needl');
    await asked;
    const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('q=needl&'));
    await filter(page).fill('top');
    await ended;
    await expect(row(page, 'top.txt')).toBeVisible();
  });
});

test.describe('“Go to”', () => {
  const option = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name });

  const typed = async (page: Page, text: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await page
      .getByRole('searchbox', { name: 'Go to' })
      .or(page.getByRole('textbox', { name: 'Go to' }))
      .fill(text);
    await page.keyboard.press('Enter');
  };

  test('searches for what is no name of a place', async ({ openDemo, page }) => {
    await openDemo('erik', '/p/main/team-files?prefix=projects%2F');
    await expect(row(page, 'apollo')).toBeVisible();
    await typed(page, 'plan.md');
    await expect(found(page).first()).toHaveText(/^plan\.md/);
    await expect(page).toHaveURL(/in=folder/);
  });

  test('shows folders and files as they are found, for the keyboard', async ({ openDemo, page }) => {
    await openDemo('erik', '/');
    await expect(page.getByRole('navigation', { name: 'Storage' })).toBeVisible();
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Go to' }).fill('apollo');
    await expect(option(page, 'apollo main / team-files / projects')).toBeVisible();
    await page.getByRole('textbox', { name: 'Go to' }).fill('plan.md');
    await expect(option(page, 'plan.md main / team-files / projects / apollo').first()).toBeVisible();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('complementary', { name: 'Details of plan.md' })).toBeVisible();
  });

  test('ends its search when the text changes', async ({ openDemo, page }) => {
    await openDemo('erik', '/');
    await expect(page.getByRole('navigation', { name: 'Storage' })).toBeVisible();
    await page.route(/\/api\/.*\/search\?/, () => new Promise(() => undefined));
    await page.keyboard.press('Control+k');
    const asked = page.waitForRequest((request) => request.url().includes('q=apol&'));
    await page.getByRole('textbox', { name: 'Go to' }).fill('apol');
    await asked;
    const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('q=apol&'));
    await page.getByRole('textbox', { name: 'Go to' }).fill('a');
    await ended;
  });

  test('opens an address that was pasted', async ({ openDemo, page }) => {
    await openDemo('erik', '/');
    await expect(
      page.getByRole('navigation', { name: 'Storage' }).getByRole('link', { name: 'backups' }),
    ).toBeVisible();
    await typed(page, 's3://backups/2024/notes.txt');
    await expect(page.getByRole('complementary', { name: 'Details of notes.txt' })).toBeVisible();
    await typed(page, new URL('/p/main/photos?prefix=2025%2F', page.url()).href);
    await expect(page.getByRole('heading', { name: '2025' })).toBeVisible();
    await typed(page, 'main/team-files/projects/');
    await expect(page.getByRole('heading', { name: 'projects' })).toBeVisible();
  });
});
