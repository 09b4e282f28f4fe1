import { text } from 'node:stream/consumers';
import { expect, type Page } from '@playwright/test';
import { createBucket } from '../../src/storage/buckets.ts';
import { getObject } from '../../src/storage/object-read.ts';
import type { StorageProvider } from '../../src/storage/provider.ts';
import { Storage } from '../../src/storage/storage.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { choose, dialog, row } from '../support/page.ts';
import { missingForRadosGateway, startRadosGateway, type RadosGateway } from '../support/rados-gateway.ts';
import { setVersioning } from '../support/versioning.ts';
import { test } from './fixtures.ts';
import { expectGoodScreen } from './views.ts';

const KEPT = 'svc-e2e-kept';
const UNKEPT = 'svc-e2e-unkept';

test.describe('versions, on the gateway of Ceph', () => {
  test.skip(missingForRadosGateway.length > 0, `missing here: ${missingForRadosGateway.join(', ')}`);
  test.describe.configure({ mode: 'serial' });

  let ceph: RadosGateway | undefined;
  let storage: Storage | undefined;
  let provider: StorageProvider;
  let app: TestApp | undefined;
  const put = (bucket: string, key: string, content: string) =>
    provider.s3.send({
      method: 'PUT',
      bucket,
      key,
      headers: { 'content-type': 'text/plain' },
      body: Buffer.from(content),
    });
  const at = (bucket: string, rest = '') => `${app!.origin}/p/ceph/${bucket}${rest}`;

  test.beforeAll(async () => {
    test.setTimeout(180_000);
    ceph = await startRadosGateway();
    storage = new Storage([ceph.options]);
    provider = storage.providers.provider('ceph');
    for (const bucket of [KEPT, UNKEPT]) await createBucket(withoutPolicy({ provider, bucket }));
    await setVersioning(provider, KEPT, 'Enabled');
    const { endpoint, credentials } = ceph.options;
    app = await startApp({
      config: (config) => ({
        ...config,
        providers: [
          {
            name: 'ceph',
            type: 's3',
            endpoint,
            region: 'us-east-1',
            path_style: true,
            credentials: { access_key_id: credentials?.accessKeyId, secret_access_key: credentials?.secretAccessKey },
          },
        ],
      }),
    });
  });
  test.afterAll(async () => {
    await app?.close();
    storage?.close();
    await ceph?.close();
  });

  const versions = (page: Page) => page.getByRole('region', { name: 'Versions' });
  const items = (page: Page) => versions(page).getByRole('listitem');
  const show = (page: Page) => page.getByRole('button', { name: 'Show versions' }).press('Enter');

  test('the details list the versions, open an old one, restore it, and delete one for ever after a question', async ({
    openAs,
    page,
  }) => {
    for (const content of ['the first text', 'the second, longer text']) await put(KEPT, 'plan.txt', content);
    await openAs('ada', at(KEPT, '?object=plan.txt'));
    await show(page);
    await expect(items(page)).toHaveText([/23 bytes.*Newest/, /14 bytes/]);
    await expect(items(page).nth(0).getByRole('button', { name: 'Restore' })).toHaveCount(0);
    const address = await items(page).nth(1).getByRole('link', { name: /^Open/ }).getAttribute('href');
    expect(await (await page.request.get(new URL(address!, page.url()).href)).text()).toBe('the first text');
    const download = page.waitForEvent('download');
    await items(page)
      .nth(1)
      .getByRole('link', { name: /^Download/ })
      .press('Enter');
    expect((await download).suggestedFilename()).toBe('plan.txt');
    await items(page)
      .nth(1)
      .getByRole('button', { name: /^Restore/ })
      .press('Enter');
    await expect(items(page)).toHaveText([/14 bytes.*Newest/, /23 bytes/, /14 bytes/]);
    await expect(versions(page)).toBeFocused();
    await expect(page.getByRole('complementary')).toContainText('the first text');
    await expectGoodScreen(page, 'versions', items(page).first(), async () => {
      await show(page);
      await items(page).last().scrollIntoViewIfNeeded();
    });
    await page.setViewportSize({ width: 1280, height: 800 });
    await show(page);
    const last = items(page)
      .nth(2)
      .getByRole('button', { name: /for ever/ });
    await last.press('Enter');
    await expect(dialog(page, 'Delete this version for ever?')).toContainText('This cannot be undone');
    await page.keyboard.press('Escape');
    await expect(last).toBeFocused();
    await last.press('Enter');
    await expectGoodScreen(page, 'purge', dialog(page, 'Delete this version for ever?'));
    await page.setViewportSize({ width: 1280, height: 800 });
    await dialog(page).getByRole('button', { name: 'Delete for ever' }).press('Enter');
    await expect(dialog(page)).toBeHidden();
    // The panel was closed while the page was narrow.
    await show(page);
    await expect(items(page)).toHaveText([/14 bytes.*Newest/, /23 bytes/]);
  });

  test('somebody whom policy does not allow it sees no versions, and a bucket without them says so', async ({
    openAs,
    page,
  }) => {
    await put(UNKEPT, 'note.txt', 'a note');
    await openAs('ada', at(UNKEPT, '?object=note.txt'));
    await show(page);
    await expect(versions(page)).toContainText('This bucket keeps no versions');
    await openAs('eve', at(UNKEPT, '?object=note.txt'));
    await expect(page.getByRole('complementary')).toContainText('a note');
    await expect(page.getByRole('button', { name: 'Show versions' })).toHaveCount(0);
  });

  test('the question before a deletion says whether it is final, and Undo brings back what a bucket with versions keeps', async ({
    openAs,
    page,
  }) => {
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await put(KEPT, `undo/sub/${name}`, `text of ${name}`);
    await put(UNKEPT, 'gone.txt', 'soon gone');
    await openAs('ada', at(UNKEPT));
    await choose(page, 'gone.txt', 'Delete');
    await expect(dialog(page)).toContainText('The bucket keeps no versions, so this is final.');
    await dialog(page).getByRole('button', { name: 'Delete' }).press('Enter');
    await expect(row(page, 'gone.txt')).toHaveCount(0);
    await openAs('ada', at(KEPT, '?prefix=undo%2F'));
    await choose(page, 'sub', 'Delete');
    await expect(dialog(page)).toContainText('It can be brought back for as long as the bucket keeps versions.');
    await expectGoodScreen(page, 'delete with versions', dialog(page));
    await page.setViewportSize({ width: 1280, height: 800 });
    await dialog(page).getByRole('button', { name: 'Delete' }).press('Enter');
    const undo = page.getByRole('button', { name: 'Undo' });
    await expect(undo).toBeVisible();
    await expect(row(page, 'sub')).toHaveCount(0);
    // What somebody writes meanwhile stays.
    await put(KEPT, 'undo/sub/b.txt', 'written meanwhile');
    await page.keyboard.press('Control+z');
    await expect(page.getByText('1 of 3 could not be restored')).toBeVisible();
    await row(page, 'sub').getByRole('link').click();
    await expect(row(page, /[abc]\.txt/)).toHaveCount(3);
    const read = async (key: string) => text((await getObject(withoutPolicy({ provider, bucket: KEPT, key }))).body!);
    expect(await read('undo/sub/a.txt')).toBe('text of a.txt');
    expect(await read('undo/sub/b.txt')).toBe('written meanwhile');
  });
});
