import { expect, type Locator, type Page } from '@playwright/test';
import { load as parseYaml } from 'js-yaml';
import { ATOMIC_ACTIONS } from '../../src/policy/model/action.ts';
import { finishSignIn } from '../support/app.ts';
import { signInDesktop } from '../support/desktop-client.ts';
import { endSessionsOf } from '../support/end-sessions.ts';
import { RpcClient } from '../support/rpc-client.ts';
import { accessibilityFaults, choose, dialog, row, sendTwice } from '../support/page.ts';
import { Visitor } from '../support/visitor.ts';
import { core, test } from './fixtures.ts';
import { expectGoodScreen } from './views.ts';

const policy = (page: Page, name: string | RegExp) => page.getByRole('region', { name });
const rules = (page: Page) => policy(page, /^Policy /).getByRole('listitem');

const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name, exact: true });

async function filter(page: Page, label: string, choice: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: choice, exact: true }).click();
}

/** The words of a row that are on several lines each. */
function brokenWords(row: Element, words: readonly string[]): readonly string[] {
  const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  const broken: string[] = [];
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode())
    for (const word of words) {
      const at = node.textContent?.indexOf(word) ?? -1;
      if (at === -1) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + word.length);
      if (range.getClientRects().length > 1) broken.push(word);
    }
  return broken;
}

/** Asks about one action instead of those before. */
async function askAbout(page: Page, action: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Actions' }).press('Backspace');
  await filter(page, 'Actions', action);
  await page.keyboard.press('Escape');
}

test.describe('the administration', () => {
  test('shows the normalized rules, and filters them by effect, action, provider and bucket', async ({
    app,
    openAs,
    page,
  }) => {
    await openAs('ada', `${app.origin}/admin/policies`);
    // The defaults, and the policies `photos`, `team`, `keeper` and `courier`.
    await expect(rules(page)).toHaveCount(3 + 3 + 4 + 2 + 3);
    await expect(policy(page, 'Policy photos').getByRole('listitem').first()).toContainText(
      'People in photographers may see the provider: main.',
    );
    await expect(policy(page, 'Policy photos')).toContainText(
      'People in photographers may list, read and write keys of main/photos that start with 2025/.',
    );
    await expect(policy(page, 'Policy team')).toContainText(
      'People in team must not list, read, write, delete or share keys of main/files that start with secret/.',
    );
    await expect(policy(page, 'Policy team')).toContainText(
      'may list, read, write, delete and share everything in main/files. They may also see the bucket.',
    );
    await expect(policy(page, 'Policy default-admin')).toContainText(
      'They may also see all providers, see all buckets, create buckets and delete buckets.',
    );
    expect(await accessibilityFaults(page)).toEqual([]);
    await filter(page, 'Effect', 'deny');
    await expect(rules(page)).toHaveCount(2 + 2);
    await filter(page, 'Action', 'objects:list');
    await expect(rules(page)).toHaveCount(1);
    await expect(page.getByText('keys of main/files that start with secret/')).toBeVisible();
    await filter(page, 'Bucket', 'photos');
    await expect(page.getByText('No rule matches')).toBeVisible();
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await filter(page, 'Provider', 'main');
    await page.waitForURL('**/admin/policies?provider=main');
    await page.reload();
    await expect(rules(page).first()).toBeVisible();
    await expect(page.getByRole('combobox', { name: 'Provider' })).toHaveValue('main');
    await expectGoodScreen(page, 'admin-policies', rules(page).first());
  });

  test('shows roles and bindings, which lead to the rules of their policies', async ({ app, openAs, page }) => {
    await openAs('ada', `${app.origin}/admin/roles`);
    await expect(row(page, 'editor').getByText('default-write')).toBeVisible();
    expect(await accessibilityFaults(page)).toEqual([]);
    await tab(page, 'Bindings').click();
    await expect(row(page, 'photographers')).toContainText(/Binding \d/);
    expect(await accessibilityFaults(page)).toEqual([]);
    await row(page, 'photographers').getByRole('link', { name: 'photos', exact: true }).click();
    await expect(page.getByRole('combobox', { name: 'Policy' })).toHaveValue('photos');
    await expect(rules(page)).toHaveCount(3);
    await page.goBack();
    await page.getByRole('link', { name: 'editor', exact: true }).click();
    await expect(page).toHaveURL(/\/admin\/roles\?role=editor$/);
    await expect(page.getByRole('table', { name: 'Roles' }).getByRole('row')).toHaveCount(1 + 1);
    await page.getByRole('link', { name: 'Show all roles' }).click();
    await expect(page.getByRole('table', { name: 'Roles' }).getByRole('row')).toHaveCount(1 + 3);
  });

  test('begins with who has access; each page is a link with its own address and history', async ({
    app,
    openAs,
    page,
  }) => {
    await openAs('ada', `${app.origin}/admin`);
    await expect(page).toHaveURL(`${app.origin}/admin/who`);
    await expect(tab(page, 'Who has access')).toHaveAttribute('aria-current', 'page');
    await expect(page.getByRole('button', { name: 'Show who' })).toBeVisible();
    await tab(page, 'Roles').click();
    await expect(page).toHaveURL(`${app.origin}/admin/roles`);
    await expect(tab(page, 'Roles')).toHaveAttribute('aria-current', 'page');
    const opened = page.context().waitForEvent('page');
    await tab(page, 'Bindings').click({ modifiers: ['Control'] });
    await expect(row(await opened, 'photographers')).toBeVisible();
    await expect(page).toHaveURL(`${app.origin}/admin/roles`);
    await page.goBack();
    await expect(page.getByRole('button', { name: 'Show who' })).toBeVisible();
  });

  test('answers about several actions at once, and why opens beneath its row, in view and with the focus', async ({
    app,
    openAs,
    page,
  }) => {
    await page.setViewportSize({ width: 1280, height: 500 });
    await openAs('ada', `${app.origin}/admin/check?provider=main&bucket=files&prefix=secret%2F&group=team`);
    const why = page.getByRole('region', { name: 'objects:get', exact: true });
    await page.getByRole('button', { name: 'Why: objects:get' }).press('Enter');
    await expect(why).toBeFocused();
    await expect(why.getByRole('table')).toBeInViewport({ ratio: 1 });
    expect(
      await page
        .getByRole('row')
        .filter({ hasText: 'objects:get' })
        .first()
        .evaluate((asked, answer) => asked.nextElementSibling?.contains(answer) ?? false, await why.elementHandle()),
    ).toBe(true);
    await filter(page, 'Actions', 'objects:read');
    await page.getByRole('option', { name: 'objects:write', exact: true }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.waitForURL('**action=objects%3Aread&action=objects%3Awrite');
    const some = page.getByRole('table', { name: 'Actions on main/files/secret/' });
    await expect(some.getByRole('button', { name: 'Why:' })).toHaveCount(3);
    for (const action of ['objects:list', 'objects:get', 'objects:write'])
      await expect(some.getByRole('button', { name: `Why: ${action}` })).toBeVisible();
    await page.goto(`${app.origin}/admin/who?provider=main&bucket=files&action=objects%3Aget&action=objects%3Awrite`);
    for (const action of ['objects:get', 'objects:write'])
      await expect(
        page.getByRole('table', { name: `${action} on main/files` }).getByRole('row', { name: 'editors' }),
      ).toContainText('Allowed');
    await page.getByRole('link', { name: 'editor', exact: true }).first().click();
    await expect(page).toHaveURL(/\/admin\/roles\?role=editor$/);
  });

  test(
    'checks what somebody may do: every action on a place, and one with the rules that decide',
    core,
    async ({ app, openAs, page }) => {
      await openAs('ada', `${app.origin}/admin/check`);
      await page.getByRole('combobox', { name: 'Groups' }).fill('team');
      await page.keyboard.press('Enter');
      await page.getByRole('textbox', { name: 'Bucket', exact: true }).fill('files');
      await page.getByRole('textbox', { name: 'Prefix' }).fill('secret/');
      await page.getByRole('button', { name: 'Check' }).click();
      const every = page.getByRole('table', { name: 'Every action on main/files/secret/' });
      await expect(every.getByRole('row')).toHaveCount(1 + ATOMIC_ACTIONS.length);
      await expect(every.getByRole('row', { name: 'buckets:list' })).toContainText('Allowed');
      await expect(every.getByRole('row', { name: 'objects:write' })).toContainText('Denied');
      await page.getByRole('button', { name: 'Why: objects:get' }).click();
      await expect(
        page
          .getByRole('table', { name: 'Rules about objects:get' })
          .getByText('keys of main/files that start with secret/'),
      ).toBeVisible();
      await expectGoodScreen(page, 'admin-check', every);
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.getByRole('textbox', { name: 'Prefix' }).fill('');
      await page.getByRole('textbox', { name: 'Key' }).fill('secret/plan & Ü.txt');
      await askAbout(page, 'objects:get');
      await page.getByRole('button', { name: 'Check' }).click();
      await expect(page.getByRole('status').filter({ hasText: 'Denied' })).toBeVisible();
      await expect(
        page
          .getByRole('table', { name: 'Rules about objects:get' })
          .getByText('keys of main/files that start with secret/'),
      ).toBeVisible();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.reload();
      await expect(page.getByText('objects:get on main/files/secret/plan & Ü.txt')).toBeVisible();
      await page.getByRole('textbox', { name: 'Key' }).fill('plan.txt');
      await page.keyboard.press('Enter');
      await expect(page.getByRole('status').filter({ hasText: 'Allowed' })).toBeVisible();
      await page.getByRole('textbox', { name: 'Key' }).fill('');
      await page.keyboard.press('Enter');
      await expect(page.getByText('name its key')).toBeVisible();
    },
  );

  test('checks a typed person with the groups of their last sign-in, and says so', async ({
    app,
    openAs,
    page,
    signedIn,
  }) => {
    await signedIn(app.origin, 'dan');
    await openAs('ada', `${app.origin}/admin/check`);
    const ask = async (subject: string): Promise<void> => {
      await page.getByRole('combobox', { name: 'Subject' }).fill(subject);
      await page.getByRole('textbox', { name: 'Bucket', exact: true }).fill('files');
      await page.getByRole('textbox', { name: 'Prefix' }).click();
      await page.keyboard.press('Enter');
    };
    const list = page.getByRole('row', { name: 'buckets:list' });
    await ask('dan');
    await expect(list).toContainText('Allowed');
    await expect(page.getByText('These are the groups of the last sign-in of dan.')).toBeVisible();
    await expect(page).toHaveURL(/group=team/);
    await page.getByRole('combobox', { name: 'Groups' }).press('Backspace');
    await page.getByRole('button', { name: 'Check' }).click();
    await expect(list).toContainText('Denied');
    await expect(page.getByText('This does not apply to dan')).toBeVisible();
    await page.getByRole('button', { name: 'Use these groups' }).click();
    await expect(list).toContainText('Allowed');
    await ask('nobody-knows');
    await expect(page.getByText('No sign-in of nobody-knows is known')).toBeVisible();
    await page.goto(`${app.origin}/admin/view-as`);
    await page.getByRole('combobox', { name: 'Subject' }).fill('dan');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('status', { name: 'View as' })).toContainText('with the groups team');
  });

  test('names who has access, from a bucket and a folder on, and in the address', async ({ app, openAs, page }) => {
    // No other test looks at the keys of this person.
    await openAs('kim', `${app.origin}/`);
    await page.evaluate(async () => {
      const params = { provider: 'main', description: 'nightly backup' };
      await fetch('/rpc', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 's3Key/create', params }),
      });
    });
    await openAs('ada', `${app.origin}/p/main/files?prefix=secret%2F`);
    await page.getByRole('button', { name: 'More actions on this folder' }).click();
    await page.getByRole('menuitem', { name: 'Who has access' }).click();
    await page.waitForURL('**/admin/who?provider=main&bucket=files&prefix=secret%2F');
    const table = page.getByRole('table', { name: 'objects:get on main/files/secret/' });
    await expect(table.getByRole('row', { name: 'team' })).toContainText('Denied');
    await expect(table.getByRole('row', { name: 'team' })).toContainText('keys of main/files that start with secret/');
    await expect(table.getByRole('row', { name: 'editors' })).toContainText('Allowed');
    await expect(page.getByRole('status').filter({ hasText: 'Everybody else is denied' })).toBeVisible();
    const known = page.getByRole('button', { name: 'Known people in editors', exact: true });
    await expect(known).toHaveAttribute('aria-expanded', 'false');
    await known.press('Enter');
    await expect(known).toHaveAttribute('aria-expanded', 'true');
    await expect(
      table.getByRole('row', { name: 'editors' }).getByRole('listitem').filter({ hasText: 'Kim Keeper' }),
    ).toBeVisible();
    const keys = page.getByRole('table', { name: 'Keys for objects:get' });
    await expect(keys.getByRole('row', { name: 'nightly backup' })).toContainText('S3 key');
    await expectGoodScreen(page, 'admin-who', table);
    await page.setViewportSize({ width: 1280, height: 800 });
    await askAbout(page, 'buckets:list');
    await page.getByRole('button', { name: 'Show who' }).click();
    await expect(page.getByRole('table', { name: 'buckets:list on main/files/secret/' })).toBeVisible();
    await page.goto(`${app.origin}/p/main`);
    await page.getByRole('button', { name: 'Actions on files' }).click();
    await page.getByRole('menuitem', { name: 'Who has access' }).click();
    await expect(
      page.getByRole('table', { name: 'objects:get on main/files/' }).getByRole('row', { name: 'team' }),
    ).toContainText('Allowed');
    await expect(page.getByText('Narrower rules apply to these places.')).toBeVisible();
    await askAbout(page, 'objects:read');
    await page.getByRole('button', { name: 'Show who' }).click();
    await page.waitForURL('**action=objects%3Aread**');
    await expect(page.getByText('Narrower rules apply to these places.')).toBeVisible();
    await askAbout(page, 'objects:get');
    await page.getByRole('button', { name: 'Show who' }).click();
    await page.waitForURL('**action=objects%3Aget**');
    await page.getByRole('link', { name: 'secret/', exact: true }).click();
    await expect(
      page.getByRole('table', { name: 'objects:get on main/files/secret/' }).getByRole('row', { name: 'team' }),
    ).toContainText('Denied');
    await expect(page.getByText('Narrower rules apply to these places.')).toHaveCount(0);
    await openAs('eve', `${app.origin}/p/main/files`);
    await page.getByRole('button', { name: 'More actions on this folder' }).click();
    await expect(page.getByRole('menuitem', { name: 'Calculate size' })).toBeVisible();
    await expect(page.getByRole('menuitem', { name: 'Who has access' })).toHaveCount(0);
  });

  for (const path of ['who', 'check'])
    test(`says at the field what is wrong with the place of a question: ${path}`, async ({ app, openAs, page }) => {
      await openAs('ada', `${app.origin}/admin/${path}?provider=main&action=objects%3Aget&bucket=files&prefix=a`);
      const field = (name: string) => page.getByRole('textbox', { name, exact: true });
      const ask = () => page.getByRole('button', { name: /^(?:Show who|Check)$/ }).click();
      for (const [bucket, prefix, key, wrong, message] of [
        ['My Files', 'a', '', 'Bucket', 'Use lower-case letters, digits, dots and hyphens only.'],
        ['', 'a', '', 'Bucket', 'Name the bucket.'],
        ['', '', '', 'Bucket', 'Name the bucket.'],
        ['files', 'a', 'b', 'Key', 'Give either a prefix or a key.'],
        ['files', 'ö'.repeat(513), '', 'Prefix', 'It is too long. A key can have up to 1,024 bytes.'],
      ] as const) {
        await field('Bucket').fill(bucket);
        await field('Prefix').fill(prefix);
        await field('Key').fill(key);
        await ask();
        await expect(field(wrong)).toBeFocused();
        await expect(field(wrong)).toHaveAccessibleDescription(message);
      }
      await expect(page).toHaveURL(/bucket=files&prefix=a$/);
      expect(await accessibilityFaults(page)).toEqual([]);
      await field('Prefix').fill('a/../b');
      await ask();
      await expect(page.getByRole('heading', { name: 'This cannot be asked' })).toBeVisible();
      await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0);
      await page.getByRole('combobox', { name: 'Provider' }).fill('no provider');
      await ask();
      await expect(page.getByText('No provider can have this name.')).toBeVisible();
    });

  test("tells who did what: one object's life, one person's day, and what was denied", async ({
    app,
    openAs,
    page,
  }) => {
    const dan = await app.signIn('dan');
    const write = (key: string) =>
      dan.request(`${app.origin}/api/providers/main/buckets/files/object?key=${encodeURIComponent(key)}`, {
        method: 'PUT',
        body: 'x',
        headers: { origin: app.origin },
      });
    await write('audited.txt');
    await write('secret/audited.txt');
    await openAs('ada', `${app.origin}/admin/audit`);
    const table = page.getByRole('table', { name: 'Audit' });
    const denied = table.getByRole('row').filter({ hasText: 'main/files/secret/audited.txt' }).first();
    await expect(denied).toContainText('Dan Denied');
    await expect(denied).toContainText('Denied by team rule 3');
    await table.getByRole('link', { name: 'main/files/audited.txt' }).first().click();
    await expect(page.getByRole('textbox', { name: 'Object' })).toHaveValue('main/files/audited.txt');
    await expect(denied).toHaveCount(0);
    await expectGoodScreen(page, 'admin-audit', table.getByRole('row').nth(1));
    await page.setViewportSize({ width: 1280, height: 800 });
    await table.getByRole('link', { name: 'Audit of Dan Denied on this day' }).first().click();
    await expect(page.getByRole('textbox', { name: 'Subject' })).toHaveValue('dan');
    await expect(denied).toBeVisible();
    await filter(page, 'Outcome', 'Denied');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.waitForURL('**outcome=denied**');
    await expect(denied).toContainText('Upload');
    await expect(denied).toContainText('object/write');
    await expect(
      table.getByRole('row').filter({ hasText: 'object/write' }).filter({ hasNotText: 'Denied' }),
    ).toHaveCount(0);
    await page.getByLabel('To', { exact: true }).fill('2001-01-01');
    await page.getByLabel('From', { exact: true }).fill('2000-12-31');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await expect(page.getByText('Nothing in the audit')).toBeVisible();
  });

  test('tells a copy, a move and a new name apart', async ({ app, openAs, page }) => {
    const eve = await app.signIn('eve');
    const file = `${app.origin}/api/providers/main/buckets/files`;
    const headers = { origin: app.origin, 'content-type': 'application/json' };
    await eve.request(`${file}/object?key=told%2Fa.txt`, { method: 'PUT', body: 'x', headers });
    for (const [from, to, move] of [
      ['told/a.txt', 'told/copy.txt', false],
      ['told/a.txt', 'told/named.txt', true],
      ['told/named.txt', 'told-elsewhere/named.txt', true],
    ] as const) {
      const body = JSON.stringify({ key: from, to: { key: to }, move });
      expect((await eve.request(`${file}/objects/copy`, { method: 'POST', body, headers })).status).toBe(200);
    }
    await openAs('ada', `${app.origin}/admin/audit?operation=object%2Fcopy&subject=eve`);
    const rows = page.getByRole('table', { name: 'Audit' }).getByRole('row');
    const what = (about: string | RegExp) => rows.filter({ hasText: about }).first().getByRole('cell').nth(2);
    await expect(what('told/copy.txt')).toContainText(/^Copy\s*object/);
    await expect(what(/told\/a\.txt.*told\/named\.txt/s)).toContainText(/^Rename\s*object/);
    await expect(what('told-elsewhere/named.txt')).toContainText(/^Move\s*object/);
    for (const [key, did] of [
      ['told/copy.txt', 'Copy'],
      ['told-elsewhere/named.txt', 'Move'],
    ] as const) {
      await page.goto(`${app.origin}/p/main/files?object=${encodeURIComponent(key)}`);
      await page.getByRole('button', { name: 'Show activity' }).click();
      await expect(page.getByRole('region', { name: 'Activity' }).getByText(did, { exact: true })).toBeVisible();
    }
  });

  test('breaks no word of an operation or of a person, beside a long name', async ({ app, openAs, page }) => {
    const eve = await app.signIn('eve');
    const key = `nowhere/${'a long name of a folder/'.repeat(5)}${'and_a_file_name_without_spaces_'.repeat(3)}`;
    const params = { provider: 'main', bucket: 'files', key, ifMatch: '"x"' };
    await eve.request(`${app.origin}/rpc`, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'object/setProperties', params }),
      headers: { origin: app.origin, 'content-type': 'application/json' },
    });
    await openAs('ada', `${app.origin}/admin/audit?operation=object%2FsetProperties&subject=eve`);
    const row = page.getByRole('table', { name: 'Audit' }).getByRole('row').nth(1);
    await expect(row).toContainText('object/setProperties');
    expect(await row.evaluate(brokenWords, ['Change', 'properties', 'Eve', 'Editor', 'setProperties'])).toEqual([]);
  });

  test('tells which objects of one request were done and which were not, and that no rule allowed it', async ({
    app,
    openAs,
    page,
  }) => {
    const dan = await app.signIn('dan');
    const send = (path: string, body: unknown) =>
      dan.request(`${app.origin}/api/providers/main/buckets/${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { origin: app.origin, 'content-type': 'application/json' },
      });
    await send('files/objects/delete', { keys: ['mixed/a.txt', 'secret/mixed.txt'] });
    await send('photos/objects/delete', { keys: ['mixed.jpg'] });
    await openAs('ada', `${app.origin}/admin/audit?subject=dan`);
    const table = page.getByRole('table', { name: 'Audit' });
    const mixed = table.getByRole('row').filter({ hasText: 'main/files/mixed/a.txt' }).first().getByRole('cell').nth(3);
    await expect(mixed).toContainText(
      /^Denied\s*main\/files\/secret\/mixed\.txt\s*main\/files\/mixed\/a\.txt\s*(Allowed|Denied) by/,
    );
    const unallowed = table
      .getByRole('row')
      .filter({ hasText: 'main/photos/mixed.jpg' })
      .first()
      .getByRole('cell')
      .nth(3);
    await expect(unallowed).toContainText(/^main\/photos\/mixed\.jpg\s*No rule allows it\.$/);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('tells in the details what happened to an object, to who may read it', async ({ app, openAs, page }) => {
    const eve = await app.signIn('eve');
    await eve.request(`${app.origin}/api/providers/main/buckets/files/object?key=active.txt`, {
      method: 'PUT',
      body: 'x',
      headers: { origin: app.origin },
    });
    await eve.request(`${app.origin}/api/providers/main/buckets/files/object?key=active.txt`, {
      method: 'PUT',
      body: 'y',
      headers: { origin: app.origin, 'if-none-match': '*' },
    });
    await openAs('vic', `${app.origin}/p/main/files?object=active.txt`);
    await page.getByRole('button', { name: 'Show activity' }).click();
    const activity = page.getByRole('region', { name: 'Activity' });
    // What is done needs no mark.
    await expect(activity.getByText(/^Upload$/).first()).toBeVisible();
    await expect(activity).toContainText('Eve Editor');
    await expect(activity).toContainText('Who only read this file, administrators see.');
    await expect(activity).not.toContainText('Done');
    await expect(activity).toContainText(/UploadNot done\s*The name was taken, or the file had changed\./);
    await expect(activity).not.toContainText('Failed');
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('opens the question of somebody who was refused, and says why', async ({ app, openAs, page }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await openAs('dan', `${app.origin}/p/main/files?object=secret%2Fplan.txt`);
    const refusal = page.getByRole('alert').filter({ hasText: 'You may not open this file' });
    await expect(refusal).toContainText(
      'You may not open main / files / secret/plan.txt. Access was denied to you. Ask an administrator of this service for access.',
    );
    await expect(refusal).toContainText(/Request [0-9a-f-]{36}/);
    expect(await accessibilityFaults(page)).toEqual([]);
    await refusal.getByRole('button', { name: 'Copy details' }).click();
    await expect(refusal.getByRole('button', { name: 'Copied' })).toBeVisible();
    const details = await page.evaluate(() => navigator.clipboard.readText());
    expect(details).toMatch(
      /Action: objects:get\nPlace: main \/ files \/ secret\/plan\.txt\nReason: explicit_deny\nRequest: [0-9a-f-]{36}\n/,
    );
    const link = /^For administrators: (.*)$/m.exec(details)![1]!;
    await openAs('ada', link);
    await expect(page.getByRole('status').filter({ hasText: 'Denied' })).toBeVisible();
    await expect(page.getByText('objects:get on main/files/secret/plan.txt')).toBeVisible();
    await expect(
      page
        .getByRole('table', { name: 'Rules about objects:get' })
        .getByText('keys of main/files that start with secret/'),
    ).toBeVisible();
  });

  test('shows what somebody would see, by a choice and from a session, and says so until it is left', async ({
    app,
    openAs,
    page,
  }) => {
    await app.signIn('dan');
    await openAs('ada', `${app.origin}/admin/view-as`);
    await page.getByRole('combobox', { name: 'Subject' }).fill('denied');
    await page.getByRole('option', { name: 'Dan Denied dan', exact: true }).click();
    await page.getByRole('button', { name: 'View as this person' }).click();
    const banner = page.getByRole('status', { name: 'View as' });
    await expect(banner).toContainText('This is what dan would see, with the groups team.');
    const main = page.getByRole('region', { name: 'Provider main' });
    await expect(main).toContainText('files');
    await expect(main).toContainText('listed only.txt');
    await expect(main.getByText('Upload files')).toBeVisible();
    await expect(main).not.toContainText('Create bucket');
    await expect(main).not.toContainText('photos');
    await expect(main).not.toContainText('Who has access');
    // That button is the desktop application's.
    await expect(main).not.toContainText('Download as…');
    await expectGoodScreen(page, 'admin-view-as', main);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Leave this view' }).click();
    await expect(banner).toBeHidden();
    const odd = `<script>${'x'.repeat(480)}</script>\u202Efdp`;
    await page.getByRole('combobox', { name: 'Subject' }).fill(odd);
    await page.getByRole('combobox', { name: 'Groups' }).fill('photographers');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'View as this person' }).click();
    await expect(main).toContainText('2025/');
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
    ).toBeLessThanOrEqual(0);
    await page.goto(`${app.origin}/admin/sessions?person=dan`);
    await page.getByRole('button', { name: 'More for Dan Denied' }).first().click();
    await page.getByRole('menuitem', { name: 'View as this person' }).click();
    await expect(banner).toContainText('This is what dan would see, with the groups team.');
  });

  test('suspends a person, whose sessions end and who cannot sign in, and resumes them', async ({
    app,
    openAs,
    page,
  }) => {
    const victim = await app.signIn('dan');
    await openAs('ada', `${app.origin}/admin/sessions?person=dan`);
    await page.getByRole('button', { name: 'More for Dan Denied' }).first().click();
    await page.getByRole('menuitem', { name: 'Suspend this person' }).click();
    await expect(dialog(page)).toContainText('they cannot sign in until an administrator resumes them');
    await dialog(page).getByRole('button', { name: 'Suspend' }).click();
    const suspended = page.getByRole('table', { name: 'Suspended people' });
    await expect(suspended.getByRole('row').filter({ hasText: 'Dan Denied' })).toHaveCount(1);
    await expect(page.getByText('Nobody with this name or subject is signed in.')).toBeVisible();
    await expectGoodScreen(page, 'admin-suspended', suspended);
    const statusOf = async () =>
      (await victim.request(`${app.origin}/api/providers`, { headers: { accept: 'application/json' } })).status;
    expect(await statusOf()).toBe(401);
    expect(await (await finishSignIn(`${app.origin}/api/auth/login`, 'dan', new Visitor())).text()).toContain(
      'suspended',
    );
    await page.goto(`${app.origin}/admin/audit?operation=person%2Fsuspend`);
    const about = page.getByRole('table', { name: 'Audit' }).getByRole('row').nth(1).getByRole('cell').nth(3);
    await expect(about).toContainText('Belongs to Dan Denied');
    await expect(about).not.toContainText('Belongs to dan');
    await page.goto(`${app.origin}/admin/sessions?person=dan`);
    await page.getByRole('button', { name: 'Resume person Dan Denied' }).click();
    await dialog(page).getByRole('button', { name: 'Resume' }).click();
    await expect(suspended).toHaveCount(0);
    await app.signIn('dan');
    await page.reload();
    await expect(row(page, 'Dan Denied')).toHaveCount(1);
  });

  test('lists sessions with their address and last use, sorts and filters them, and ends one or all of a person', async ({
    app,
    openAs,
    page,
    signedIn,
  }) => {
    // Other tests of this worker may have signed him in.
    await endSessionsOf(app.origin, await signedIn(app.origin, 'ada'), 'dan');
    const victims = [await app.signIn('dan'), await app.signIn('dan'), await app.signIn('dan')];
    await openAs('ada', `${app.origin}/admin/sessions`);
    await expect(row(page, 'Dan Denied')).toHaveCount(3);
    await expect(row(page, 'Ada Admin').filter({ hasText: 'This one' })).toHaveCount(1);
    await expect(row(page, 'Dan Denied').first()).toContainText('127.0.0.1');
    const who = page.getByRole('columnheader', { name: 'Who' });
    await expect(who).toHaveAttribute('aria-sort', 'none');
    await who.getByRole('button').press('Enter');
    await expect(who).toHaveAttribute('aria-sort', 'ascending');
    await who.getByRole('button').press('Enter');
    await expect(who).toHaveAttribute('aria-sort', 'descending');
    await expectGoodScreen(page, 'admin-sessions', page.getByRole('table', { name: 'Sessions' }));
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('textbox', { name: 'Person' }).fill('DAN');
    await expect(row(page, 'Ada Admin')).toHaveCount(0);
    await page.waitForURL('**/admin/sessions?person=DAN');
    await page.getByRole('button', { name: 'End the session of Dan Denied' }).first().click();
    await dialog(page).getByRole('button', { name: 'End session' }).click();
    await expect(row(page, 'Dan Denied')).toHaveCount(2);
    await page.getByRole('button', { name: 'More for Dan Denied' }).first().click();
    await page.getByRole('menuitem', { name: 'End all sessions of this person' }).click();
    await dialog(page).getByRole('button', { name: 'End all sessions' }).click();
    await expect(page.getByText('Nobody with this name or subject is signed in.')).toBeVisible();
    for (const victim of victims) {
      const answer = await victim.request(`${app.origin}/api/providers`, { headers: { accept: 'application/json' } });
      expect(answer.status).toBe(401);
    }
    await page.goto(`${app.origin}/admin/audit?operation=session%2FrevokeAll`);
    await expect(page.getByRole('table', { name: 'Audit' }).getByRole('row').nth(1)).toContainText(
      /session\/[0-9a-f]+.*Belongs to Dan Denied/,
    );
  });

  test('ends a session when a proxy sends the request twice', async ({ app, openAs, page }) => {
    await app.signIn('nobody');
    await openAs('ada', `${app.origin}/admin/sessions?person=nora`);
    await sendTwice(page, /\/sessions\/[^/]+$/);
    await page.getByRole('button', { name: 'End the session of Nora Nobody' }).first().click();
    await dialog(page).getByRole('button', { name: 'End session' }).click();
    await expect(dialog(page)).toHaveCount(0);
  });

  test('tells what came of sign-ins: claims, bindings, groups that no binding names, and why somebody was refused', async ({
    app,
    openAs,
    page,
  }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await app.signIn('vic');
    const stranger = new Visitor();
    await finishSignIn(`${app.origin}/api/auth/login`, 'cancel', stranger);
    await openAs('ada', `${app.origin}/admin/sign-ins?person=vic`);
    // No name is stored, so none can be found.
    await expect(page.getByRole('textbox', { name: 'Person' })).toHaveAttribute('placeholder', 'subject');
    const table = page.getByRole('table', { name: 'Sign-ins' });
    const vic = table.getByRole('row').filter({ hasText: 'vic' }).first();
    await expect(vic).toContainText('Signed in');
    await expect(vic).toContainText('1 group without a binding');
    await page.getByRole('button', { name: 'Details of the sign-in of vic' }).first().click();
    await expect(page.getByRole('region', { name: 'Matching bindings' })).toContainText(
      /by the group viewers → role viewer/,
    );
    await expect(page.getByRole('region', { name: 'Received claims' })).toContainText('groups');
    const fix = page.getByRole('region', { name: 'Groups without a binding' });
    await expectGoodScreen(page, 'admin-sign-ins', fix);
    await page.setViewportSize({ width: 1280, height: 800 });
    await fix.getByRole('button', { name: 'Copy' }).click();
    await expect(fix.getByRole('button', { name: 'Copied' })).toBeVisible();
    expect(parseYaml(await page.evaluate(() => navigator.clipboard.readText()))).toEqual({
      bindings: [{ groups: ['unrelated'], role: 'ROLE' }],
    });
    await filter(page, 'Result', 'Refused, person unknown');
    await page.waitForURL('**result=unknown**');
    await expect(page.getByText('No sign-in matches these filters.')).toBeVisible();
    await page.getByRole('textbox', { name: 'Person' }).fill('');
    const refused = table.getByRole('row').filter({ hasText: 'The identity provider answered access_denied' }).first();
    await expect(refused).toContainText('Refused');
    await refused.getByRole('button', { name: 'Details of the sign-in' }).click();
    await expect(page.getByRole('region', { name: 'Why it was refused' })).toContainText('login_refused');
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test("lists everybody's API keys by person, and revokes one or all of a person", async ({ app, openAs, page }) => {
    const { access_token: bearer } = await signInDesktop(app, 'dan');
    const rpc = RpcClient.bearer(app.origin, bearer);
    for (const description of ['nightly <b>backup</b>', 'report', 'mirror'])
      await rpc.call('apiKey/create', {
        description,
        scope: {
          rules: [
            {
              actions: ['objects:read'],
              resources: [{ type: 'prefix', provider: 'main', bucket: 'files', prefix: 'open/' }],
            },
          ],
        },
        expiresAt: null,
      });
    await openAs('ada', `${app.origin}/admin/sessions?person=dan`);
    await page.getByRole('button', { name: 'More for Dan Denied' }).first().click();
    await page.getByRole('menuitem', { name: 'API keys of this person' }).click();
    await page.waitForURL('**/admin/keys?person=dan');
    await expect(row(page, 'Dan Denied')).toHaveCount(3);
    await expect(row(page, 'nightly <b>backup</b>')).toContainText('keys of main/files that start with open/');
    await expectGoodScreen(page, 'admin-keys', page.getByRole('table', { name: "Everybody's API keys" }));
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Revoke report' }).click();
    await dialog(page).getByRole('button', { name: 'Revoke' }).click();
    await expect(row(page, 'Dan Denied')).toHaveCount(2);
    await page.getByRole('button', { name: 'More for mirror' }).click();
    await page.getByRole('menuitem', { name: 'Revoke all keys of this person' }).click();
    await dialog(page).getByRole('button', { name: 'Revoke all' }).click();
    await expect(page.getByText('Nobody with this name or subject has one.')).toBeVisible();
    expect((await rpc.call('apiKey/list', {})).keys).toEqual([]);
  });

  test('shows which providers answer; one that is down is a row on its page too, and comes back', async ({
    app,
    openAs,
    page,
  }) => {
    app.storageCalls.spoil = () => 'cut';
    try {
      await openAs('ada', `${app.origin}/admin/providers`);
      const main = row(page, 'main');
      await expect(main).toContainText('Not reachable');
      await expectGoodScreen(page, 'admin-providers', main);
      await page.setViewportSize({ width: 1280, height: 800 });
      await main.getByRole('link', { name: 'main' }).click();
      const down = page.getByRole('main').getByRole('alert').filter({ hasText: 'main' });
      await expect(down).toBeVisible();
      app.storageCalls.spoil = undefined;
      await down.getByRole('button', { name: 'Try again' }).click();
      const buckets = page.getByRole('table', { name: 'Buckets of main' });
      // Tests of other files may have created buckets of their own.
      const known = buckets.getByRole('row', { name: /^(files|photos)\b/ });
      await expect(known).toHaveText([/^files/, /^photos/]);
      await buckets.getByRole('button', { name: 'Bucket' }).click();
      await buckets.getByRole('button', { name: 'Bucket' }).click();
      await expect(known).toHaveText([/^photos/, /^files/]);
      await page.goBack();
      await expect
        .poll(
          async () => {
            await page.getByRole('button', { name: 'Check again' }).click();
            return main.textContent();
          },
          { timeout: 20_000, intervals: [1_000] },
        )
        .toContain('Reachable');
    } finally {
      app.storageCalls.spoil = undefined;
    }
  });

  test('tells an editor that it needs the admin role', async ({ app, openAs, page }) => {
    await openAs('eve', `${app.origin}/admin/roles`);
    await expect(page.getByText('This needs the admin role')).toBeVisible();
    await expect(page.getByRole('navigation', { name: 'Administration' })).toHaveCount(0);
  });

  test('leads to a reference in the colours of the UI, which goes back', async ({ app, openAs, page }) => {
    await openAs('ada', `${app.origin}/api/docs`);
    await expect(page.getByRole('heading', { name: /^svc/ })).toBeVisible({ timeout: 30_000 });
    await expect(page.locator('.topbar')).toHaveCount(0);
    for (const [colorScheme, ground] of [
      ['light', 'rgb(245, 247, 248)'],
      ['dark', 'rgb(17, 21, 27)'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await expect(page.locator('body')).toHaveCSS('background-color', ground);
      if (process.env['SCREENSHOTS'] !== undefined)
        await page.screenshot({ path: `${process.env['SCREENSHOTS']}/reference-${colorScheme}.png` });
    }
    await page.getByRole('link', { name: 'Back to the storage' }).click();
    await page.waitForURL(`${app.origin}/`);
  });

  test('fits a narrow screen', async ({ app, openAs, page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await openAs('ada', `${app.origin}/admin/policies`);
    await expect(page.getByText('default-viewer').first()).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(await accessibilityFaults(page)).toEqual([]);
  });
});

test.describe('with fingers', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });

  test('targets are 44 px, the tabs scroll, and the bar of a selection is at the bottom', async ({
    app,
    openAs,
    page,
  }) => {
    await openAs('ada', `${app.origin}/admin/providers`);
    await expect(tab(page, 'Providers')).toBeInViewport();
    const heights = async (targets: Locator) =>
      Promise.all((await targets.all()).map(async (target) => Math.round((await target.boundingBox())?.height ?? 0)));
    await expect(row(page, 'main')).toBeVisible();
    for (const height of [
      ...(await heights(page.getByRole('navigation', { name: 'Administration' }).getByRole('link'))),
      ...(await heights(page.getByRole('main').getByRole('button'))),
    ])
      expect(height).toBeGreaterThanOrEqual(44);
    await page.request.put(`${app.origin}/api/providers/main/buckets/files/object?key=touch%2Fa.txt`, {
      data: 'a',
      headers: { 'content-type': 'text/plain' },
    });
    await page.goto(`${app.origin}/p/main/files?prefix=touch%2F`);
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link');
    for (const each of await heights(page.getByRole('button', { name: 'Actions on a.txt' }).or(crumbs)))
      expect(each).toBeGreaterThanOrEqual(44);
    await choose(page, 'a.txt', 'Move to…');
    await expect(dialog(page).getByRole('navigation').getByRole('button', { name: 'files' })).toBeVisible();
    for (const each of await heights(dialog(page).getByRole('button'))) expect(each).toBeGreaterThanOrEqual(44);
    await page.keyboard.press('Escape');
    await page.getByRole('checkbox', { name: 'Select a.txt' }).check();
    const bar = page.getByRole('toolbar', { name: 'Selection' });
    await expect(bar).toBeVisible();
    const { y = 0, height = 0 } = (await bar.boundingBox()) ?? {};
    expect(Math.round(y + height)).toBe(844);
    if (process.env['SCREENSHOTS'] !== undefined)
      await page.screenshot({ path: `${process.env['SCREENSHOTS']}/touch-selection.png` });
    for (const each of await heights(bar.getByRole('button'))) expect(each).toBeGreaterThanOrEqual(44);
  });
});
