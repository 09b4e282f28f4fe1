import { expect } from '@playwright/test';
import { startApp, type TestApp } from '../support/app.ts';
import { plantKeys } from '../support/s3rver-gaps.ts';
import { test } from './fixtures.ts';
import { expectGoodScreen } from './views.ts';

const BRING_BACK = { name: 'Bring back from the archive' };

let app: TestApp;
test.beforeAll(async () => {
  app = await startApp({ archives: true });
  plantKeys(app.s3.server.store, 'files', ['old.archived']);
});
test.afterAll(() => app.close());

test('an archived file is brought back by somebody who may, and says how far that is', async ({ openAs, page }) => {
  await openAs('ada', `${app.origin}/p/main/files?object=old.archived`);
  await expect(page.getByText('It must be brought back from there before it can be opened.')).toBeVisible();
  await expectGoodScreen(page, 'archived', page.getByRole('button', BRING_BACK));
  await page.getByRole('button', BRING_BACK).click();
  await expect(page.getByText('This file is being brought back from the archive of the storage.')).toBeVisible();
  await expect(page.getByRole('button', BRING_BACK)).toHaveCount(0);
});

test('an archived picture on the whole screen says where it is, and is not read', async ({ openAs, page }) => {
  const eve = await app.signIn('eve');
  await eve.request(`${app.origin}/api/providers/main/buckets/files/object?key=picture.archived`, {
    method: 'PUT',
    body: 'a picture',
    headers: { origin: app.origin, 'content-type': 'image/png' },
  });
  const reads: string[] = [];
  page.on('request', (request) => /\/object\?key=picture/.test(request.url()) && reads.push(request.method()));
  await openAs('eve', `${app.origin}/p/main/files?object=picture.archived&full=1`);
  await expect(page.getByRole('dialog').getByText('It must be brought back from there')).toBeVisible();
  expect(new Set(reads)).toEqual(new Set(['HEAD']));
});

test('an archived file has no button for somebody who may not bring it back', async ({ openAs, page }) => {
  await openAs('eve', `${app.origin}/p/main/files?object=old.archived`);
  await expect(page.getByText('archive of the storage')).toBeVisible();
  await expect(page.getByRole('button', BRING_BACK)).toHaveCount(0);
});
