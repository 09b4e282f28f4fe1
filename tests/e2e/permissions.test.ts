import { readFile } from 'node:fs/promises';
import { expect, type Download } from '@playwright/test';
import { ACCOUNTS } from '../../scripts/demo/accounts.ts';
import type { TestApp } from '../support/app.ts';
import { dialog, row, tray, upload } from '../support/page.ts';
import { unzip } from '../support/unzip.ts';
import { core, test } from './fixtures.ts';

const PLACES = [
  ['team-files', ''],
  ['team-files', 'inbox/'],
  ['team-files', 'hr/'],
  ['team-files', 'projects/apollo/'],
  ['photos', ''],
  ['photos', '2025/summer/'],
] as const;

/** The files that a saved ZIP says were left out. */
async function leftOutOf(saved: Download): Promise<string[]> {
  const note = unzip(await readFile(await saved.path())).find(({ name }) => name === 'NOT-INCLUDED.txt');
  return (note?.content ?? '').split('\n').slice(2, -1);
}

test.describe('what may be done', () => {
  test('is offered to an editor', core, async ({ openDemo, page }) => {
    await openDemo('erik', '/p/main/team-files');
    await expect(page.getByRole('button', { name: 'Upload files' })).toBeVisible();
    await row(page, 'projects').getByRole('button', { name: 'Actions on projects' }).click();
    await expect(page.getByRole('menuitem', { name: 'Delete' })).toBeVisible();
  });

  test('is not offered to a viewer where it changes something', core, async ({ openDemo, page }) => {
    await openDemo('vera', '/p/main/team-files');
    await expect(row(page, 'projects')).toBeVisible();
    expect(await page.getByRole('button', { name: /upload|new folder/i }).count()).toBe(0);
    await row(page, 'projects').getByRole('button', { name: 'Actions on projects' }).click();
    await expect(page.getByRole('menuitem', { name: /download/i })).toBeVisible();
    expect(await page.getByRole('menuitem', { name: /delete|rename|move|share/i }).count()).toBe(0);
  });

  test('is told apart for one object inside of an allowed folder', core, async ({ openDemo, page }) => {
    await openDemo('dana', '/p/main/team-files?prefix=projects%2Fapollo%2F');
    await row(page, 'secret plan.md').getByRole('button', { name: 'Actions on secret plan.md' }).click();
    await expect(page.getByText('No actions available')).toBeVisible();
  });

  for (const { subject, name } of ACCOUNTS) {
    test(`is an upload for ${name} exactly where one is accepted`, async ({ openDemo, demo, signedIn, page }) => {
      const person = await signedIn(demo.url, subject);
      const editor = await signedIn(demo.url, 'erik');
      for (const [bucket, prefix] of PLACES) {
        const objectUrl = (key: string) =>
          `${demo.url}/api/providers/main/buckets/${bucket}/object?key=${encodeURIComponent(prefix + key)}`;
        const probe = await person.request(objectUrl('probe.txt'), {
          method: 'PUT',
          body: 'probe',
          headers: { accept: 'application/json' },
        });
        await openDemo(subject, `/p/main/${bucket}?prefix=${encodeURIComponent(prefix)}`);
        await page.waitForLoadState('networkidle');
        const where = `${bucket}/${prefix}, where the service answers ${probe.status}`;
        await expect(page.getByRole('button', { name: 'Upload files' }), where).toHaveCount(
          probe.status === 200 ? 1 : 0,
        );
        await expect(page.getByRole('button', { name: 'New folder' }), where).toHaveCount(probe.status === 200 ? 1 : 0);
        if (probe.status !== 200) continue;
        await upload(page, { name: 'shown.txt', mimeType: 'text/plain', buffer: Buffer.from('shown') });
        await expect(tray(page).getByText('Uploaded 1 file').filter({ visible: true }).first(), where).toBeVisible();
        for (const key of ['probe.txt', 'shown.txt'])
          expect(
            (await editor.request(objectUrl(key), { method: 'DELETE', headers: { accept: 'application/json' } }))
              .status,
            where,
          ).toBe(204);
      }
    });
  }

  test('is known of all rows by one request, and an object that may not be opened has a lock', async ({
    openDemo,
    page,
  }) => {
    const asked: string[] = [];
    page.on('request', (request) => request.url().includes('/permissions') && asked.push(request.method()));
    await openDemo('dana', '/p/main/team-files?prefix=projects%2Fapollo%2F');
    await expect(row(page, 'secret plan.md').getByText('You may not open this file')).toBeAttached();
    await expect(page.getByText('You may not open this file')).toHaveCount(1);
    await row(page, 'secret plan.md').getByRole('button', { name: 'Actions on secret plan.md' }).click();
    await expect(page.getByText('No actions available')).toBeVisible();
    expect(asked.filter((method) => method === 'POST')).toHaveLength(1);
    expect(asked.filter((method) => method === 'GET')).toHaveLength(1);
  });

  test('leaves out of a selection what is not allowed, and says so beforehand', async ({ openDemo, page }) => {
    await openDemo('dana', '/p/main/team-files?prefix=projects%2Fapollo%2F');
    await expect(row(page, 'secret plan.md').getByText('You may not open this file')).toBeAttached();
    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    const count = await page.getByRole('row', { selected: true }).count();
    await page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
    await expect(dialog(page).getByText(`1 of ${count} is not allowed`)).toBeVisible();
    await expect(dialog(page)).toContainText('secret plan.md');
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Download as ZIP' }).click();
    await expect(dialog(page).getByText(`1 of ${count} is not allowed`)).toBeVisible();
    const download = page.waitForEvent('download');
    await dialog(page)
      .getByRole('button', { name: /^Continue with the other/ })
      .click();
    const saved = await download;
    expect(saved.suggestedFilename()).toMatch(/\.zip$/);
    expect(await leftOutOf(saved)).toEqual(['secret plan.md']);
  });

  test('is a ZIP of a folder that names what is left out', async ({ openDemo, page }) => {
    // The browser's own save dialog cannot be operated from here.
    await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'));
    await openDemo('dana', '/p/main/team-files?prefix=projects%2F');
    await row(page, 'apollo').getByRole('checkbox').check();
    const download = page.waitForEvent('download');
    await page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Download as ZIP' }).click();
    expect(await leftOutOf(await download)).toEqual(['apollo/secret plan.md']);
  });

  test('is a copy only for who may put it somewhere, here or in another bucket', async ({
    app,
    filesIn,
    openAs,
    openDemo,
    signedIn,
    page,
  }) => {
    // Kit may read this bucket, and put things into `photos`.
    await (
      await signedIn(app.origin, 'ada')
    ).request(`${app.origin}/api/providers/main/buckets`, {
      method: 'POST',
      body: '{"name":"taken-names"}',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
    });
    for (const bucket of ['files', 'taken-names']) await (await filesIn(bucket)).put('permissions/to copy.txt', 'x');
    for (const [account, bucket, offered] of [
      ['vic', 'files', 0],
      ['eve', 'files', 1],
      ['kit', 'taken-names', 1],
    ] as const) {
      await openAs(account, `${app.origin}/p/main/${bucket}?prefix=permissions%2F`);
      await row(page, 'to copy.txt').getByRole('button', { name: 'Actions on to copy.txt' }).click();
      await expect(page.getByRole('menuitem', { name: 'Download' })).toBeVisible();
      expect(await page.getByRole('menuitem', { name: 'Copy to…' }).count(), account).toBe(offered);
    }
    for (const bucket of ['files', 'taken-names']) await (await filesIn(bucket)).remove('permissions/to copy.txt');
    await openDemo('vera', '/p/main/team-files');
    await row(page, 'projects').getByRole('checkbox').check();
    await expect(
      page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Download as ZIP' }),
    ).toBeVisible();
    await page.getByRole('button', { name: 'More actions on the selection' }).click();
    await expect(page.getByRole('menuitem', { name: 'Copy link' })).toBeVisible();
    expect(await page.getByRole('menuitem', { name: /Copy to|Move to/ }).count()).toBe(0);
  });

  test('does not open the administration to an editor', core, async ({ openDemo, page }) => {
    await openDemo('erik', '/');
    await expect(
      page.getByRole('navigation', { name: 'Storage' }).getByRole('link', { name: 'team-files' }),
    ).toBeVisible();
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('link', { name: 'Administration' }).count()).toBe(0);
  });

  test('opens the administration to an admin', core, async ({ openDemo, page }) => {
    await openDemo('ada', '/');
    await page.getByRole('link', { name: 'Administration' }).click();
    await page.waitForURL('**/admin**');
  });
});

test.describe('a place without `objects:list`', () => {
  test('says what may not be done, and offers to try again', async ({ openDemo, page }) => {
    await openDemo('dana', '/p/main/team-files?prefix=hr%2F');
    await expect(page.getByRole('heading', { name: 'You have no access here' })).toBeVisible();
    await expect(page.getByRole('alert')).toContainText('You may not see what is in main / team-files / hr/.');
    const asked = page.waitForRequest(/permissions\?prefix=hr/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await asked;
    await expect(page.getByRole('heading', { name: 'You have no access here' })).toBeVisible();
  });

  test('is not shown at all beside what may be listed', async ({ openDemo, page }) => {
    await openDemo('petra', '/p/main/photos');
    await expect(row(page, '2025')).toBeVisible();
    await expect(page.getByRole('row')).toHaveCount(2);
    await row(page, '2025').getByRole('link').click();
    await row(page, 'summer').getByRole('link').click();
    await expect(page.getByRole('heading', { name: 'summer' })).toBeVisible();
  });
});

test.describe('a user without any policy', () => {
  test('is told who they are to the service', core, async ({ openDemo, demo, page }) => {
    await openDemo('noah', '/');
    await expect(page.getByRole('heading', { name: /nothing is shared with you yet/ })).toBeVisible();
    for (const text of ['noah', 'cafeteria', demo.issuer]) await expect(page.getByRole('main')).toContainText(text);
  });
});

test.describe('a change of the configuration while a page is open', () => {
  test.afterEach(async ({ app }) => void (await app.service.reload(app.settings)));

  /** Gives the editors another role, or none. */
  const editorsAre = async ({ service, settings }: TestApp, role?: string): Promise<void> => {
    const others = settings.policy.bindings.filter((each) => !('groups' in each && each.groups.includes('editors')));
    const bindings = role === undefined ? others : [...others, { groups: ['editors'], role }];
    await service.reload({ ...settings, policy: { ...settings.policy, bindings } });
  };

  test('takes what may not be seen any more off the page, with the buttons', async ({
    app,
    bucket,
    files,
    openAs,
    page,
  }) => {
    await files.put('shut/a.txt', 'secret text');
    await openAs('eve', `${app.origin}/p/main/${bucket}?prefix=shut%2F&object=shut%2Fa.txt`);
    await expect(page.getByText('secret text')).toBeVisible();
    await editorsAre(app);
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await expect(page.getByText('You may not see what is in')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'You may not open this file' })).toBeVisible();
    await expect(page.getByText('secret text')).toHaveCount(0);
    await expect(page.getByRole('button', { name: /^(Upload files|New folder|Delete|Download)$/ })).toHaveCount(0);
  });

  test('takes the buttons away once the service has refused what one of them does', async ({
    app,
    files,
    openFolder,
    page,
  }) => {
    await files.put('kept/a.txt', 'x');
    await openFolder('kept/');
    await row(page, 'a.txt').click({ modifiers: ['Control'] });
    await editorsAre(app, 'viewer');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await expect(tray(page).getByRole('button', { name: 'Finished with errors' })).toBeVisible();
    await expect(page.getByRole('button', { name: /^(Upload files|New folder)$/ })).toHaveCount(0);
    await row(page, 'a.txt').getByRole('button', { name: 'Actions on a.txt' }).click();
    await expect(page.getByRole('menuitem', { name: 'Download' })).toBeVisible();
    await expect(page.getByRole('menuitem', { name: 'Delete' })).toHaveCount(0);
  });
});
