import { expect } from '@playwright/test';
import { row } from '../support/page.ts';
import { test } from './fixtures.ts';
import { expectGoodScreen } from './views.ts';

test.use({ locale: 'de-AT' });

test.describe('in German', () => {
  test('the page speaks the language of the browser, down to dates, sizes and refusals', async ({ openDemo, page }) => {
    await openDemo('erik', '/p/main/team-files?prefix=projects%2Fapollo%2F');
    await expect(page.locator('html')).toHaveAttribute('lang', 'de');
    await expect(row(page, 'plan.md').first()).toContainText(/\d{1,2}\.\s?\p{L}+\.? \d{4}|\d{2}\.\d{2}\.\d{4}/u);
    await expect(page.getByRole('button', { name: 'Dateien hochladen' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Aktualisieren' })).toBeVisible();
    await row(page, 'plan.md').first().click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Löschen' }).click();
    await expect(page.getByRole('dialog', { name: '„plan.md“ löschen?' })).toBeVisible();
    await page.getByRole('button', { name: 'Abbrechen' }).click();
    await expectGoodScreen(page, 'german-folder', page.getByRole('grid'));
    await openDemo('dana', '/p/main/team-files?prefix=hr%2F');
    await expect(page.getByRole('heading', { name: 'Sie haben hier keinen Zugriff' })).toBeVisible();
  });

  test('a problem that the service explains in English is told by what its code means', async ({ openDemo, page }) => {
    await page.route('**/api/providers/archive/buckets', (route) =>
      route.fulfill({
        status: 502,
        contentType: 'application/problem+json',
        body: JSON.stringify({
          type: 'urn:svc:problem:storage_unavailable',
          title: 'Storage unavailable',
          status: 502,
          code: 'storage_unavailable',
          detail: 'storage provider `archive` refuses the connection',
          request_id: 'r',
        }),
      }),
    );
    await openDemo('erik', '/');
    await expect(page.getByRole('main').getByRole('alert')).toContainText(
      'Der Speicheranbieter ist zurzeit nicht zu erreichen.',
    );
    await expectGoodScreen(page, 'german-home', page.getByRole('list', { name: 'Speicheranbieter' }));
  });

  test('every page of the administration has its tab in view', async ({ openDemo, page }) => {
    await openDemo('ada', '/admin');
    const tabs = page.getByRole('navigation', { name: 'Verwaltung' }).getByRole('link');
    await expect(tabs).toHaveCount(12);
    for (const tab of await tabs.all()) await expect(tab).toBeInViewport({ ratio: 1 });
    const heights = await tabs.evaluateAll((all) => all.map((tab) => tab.getBoundingClientRect().top));
    expect(new Set(heights).size).toBe(1);
  });

  test('the viewer has its buttons at the sides, and on a phone the transfers are above the selection bar', async ({
    files,
    openFolder,
    page,
  }) => {
    for (const name of ['a', 'b', 'c']) await files.put(`sides/${name}.txt`, name, 'text/plain');
    await openFolder('sides/');
    await page.goto(`${page.url()}&object=sides%2Fb.txt&full=1`);
    const leftOf = async (name: string) => (await page.getByRole('button', { name }).boundingBox())!.x;
    await expect.poll(async () => (await leftOf('Nächste')) - (await leftOf('Vorherige'))).toBeGreaterThan(600);
    await openFolder('sides/');
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Dateien hochladen' }).click();
    await (await chooser).setFiles({ name: 'd.txt', mimeType: 'text/plain', buffer: Buffer.from('d') });
    await expect(row(page, 'd.txt')).toBeVisible();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('checkbox', { name: 'a.txt auswählen' }).check();
    const bottomOfTray = async () => {
      const { y, height } = (await page.getByRole('region', { name: 'Übertragungen' }).boundingBox())!;
      return y + height;
    };
    const topOfBar = async () => (await page.getByRole('toolbar', { name: 'Auswahl' }).boundingBox())!.y;
    await expect.poll(async () => (await topOfBar()) - (await bottomOfTray())).toBeGreaterThanOrEqual(0);
  });

  test('somebody can choose another language, before and after signing in, and it stays', async ({
    openDemo,
    demo,
    page,
  }) => {
    await page.goto(`${demo.url}/signed-out`);
    await expect(page.getByRole('heading', { name: 'Sie sind abgemeldet' })).toBeVisible();
    await page.getByRole('button', { name: 'English' }).click();
    await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible();
    await openDemo('erik', '/');
    await expect(page.getByRole('heading', { name: 'Home' })).toBeVisible();
    await page.getByRole('button', { name: /Session of/ }).click();
    await page.getByRole('radiogroup', { name: 'Language' }).getByText('Deutsch').click();
    await expect(page.getByRole('heading', { name: 'Start' })).toBeVisible();
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Start' })).toBeVisible();
  });

  test('the page speaks English when the words do not come', async ({ openDemo, page }) => {
    await page.route(/\/assets\/de-/, (route) => route.abort());
    await openDemo('erik', '/');
    await expect(page.getByRole('heading', { name: 'Home' })).toBeVisible();
  });
});
