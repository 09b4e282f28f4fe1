import { expect } from '@playwright/test';
import { Collector } from '../audit/support/collector.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { test } from './fixtures.ts';
import { expectGoodScreen } from './views.ts';

const collector = new Collector();
let app: TestApp;
test.beforeAll(async () => {
  const url = await collector.listen();
  app = await startApp({
    config: (config) => ({
      ...config,
      audit: {
        path: 'audit',
        instance: 'one',
        signing_secret: 'a signing secret of the tests, long enough',
        sinks: [
          {
            name: 'pipeline',
            url: `${url}/secret`,
            only: { operations: ['object/write'], places: ['main/files/in/'] },
          },
          { name: 'siem', url: 'syslog+tcp://127.0.0.1:1' },
        ],
      },
    }),
  });
});
test.afterAll(async () => {
  await app.close();
  await collector.close();
});

test('an administrator sees which sink takes no lines, and why', async ({ openAs, page }) => {
  await openAs('ada', `${app.origin}/admin/audit`);
  await page.getByRole('link', { name: 'Audit sinks' }).click();
  await expect(page.getByRole('navigation', { name: 'Administration' }).locator('[aria-current]')).toHaveText('Audit');
  const table = page.getByRole('table', { name: 'Audit sinks' });
  await expect(async () => {
    await page.getByRole('button', { name: 'Check again' }).click();
    await expect(table).toContainText('Takes no lines', { timeout: 1_000 });
  }).toPass();
  await expect(table).toContainText('Upload, beneath main/files/in/');
  await expect(table).not.toContainText('secret');
  await expect(page.getByRole('list', { name: 'Latest failures of siem' })).toContainText(
    /Nothing answers at the address of the receiver\. .*ECONNREFUSED/,
  );
  await expect(table.getByRole('row').nth(1)).toContainText('Nothing sent yet');
  await expectGoodScreen(page, 'audit sinks', table);
});
