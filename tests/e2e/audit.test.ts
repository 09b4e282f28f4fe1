import { readFileSync } from 'node:fs';
import { expect, type Locator, type Page } from '@playwright/test';
import { startApp, type TestApp } from '../support/app.ts';
import type { Visitor } from '../support/visitor.ts';
import { test } from './fixtures.ts';
import { expectGoodScreen } from './views.ts';

const DANGEROUS = '=1+1.txt';

let app: TestApp;
let eve: Visitor;
let files: string;
test.beforeAll(async () => {
  app = await startApp({
    config: (config) => ({
      ...config,
      audit: {
        path: 'audit',
        instance: 'one',
        signing_secret: 'a signing secret of the tests, long enough',
        reads: 'all',
      },
    }),
  });
  eve = await app.signIn('eve');
  files = `${app.origin}/api/providers/main/buckets/files`;
  for (const key of ['looks/a.txt', 'looks/b.txt', DANGEROUS])
    await eve.request(`${files}/object?key=${encodeURIComponent(key)}`, {
      method: 'PUT',
      body: 'x',
      headers: { origin: app.origin },
    });
});
test.afterAll(() => app.close());

async function show(page: Page, what: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Shown' }).click();
  await page.getByRole('option', { name: what }).click();
  await page.getByRole('button', { name: 'Show', exact: true }).click();
}

async function exported(page: Page, item: string): Promise<string> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: item }).click();
  return readFileSync(await (await download).path(), 'utf8');
}

test('the audit begins with changes; what one look caused is one row that opens, and reads of its own pages are apart', async ({
  openAs,
  page,
}) => {
  const ada = await app.signIn('ada');
  await eve.request(`${files}/objects?prefix=looks%2F`);
  for (const key of ['a', 'b', 'a', 'b']) await eve.request(`${files}/object?key=looks%2F${key}.txt`);
  await ada.request(`${app.origin}/api/admin/roles`);
  // What only reads is written a moment later.
  const linesOf = async (operation: string) => {
    const answer = await ada.request(`${app.origin}/api/admin/audit?operation=${encodeURIComponent(operation)}`);
    return ((await answer.json()) as { lines: unknown[] }).lines.length;
  };
  await expect.poll(() => linesOf('object/read')).toBe(4);
  await expect.poll(() => linesOf('role/list')).toBe(1);

  await openAs('ada', `${app.origin}/admin/audit`);
  const table = page.getByRole('table', { name: 'Audit' });
  const rowsOf = (text: string): Locator => table.getByRole('row').filter({ hasText: text });
  await expect(page.getByRole('combobox', { name: 'Shown' })).toHaveValue('Changes');
  await expect(rowsOf('object/write')).toHaveCount(3);
  await expect(rowsOf('Open or download')).toHaveCount(0);

  await show(page, 'Changes and reads');
  await page.waitForURL('**/admin/audit?show=storage');
  const look = rowsOf('Open or download (4), List folder');
  await expect(look).toHaveCount(1);
  await expect(look).toContainText('main/files/looks/');
  await expect(rowsOf('role/list')).toHaveCount(0);
  await look.getByRole('button', { name: '5 lines' }).click();
  const lines = table.getByRole('table', { name: 'Lines' });
  await expect(lines.getByRole('row')).toHaveCount(1 + 5);
  await expect(lines.getByRole('link', { name: 'main/files/looks/b.txt' }).first()).toBeVisible();
  await expectGoodScreen(page, 'admin-audit-look', lines);
  await page.setViewportSize({ width: 1280, height: 800 });
  await look.getByRole('button', { name: '5 lines' }).click();
  await expect(lines).toHaveCount(0);

  await show(page, 'Also reads of these pages');
  await expect(rowsOf('List roles').first()).toBeVisible();
});

test('a large picture that is looked at is read without a failure', async ({ openAs, page }) => {
  const head = Buffer.alloc(54);
  head.write('BM');
  for (const [at, number] of [
    [2, 54 + 12_000_000],
    [10, 54],
    [14, 40],
    [18, 2_000],
    [22, 2_000],
    [26, 1 + (24 << 16)],
  ] as const)
    head.writeUInt32LE(number, at);
  const ada = await app.signIn('ada');
  await ada.request(`${files}/object?key=pictures%2Fa.bmp`, {
    method: 'PUT',
    body: Buffer.concat([head, Buffer.alloc(12_000_000)]),
    headers: { origin: app.origin, 'content-type': 'image/bmp' },
  });
  await openAs('ada', `${app.origin}/p/main/files?prefix=pictures%2F`);
  await page.locator('a[href$="a.bmp"]').click();
  await expect(page.getByRole('img', { name: 'a.bmp' })).toHaveJSProperty('naturalWidth', 2_000);
  const outcomes = async () => {
    const answer = await ada.request(`${app.origin}/api/admin/audit?resource=main%2Ffiles%2Fpictures%2Fa.bmp`);
    const { lines } = (await answer.json()) as { lines: { operation: string; outcome: string }[] };
    return lines.filter(({ operation }) => operation === 'object/read').map(({ outcome }) => outcome);
  };
  await expect.poll(async () => (await outcomes()).includes('done')).toBe(true);
  expect(new Set(await outcomes())).toEqual(new Set(['done']));
});

test('an export of the audit ends when the service gives a cursor again', async ({ openAs, page }) => {
  await openAs('ada', `${app.origin}/admin/audit?subject=eve`);
  let asked = 0;
  await page.route('**/rpc', async (route) => {
    if (!route.request().postData()?.includes('audit/list')) return route.continue();
    asked += 1;
    const result = { lines: [], nextCursor: asked > 5 ? null : 'again', complete: true };
    return route.fulfill({ json: [{ jsonrpc: '2.0', id: 0, result }] });
  });
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'As CSV' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'The answer could not be read' })).toBeVisible();
  expect(asked).toBe(2);
});

test('the audit is saved as CSV without formulas and as JSON lines, of a range of days', async ({ openAs, page }) => {
  await openAs('ada', `${app.origin}/admin/audit?subject=eve`);
  await expect(page.getByRole('table', { name: 'Audit' })).toContainText(`main/files/${DANGEROUS}`);
  const [head = '', ...rows] = (await exported(page, 'As CSV')).trimEnd().split('\n');
  const key = head.split(',').indexOf('key');
  expect(rows.map((row) => row.split(',')[key])).toEqual(expect.arrayContaining([`'${DANGEROUS}`, 'looks/a.txt']));
  const lines = (await exported(page, 'As JSON lines')).trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { operation: string }).operation)).toEqual([
    'login/finish',
    'object/write',
    'object/write',
    'object/write',
  ]);
  const [year, next] = [new Date().getFullYear(), new Date().getFullYear() + 1];
  for (const [from, to, found] of [
    [`${year}-01-01`, `${next}-12-31`, true],
    [`${next}-01-02`, `${next}-12-31`, false],
  ] as const) {
    await page.getByLabel('From', { exact: true }).fill(from);
    await page.getByLabel('To', { exact: true }).fill(to);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.waitForURL(`**from=${from}&to=${to}**`);
    await expect(
      found ? page.getByRole('table', { name: 'Audit' }) : page.getByText('Nothing in the audit'),
    ).toBeVisible();
  }
});
