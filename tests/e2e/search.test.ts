import { expect, type Page } from '@playwright/test';
import { row } from '../support/page.ts';
import { test } from './fixtures.ts';
import { expectGoodScreen } from './views.ts';

const found = (page: Page) => page.getByRole('list', { name: 'Found' }).getByRole('link');
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
    await found(page).filter({ hasText: 'archive / backups' }).first().click();
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
    expect(await found(page).count()).toBeGreaterThan(0);
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

  test('has no accessibility fault', async ({ openDemo, page }) => {
    await openDemo('ada', '/search?q=00&in=everywhere');
    await expect(page.getByRole('status').filter({ hasText: ' found, ' })).toBeVisible();
    await expectGoodScreen(page, 'search', found(page).first());
  });
});

test.describe('“Go to”', () => {
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
