import { readFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import { startApp } from '../support/app.ts';
import { accessibilityFaults, dialog, row } from '../support/page.ts';
import { test } from './fixtures.ts';
import { expectGoodScreen } from './views.ts';

async function pick(page: Page, field: string, choice: string): Promise<void> {
  await dialog(page).getByRole('combobox', { name: field, exact: true }).click();
  await page.getByRole('option', { name: choice, exact: true }).click();
}

const shown = (page: Page) => dialog(page, 'Your new S3 key');
const configuration = (page: Page) => shown(page).getByRole('textbox', { name: 'Configuration' });

async function connect(page: Page, description: string, tool = 'rclone'): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: 'Connect a tool' }).click();
  await pick(page, 'Tool', tool);
  await dialog(page).getByRole('textbox', { name: 'Description' }).fill(description);
  await dialog(page).getByRole('button', { name: 'Create key' }).click();
  await expect(shown(page)).toBeVisible();
}

async function store(page: Page): Promise<void> {
  await shown(page).getByRole('button', { name: 'I have stored it' }).click();
  await expect(shown(page)).not.toBeAttached();
}

function valueOf(text: string, name: string): string {
  return new RegExp(`^${name} = (.+)$`, 'm').exec(text)?.[1] ?? '';
}

test.describe('Connect a tool', () => {
  test('shows the configuration with the secret once, and downloads it without', async ({ app, openAs, page }) => {
    await openAs('eve', `${app.origin}/tools`);
    await expect(page.getByText('No tool is connected yet')).toBeVisible();
    expect(await accessibilityFaults(page)).toEqual([]);
    await connect(page, 'laptop');
    const text = await configuration(page).inputValue();
    expect(valueOf(text, 'endpoint')).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(valueOf(text, 'region')).toBe('svc');
    expect(valueOf(text, 'no_check_bucket')).toBe('true');
    const id = valueOf(text, 'access_key_id');
    const secret = valueOf(text, 'secret_access_key');
    expect(id).toMatch(/^SVC[A-Z2-7]{17}$/);
    expect(secret).toMatch(/^[\w-]{40}$/);
    await expectGoodScreen(page, 'new-s3-key', shown(page));

    const download = page.waitForEvent('download');
    await shown(page).getByRole('button', { name: 'Download without the secret' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('rclone.conf');
    expect(await readFile(await file.path(), 'utf8')).toBe(text.replace(secret, 'SECRET_ACCESS_KEY'));

    await pick(page, 'Tool', 'Cyberduck');
    await expect(shown(page).getByRole('textbox', { name: 'Secret access key' })).toHaveValue(secret);
    await expect(configuration(page)).toHaveValue(/virtualhost/);
    expect(await accessibilityFaults(page)).toEqual([]);

    await store(page);
    await expect(row(page, 'laptop')).toContainText(id);
    expect(await page.content()).not.toContain(secret);
    await page.reload();
    await expect(row(page, 'laptop')).toContainText('everything in main');
    await expect(row(page, 'laptop')).toContainText('provider main');
    await expect(row(page, 'laptop')).toContainText('list and read everything in main; see all buckets: main');
    await expect(row(page, 'laptop')).not.toContainText('write');
    expect(await page.content()).not.toContain(secret);
    expect(
      await page.evaluate(
        (text) => [localStorage, sessionStorage].some((kept) => JSON.stringify(kept).includes(text)),
        secret,
      ),
    ).toBe(false);
    await expectGoodScreen(page, 'tools', row(page, 'laptop'));
  });

  test('rotates a key, replaces its scope, and revokes it', async ({ app, openAs, page }) => {
    await openAs('eve', `${app.origin}/tools`);
    await connect(page, 'mirror');
    const first = await configuration(page).inputValue();
    await store(page);
    const choose = async (item: string) => {
      await page.getByRole('button', { name: 'Actions for mirror' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await choose('Rotate');
    await dialog(page).getByRole('button', { name: 'Rotate' }).click();
    await pick(page, 'Tool', 'rclone');
    const second = await configuration(page).inputValue();
    expect(valueOf(second, 'access_key_id')).toBe(valueOf(first, 'access_key_id'));
    expect(valueOf(second, 'secret_access_key')).not.toBe(valueOf(first, 'secret_access_key'));
    await store(page);

    await choose('Replace scope');
    await pick(page, 'Actions', 'read');
    await page.keyboard.press('Tab');
    await dialog(page).getByRole('button', { name: 'Replace scope' }).click();
    await expect(row(page, 'mirror')).not.toContainText('read');

    await choose('Revoke');
    await dialog(page).getByRole('button', { name: 'Revoke' }).click();
    await expect(row(page, 'mirror')).not.toBeAttached();
  });

  test('is opened from the menu of a folder, for that folder', async ({ app, openAs, page }) => {
    await openAs('eve', `${app.origin}/p/main/files?prefix=reports%2F`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Connect a tool here' }).click();
    await expect(dialog(page).getByRole('combobox', { name: 'Provider' })).toHaveValue('main');
    await expect(dialog(page).getByRole('combobox', { name: 'Bucket' })).toHaveValue('files');
    await expect(dialog(page).getByRole('textbox', { name: 'Folder' })).toHaveValue('reports/');
    await expectGoodScreen(page, 'connect-tool', dialog(page));
    await pick(page, 'What it may do', 'Read, write and delete');
    await pick(page, 'Expires after', '90 days');
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    await expect(configuration(page)).toHaveValue(/s3:\/\/files\/reports\//);
    await store(page);
    await expect(row(page, 'AWS CLI')).toContainText(
      'list, read, write and delete keys of main/files that start with reports/',
    );
  });
});

test('administrators see the S3 keys of everybody, and revoke those of a person', async ({ app, openAs, page }) => {
  await openAs('vic', `${app.origin}/tools`);
  await connect(page, 'from Vic');
  await store(page);
  await openAs('ada', `${app.origin}/admin/s3-keys?person=vic`);
  const theirs = page.getByRole('table', { name: "Everybody's S3 keys" }).getByRole('row', { name: 'Vic Viewer' });
  await expect(theirs).toContainText('from Vic');
  await expectGoodScreen(page, 'admin-s3-keys', theirs);
  await page.getByRole('button', { name: 'More for from Vic' }).click();
  await page.getByRole('menuitem', { name: 'Revoke all keys of this person' }).click();
  await dialog(page).getByRole('button', { name: 'Revoke all' }).click();
  await expect(page.getByText('Nobody with this name or subject has one.')).toBeVisible();
});

test('a service without an S3 endpoint shows no link to tools, and says so on their page', async ({ openAs, page }) => {
  const without = await startApp({ config: ({ s3: _, ...rest }) => rest });
  try {
    await openAs('eve', `${without.origin}/tools`);
    await expect(page.getByText('There is no S3 endpoint for tools')).toBeVisible();
    await expect(page.getByText('Ask an administrator if you need it.')).toBeVisible();
    expect(await page.getByRole('link', { name: 'Connect a tool' }).count()).toBe(0);
    await page.goto(`${without.origin}/p/main/files`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await expect(page.getByRole('menuitem', { name: 'Copy link' })).toBeVisible();
    await expect(page.getByRole('menuitem', { name: 'Connect a tool here' })).toHaveCount(0);
  } finally {
    await without.close();
  }
});
