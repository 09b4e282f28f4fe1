import { text } from 'node:stream/consumers';
import { expect, type Page } from '@playwright/test';
import { createBucket } from '../../src/storage/buckets.ts';
import { getObject } from '../../src/storage/object-read.ts';
import type { StorageProvider } from '../../src/storage/provider.ts';
import { Storage } from '../../src/storage/storage.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';
import { CONFIG, startApp, type TestApp } from '../support/app.ts';
import { countCalls, type CallCounter } from '../support/call-counter.ts';
import { choose, dialog, row, sendTwice, tray } from '../support/page.ts';
import { missingForRadosGateway, startRadosGateway, type RadosGateway } from '../support/rados-gateway.ts';
import { setVersioning } from '../support/versioning.ts';
import { test } from './fixtures.ts';
import { expectGoodScreen } from './views.ts';

const KEPT = 'svc-e2e-kept';
const UNKEPT = 'svc-e2e-unkept';
const LOCKED = 'svc-e2e-locked';

test.describe('versions, on the gateway of Ceph', () => {
  test.skip(missingForRadosGateway.length > 0, `missing here: ${missingForRadosGateway.join(', ')}`);
  test.describe.configure({ mode: 'serial' });

  let ceph: RadosGateway | undefined;
  let storage: Storage | undefined;
  let provider: StorageProvider;
  /** What the service asks of the gateway. */
  let calls: CallCounter | undefined;
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
    calls = await countCalls(ceph.options.endpoint);
    const atCeph = { ...ceph.provider, name: 'ceph', endpoint: calls.url };
    storage = new Storage([ceph.options]);
    provider = storage.providers.provider('ceph');
    for (const bucket of [KEPT, UNKEPT]) await createBucket(withoutPolicy({ provider, bucket }));
    await setVersioning(provider, KEPT, 'Enabled');
    app = await startApp({
      config: (config) => ({
        ...config,
        audit: { path: 'audit', instance: 'one', signing_secret: 'a signing secret of the tests, long enough' },
        policies: [
          ...CONFIG.policies,
          {
            version: 1,
            name: 'sees-versions',
            rules: [{ effect: 'allow', actions: ['objects:versions'], resources: [{ type: 'all' }] }],
          },
        ],
        bindings: [...CONFIG.bindings, { groups: ['viewers'], policies: ['sees-versions'] }],
        providers: [atCeph],
      }),
    });
  });
  test.afterAll(async () => {
    await app?.close();
    await calls?.close();
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
    const { headers } = await put(KEPT, 'plan.txt', 'the first text');
    const first = headers['x-amz-version-id']!;
    await put(KEPT, 'plan.txt', 'the second, longer text');
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
    await page.getByRole('button', { name: 'Show activity' }).press('Enter');
    const activity = page.getByRole('region', { name: 'Activity' });
    await expect(activity).toContainText(`Delete version for everVersion: ${first}`);
    await expect(activity).toContainText(`Restore versionVersion: ${first}`);
    await expect(activity).toContainText(`Open or downloadVersion: ${first}`);
    await expectGoodScreen(page, 'activity of versions', activity, async () => {
      await page.getByRole('button', { name: 'Show activity' }).press('Enter');
      await activity.scrollIntoViewIfNeeded();
    });
  });

  test('the list of versions stays open while the permissions of a folder that changed are asked again', async ({
    openAs,
    page,
  }) => {
    await put(KEPT, 'asked again/note.txt', 'the first text');
    await put(KEPT, 'asked again/note.txt', 'the second, longer text');
    const known = page.waitForResponse('**/permissions');
    await openAs('ada', at(KEPT, '?prefix=asked%20again%2F'));
    await known;
    await row(page, 'note.txt').getByRole('link').click();
    await show(page);
    await expect(items(page)).toHaveCount(2);
    const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>();
    await page.route('**/permissions*', async (route) => {
      await answered;
      await route.continue();
    });
    const asked = page.waitForRequest('**/permissions*');
    await items(page)
      .nth(1)
      .getByRole('button', { name: /^Restore/ })
      .press('Enter');
    await asked;
    await expect(items(page)).toHaveCount(3);
    await expect(versions(page)).toBeFocused();
    answer(undefined);
    await expect(
      items(page)
        .nth(1)
        .getByRole('button', { name: /^Restore/ }),
    ).toBeVisible();
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

  test('Undo of a deletion is made once where its requests are sent twice, or their answers are lost', async ({
    openAs,
    page,
  }) => {
    for (const name of ['lost.txt', 'twice.txt']) await put(KEPT, `again/sub/${name}`, name);
    await openAs('ada', at(KEPT, '?prefix=again%2F'));
    await choose(page, 'sub', 'Delete');
    // It waits until the button is enabled, which the key would not.
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
    // As on Amazon, where the copy of an object that was sent in parts has another ETag.
    await page.route(/\/versions\?/, async (route) => {
      const answer = await route.fetch();
      const list = (await answer.json()) as { versions: { is_latest: boolean; etag: string | null }[] };
      for (const version of list.versions)
        if (!version.is_latest && version.etag !== null) version.etag = '"inparts-2"';
      await route.fulfill({ response: answer, json: list });
    });
    const spoiled = new Set<string>();
    await page.route(/\/object\/restore$/, async (route) => {
      const body = route.request().postData()!;
      if (spoiled.has(body)) return route.fallback();
      spoiled.add(body);
      await route.fetch();
      return body.includes('lost.txt') ? route.abort() : route.fallback();
    });
    await page.keyboard.press('Control+z');
    await expect(tray(page)).toContainText('Undone: ');
    expect(spoiled.size).toBe(2);
    await expect(page.getByText('could not be restored')).toHaveCount(0);
    await row(page, 'sub').getByRole('link').click();
    await expect(row(page, /(lost|twice)\.txt/)).toHaveCount(2);
  });

  test('who may delete but not restore is told that an administrator can bring it back', async ({ openAs, page }) => {
    await put(KEPT, 'told/note.txt', 'a note');
    await openAs('eve', at(KEPT, '?prefix=told%2F'));
    await choose(page, 'note.txt', 'Delete');
    await expect(dialog(page)).toContainText('Your administrator can bring it back');
  });

  test('versions of the same second have buttons with different names', async ({ openAs, page }) => {
    // Of three versions that are written at once, two are of the same second, or all of them.
    for (let second = 0; second < 20; second += 1) {
      await Promise.all([put(KEPT, 'fast.txt', 'a'), put(KEPT, 'fast.txt', 'b'), put(KEPT, 'fast.txt', 'c')]);
    }
    await openAs('ada', at(KEPT, '?object=fast.txt'));
    await show(page);
    await expect(items(page)).toHaveCount(60);
    const names = await items(page)
      .getByRole('link', { name: /^Open/ })
      .evaluateAll((links) => links.map((link) => link.getAttribute('aria-label')));
    expect(names).toHaveLength(60);
    expect(new Set(names).size).toBe(60);
  });

  const read = async (key: string) => text((await getObject(withoutPolicy({ provider, bucket: KEPT, key }))).body!);
  const gone = async (prefix: string, names: readonly string[]) => {
    for (const name of names) {
      await put(KEPT, prefix + name, `text of ${name}`);
      await provider.s3.send({ method: 'DELETE', bucket: KEPT, key: prefix + name });
    }
  };
  const showDeleted = async (page: Page) => {
    await page.getByRole('button', { name: 'View', exact: true }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Show deleted' }).click();
  };
  const deletedRows = (page: Page) =>
    page.getByRole('row').filter({ has: page.getByTitle('Deleted', { exact: true }) });

  test('Show deleted lists what was deleted among the rows, and Restore brings it back from the menu, by a key and for a selection', async ({
    openAs,
    page,
  }) => {
    await put(KEPT, 'past/here.txt', 'here');
    await put(KEPT, 'past/both/here.txt', 'here');
    await gone('past/', ['alone.txt', 'both/gone.txt', 'one.txt', 'two.txt', 'sub/deep/x.txt', 'sub/y.txt']);
    await openAs('ada', at(KEPT, '?prefix=past%2F'));
    await expect(row(page, 'here.txt')).toBeVisible();
    await expect(deletedRows(page)).toHaveCount(0);
    await showDeleted(page);
    await expect(deletedRows(page)).toHaveText([/sub/, /alone\.txt/, /one\.txt/, /two\.txt/]);
    await expect(row(page, 'alone.txt')).toContainText('17 bytes');
    await expect(row(page, 'alone.txt').getByTitle(/^Deleted .*\d{4}/)).toBeVisible();
    await expect(row(page, 'both')).not.toContainText('Deleted');
    await expect(page.getByRole('status').filter({ hasText: '4 deleted items are shown.' })).toBeVisible();
    await expectGoodScreen(page, 'show deleted', row(page, 'alone.txt'));
    await page.setViewportSize({ width: 1280, height: 800 });

    await row(page, 'alone.txt').click({ button: 'right' });
    await expect(page.getByRole('menuitem')).toHaveText([/^Restore/]);
    await page.getByRole('menuitem', { name: 'Restore' }).click();
    await expect(deletedRows(page)).toHaveText([/sub/, /one\.txt/, /two\.txt/]);
    await expect(row(page, 'alone.txt')).toBeVisible();
    expect(await read('past/alone.txt')).toBe('text of alone.txt');

    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+a');
    await page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Restore' }).click();
    await expect(deletedRows(page)).toHaveCount(0);
    for (const name of ['one.txt', 'two.txt', 'sub/deep/x.txt', 'sub/y.txt'])
      expect(await read(`past/${name}`)).toBe(`text of ${name}`);

    await row(page, 'both').getByRole('link').click();
    await expect(deletedRows(page)).toHaveText([/gone\.txt/]);
    await page.getByRole('grid').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('r');
    await expect(deletedRows(page)).toHaveCount(0);
    await expect(row(page, 'gone.txt')).toBeVisible();
    await expect(page.getByText('Nothing that was deleted here is kept.')).toBeVisible();
    await page.getByRole('button', { name: 'Hide deleted' }).click();
    await expect(page.getByRole('button', { name: 'Hide deleted' })).toHaveCount(0);
    await expect(page.getByRole('grid')).toBeFocused();
  });

  test('the details of a deleted object have its versions and Restore, and show it afterwards', async ({
    openAs,
    page,
  }) => {
    await gone('panel/', ['lost.txt']);
    await openAs('ada', at(KEPT, '?prefix=panel%2F'));
    await expect(page.getByText('Nothing here')).toBeVisible();
    await showDeleted(page);
    await row(page, 'lost.txt').getByRole('link').click();
    const details = page.getByRole('complementary');
    await show(page);
    await expect(items(page)).toHaveText([/Deleted/, /16 bytes/]);
    await details.getByRole('button', { name: 'Restore', exact: true }).click();
    await expect(details).toContainText('text of lost.txt');
    await expect(deletedRows(page)).toHaveCount(0);
  });

  test('Show deleted is read page by page', async ({ openAs, page }) => {
    await gone('pages/', ['a.txt', 'b.txt', 'c.txt']);
    await page.route(/\/versions\?/, (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set('limit', '3');
      return route.continue({ url: url.href });
    });
    await openAs('ada', at(KEPT, '?prefix=pages%2F'));
    await showDeleted(page);
    await expect(page.getByText('1 deleted item is shown. There may be more.')).toBeVisible();
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect(page.getByText('3 deleted items are shown.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Show more' })).toHaveCount(0);
    await expect(deletedRows(page)).toHaveText([/a\.txt/, /b\.txt/, /c\.txt/]);
  });

  test('Show deleted is offered where the bucket keeps versions, to whoever may see them, and Restore to whoever may restore', async ({
    openAs,
    page,
  }) => {
    await gone('rights/', ['x.txt']);
    await put(KEPT, 'rights/y.txt', 'y');
    await put(UNKEPT, 'y.txt', 'y');
    const view = page.getByRole('button', { name: 'View', exact: true });
    const item = page.getByRole('menuitemcheckbox');
    await openAs('vic', at(KEPT, '?prefix=rights%2F'));
    await showDeleted(page);
    await row(page, 'x.txt').click({ button: 'right' });
    await expect(page.getByRole('menuitem')).toHaveText(['No actions available']);
    await openAs('vic', at(UNKEPT));
    await expect(row(page, 'y.txt')).toBeVisible();
    await expect(page.getByText('Hide deleted')).toHaveCount(0);
    await view.click();
    await expect(page.getByRole('menuitemradio', { name: 'Gallery' })).toBeVisible();
    await expect(item).toHaveCount(0);
    await openAs('eve', at(KEPT, '?prefix=rights%2F'));
    await expect(row(page, 'y.txt')).toBeVisible();
    await view.click();
    await expect(page.getByRole('menuitemradio', { name: 'Gallery' })).toBeVisible();
    await expect(item).toHaveCount(0);
  });

  test('an old version of a text is shown beside the current one', async ({ openAs, page }) => {
    for (const content of ['first\nsame\n', 'changed\nsame\n']) await put(KEPT, 'compare.md', content);
    await openAs('ada', at(KEPT, '?object=compare.md'));
    await show(page);
    const compare = page.getByRole('button', { name: /^Compare the version of/ });
    await expect(compare).toHaveCount(1);
    await compare.press('Enter');
    await expect(page.getByRole('textbox', { name: /^Version of compare\.md of/ })).toContainText('first');
    await expect(page.getByRole('textbox', { name: 'Current version of compare.md' })).toContainText('changed');
    await page.keyboard.press('Escape');
    await expect(dialog(page)).toHaveCount(0);
    await expect(compare).toBeFocused();
    await compare.press('Enter');
    await expectGoodScreen(page, 'compare', page.getByRole('button', { name: 'Close the comparison' }), async () => {
      await page.reload();
      await show(page);
      await compare.press('Enter');
      await expect(page.getByRole('textbox', { name: 'Differences of compare.md' })).toBeVisible();
    });
    await page.setViewportSize({ width: 1280, height: 800 });
    // Bytes that are no text.
    await provider.s3.send({ method: 'PUT', bucket: KEPT, key: 'compare.md', headers: {}, body: Buffer.from([0xff]) });
    await page.reload();
    await show(page);
    await compare.first().press('Enter');
    await expect(page.getByText('These versions cannot be compared here')).toBeVisible();
  });

  test('a lock and a legal hold are shown, and a locked version cannot be deleted for ever', async ({
    openAs,
    page,
  }) => {
    const until = new Date(Date.now() + 86_400_000).toISOString();
    const lock = { 'x-amz-object-lock-mode': 'GOVERNANCE', 'x-amz-object-lock-retain-until-date': until };
    const lockedPut = (key: string, headers: Record<string, string>) =>
      provider.s3.send({ method: 'PUT', bucket: LOCKED, key, headers, body: Buffer.from('kept') });
    await provider.s3.send({
      method: 'PUT',
      bucket: LOCKED,
      headers: { 'x-amz-bucket-object-lock-enabled': 'true' },
    });
    await lockedPut('locked.txt', lock);
    await lockedPut('held.txt', { 'x-amz-object-lock-legal-hold': 'ON' });
    const metadata = page.getByRole('region', { name: 'Metadata' });
    const purge = async () => {
      await show(page);
      await items(page)
        .getByRole('button', { name: /for ever/ })
        .press('Enter');
    };
    await openAs('ada', at(LOCKED, '?object=held.txt'));
    await expect(metadata).toContainText('Legal hold');
    await purge();
    await expect(dialog(page)).toContainText('There is a legal hold on this version.');
    await openAs('ada', at(LOCKED, '?object=locked.txt'));
    await expect(metadata).toContainText(/Locked until.*\(GOVERNANCE\)/);
    // A page that becomes narrow draws the panel anew.
    const toLock = () => expect(() => metadata.getByText('Locked until').scrollIntoViewIfNeeded()).toPass();
    await toLock();
    await expectGoodScreen(page, 'locked', metadata.getByText('Locked until'), toLock);
    await page.setViewportSize({ width: 1280, height: 800 });
    await purge();
    await expect(dialog(page)).toContainText('This version is locked until');
    await expect(dialog(page).getByRole('button', { name: 'Delete for ever' })).toBeDisabled();
    await expectGoodScreen(page, 'purge of a locked version', dialog(page, 'Delete this version for ever?'));
  });

  test('an object in an archive of the storage is neither shown nor downloaded, and says why', async ({
    openAs,
    page,
  }) => {
    await put(KEPT, 'cold.txt', 'far away');
    // The gateway of the tests has no archive.
    await page.route(/\/object\?key=cold/, async (route) => {
      if (route.request().method() !== 'HEAD') return route.continue();
      const response = await route.fetch();
      return route.fulfill({
        response,
        headers: { ...response.headers(), 'x-amz-storage-class': 'DEEP_ARCHIVE' },
      });
    });
    await openAs('ada', at(KEPT, '?object=cold.txt'));
    const details = page.getByRole('complementary');
    await expect(details).toContainText('This file is in the archive of the storage.');
    await expect(details).toContainText('DEEP_ARCHIVE');
    await expect(details).not.toContainText('far away');
    await details.getByRole('button', { name: 'Download' }).click();
    await expect(page.getByText('“cold.txt” was not downloaded')).toBeVisible();
    await expect(page.getByRole('alert')).toContainText('It must be brought back from there');
  });

  test('a folder is brought back to a moment after a plan, and what was written after the plan stays', async ({
    openAs,
    page,
  }) => {
    for (const name of ['a.txt', 'sub/b.txt', 'same.txt', 'late.txt']) await put(KEPT, `when/${name}`, `then ${name}`);
    // Times of storage and of the field are in seconds.
    await page.waitForTimeout(1_500);
    const moment = new Date().toISOString().slice(0, 19);
    await page.waitForTimeout(1_500);
    for (const name of ['a.txt', 'late.txt', 'new.txt']) await put(KEPT, `when/${name}`, 'now');
    await provider.s3.send({ method: 'DELETE', bucket: KEPT, key: 'when/sub/b.txt' });
    await openAs('ada', at(KEPT, '?prefix=when%2F'));
    await page.getByRole('button', { name: 'More actions on this folder' }).click();
    await page.getByRole('menuitem', { name: 'Restore this folder to…' }).click();
    const form = dialog(page, 'Restore when to an earlier time');
    await expectGoodScreen(page, 'restore folder', form);
    await page.setViewportSize({ width: 1280, height: 800 });
    await form.getByLabel('Date and time').fill('2999-01-01T00:00:00');
    await expect(form).toContainText('Choose a time in the past.');
    await form.getByLabel('Date and time').fill(moment);
    await form.getByRole('button', { name: 'Show what would change' }).click();
    await expect(form.getByRole('listitem')).toHaveText([
      /comes back.*a\.txt/,
      /comes back.*late\.txt/,
      /is deleted.*new\.txt/,
      /comes back.*sub\/b\.txt/,
    ]);
    await expect(form).toContainText('3 files come back');
    await expect(form).toContainText('1 file is as it was then.');
    await expectGoodScreen(page, 'restore folder plan', form.getByRole('listitem').first());
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.waitForTimeout(1_500);
    await put(KEPT, 'when/late.txt', 'after the plan');
    await form.getByRole('button', { name: 'Restore the folder' }).click();
    await expect(page.getByText('1 of 4 could not be restored')).toBeVisible();
    await expect(row(page, 'new.txt')).toHaveCount(0);
    expect(await read('when/a.txt')).toBe('then a.txt');
    expect(await read('when/sub/b.txt')).toBe('then sub/b.txt');
    expect(await read('when/late.txt')).toBe('after the plan');
  });

  test('what a proxy has sent twice is done: a folder is restored, a version deleted', async ({ openAs, page }) => {
    await put(KEPT, 'twice/back.txt', 'then');
    await page.waitForTimeout(1_500);
    const moment = new Date().toISOString().slice(0, 19);
    await page.waitForTimeout(1_500);
    for (const name of ['back.txt', 'new.txt']) await put(KEPT, `twice/${name}`, 'now');
    await page.waitForTimeout(1_500);
    await openAs('ada', at(KEPT, '?prefix=twice%2F'));
    await sendTwice(page, /\/(?:objects|object)\/(?:restore|purge)$/);
    await page.getByRole('button', { name: 'More actions on this folder' }).click();
    await page.getByRole('menuitem', { name: 'Restore this folder to…' }).click();
    await dialog(page).getByLabel('Date and time').fill(moment);
    await dialog(page).getByRole('button', { name: 'Show what would change' }).click();
    await dialog(page).getByRole('button', { name: 'Restore the folder' }).click();
    await expect(tray(page)).toContainText('Restored twiceDone · 2 of 2');
    await expect(tray(page)).not.toContainText('skipped');
    await row(page, 'back.txt').getByRole('link').click();
    await show(page);
    await expect(items(page)).toHaveCount(3);
    await items(page)
      .last()
      .getByRole('button', { name: /^Delete/ })
      .press('Enter');
    await dialog(page).getByRole('button', { name: 'Delete for ever' }).click();
    await expect(items(page)).toHaveCount(2);
  });

  test('a restore of a folder that is cancelled half-way keeps what is restored, leaves the rest, and says how many', async ({
    openAs,
    page,
  }) => {
    const names = Array.from({ length: 40 }, (_, i) => `${String(i).padStart(2, '0')}.txt`);
    await Promise.all(names.map((name) => put(KEPT, `half/${name}`, `then ${name}`)));
    await page.waitForTimeout(1_500);
    const moment = new Date().toISOString().slice(0, 19);
    await page.waitForTimeout(1_500);
    await Promise.all(names.map((name) => provider.s3.send({ method: 'DELETE', bucket: KEPT, key: `half/${name}` })));
    const plan = async () => {
      await openAs('ada', at(KEPT, '?prefix=half%2F'));
      await page.getByRole('button', { name: 'More actions on this folder' }).click();
      await page.getByRole('menuitem', { name: 'Restore this folder to…' }).click();
      await dialog(page).getByLabel('Date and time').fill(moment);
      await dialog(page).getByRole('button', { name: 'Show what would change' }).click();
    };
    await plan();
    // The copies of all but the first ten wait.
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    let underWay = 0;
    calls!.before = async (call, headers) => {
      if (headers['x-amz-copy-source'] === undefined || /half(?:\/|%2F)0/i.test(call)) return;
      underWay += 1;
      await released;
    };
    await dialog(page).getByRole('button', { name: 'Restore the folder' }).click();
    await expect(tray(page).getByText('10 of 40')).toBeVisible();
    await tray(page)
      .getByRole('button', { name: /^Cancel: Restoring half/ })
      .click();
    await expect(tray(page).getByText('Cancelled · 10 of 40')).toBeVisible();
    // The service has heard of the cancelled request before this one.
    await page.evaluate(() => fetch('/sign-in'));
    release(undefined);
    calls!.before = undefined;
    for (const name of names.slice(0, 10)) {
      await expect(row(page, name)).toBeVisible();
      expect(await read(`half/${name}`)).toBe(`then ${name}`);
    }
    // Up to twelve copies are under way at once, and are finished.
    expect(underWay).toBeLessThanOrEqual(12);
    const there = async () =>
      (await Promise.allSettled(names.map((name) => read(`half/${name}`)))).filter(
        ({ status }) => status === 'fulfilled',
      ).length;
    await expect.poll(there).toBe(10 + underWay);
    await expect(read('half/39.txt')).rejects.toMatchObject({ code: 'not_found' });
    await plan();
    await expect(dialog(page)).toContainText(`${30 - underWay} files come back`);
    await dialog(page).getByRole('button', { name: 'Restore the folder' }).click();
    await expect(tray(page).getByText(/^Done · (\d+) of \1$/)).toBeVisible();
    for (const name of names) expect(await read(`half/${name}`)).toBe(`then ${name}`);
  });

  test.describe('in German', () => {
    test.use({ locale: 'de-AT' });

    test('a folder that is brought back to a moment', async ({ openAs, page }) => {
      await put(KEPT, 'zurück/neu.txt', 'neu');
      await openAs('ada', at(KEPT, '?prefix=zur%C3%BCck%2F'));
      await page.getByRole('button', { name: 'Weitere Aktionen auf diesem Ordner' }).click();
      await page.getByRole('menuitem', { name: 'Diesen Ordner zurücksetzen auf…' }).click();
      await dialog(page).getByRole('button', { name: 'Zeigen, was sich ändern würde' }).click();
      await expect(dialog(page)).toContainText('1 Datei gab es damals nicht und wird gelöscht.');
      await expectGoodScreen(page, 'restore folder in German', dialog(page).getByRole('listitem'));
    });

    test('deleted rows, and Restore', async ({ openAs, page }) => {
      await gone('de/', ['weg.txt', 'ordner/weg.txt']);
      await put(KEPT, 'de/da.txt', 'da');
      await openAs('ada', at(KEPT, '?prefix=de%2F'));
      await page.getByRole('button', { name: 'Ansicht', exact: true }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Gelöschtes anzeigen' }).click();
      await expect(page.getByText('2 gelöschte Einträge werden angezeigt.')).toBeVisible();
      await expectGoodScreen(page, 'show deleted in German', row(page, 'weg.txt'));
      await page.setViewportSize({ width: 1280, height: 800 });
      await row(page, 'weg.txt').click({ button: 'right' });
      await page.getByRole('menuitem', { name: 'Wiederherstellen' }).click();
      await expect(row(page, 'weg.txt').first()).not.toContainText('Gelöscht');
      await put(KEPT, 'de/weg.txt', 'neuer Text');
      await openAs('ada', at(KEPT, '?prefix=de%2F&object=de%2Fweg.txt'));
      await page.getByRole('button', { name: 'Versionen anzeigen' }).press('Enter');
      await page
        .getByRole('button', { name: /^Vergleichen/ })
        .first()
        .press('Enter');
      await expect(page.getByRole('textbox', { name: 'Aktuelle Version von weg.txt' })).toContainText('neuer Text');
      await expectGoodScreen(
        page,
        'compare in German',
        page.getByRole('button', { name: 'Vergleich schließen' }),
        async () => {
          await page.reload();
          await page.getByRole('button', { name: 'Versionen anzeigen' }).press('Enter');
          await page
            .getByRole('button', { name: /^Vergleichen/ })
            .first()
            .press('Enter');
        },
      );
    });
  });
});
