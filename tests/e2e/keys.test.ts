import { expect, type Page } from '@playwright/test';
import { startApp } from '../support/app.ts';
import { accessibilityFaults, dialog, row, sendTwice } from '../support/page.ts';
import { test } from './fixtures.ts';
import { expectGoodScreen } from './views.ts';

type Answer = { readonly result?: unknown; readonly error?: { readonly code: number } };

async function rpc(origin: string, credential: string, method: string, params: object = {}): Promise<Answer> {
  const response = await fetch(`${origin}/rpc`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return (await response.json()) as Answer;
}

async function pick(page: Page, field: string, ...choices: string[]): Promise<void> {
  await dialog(page).getByRole('combobox', { name: field, exact: true }).click();
  for (const choice of choices) await page.getByRole('option', { name: choice, exact: true }).click();
  await page.keyboard.press('Tab');
}

async function createKey(page: Page, description: string): Promise<string> {
  await page.getByRole('button', { name: 'Create API key' }).click();
  await dialog(page).getByLabel('Description').fill(description);
  await pick(page, 'What it may do', 'What I choose in detail');
  await pick(page, 'Actions', 'see the provider', 'see the bucket');
  await pick(page, 'On', 'One provider');
  await dialog(page).getByRole('combobox', { name: 'Provider' }).fill('main');
  await page.keyboard.press('Tab');
  await dialog(page).getByRole('button', { name: 'Create key' }).click();
  return keepCredential(page);
}

async function keepCredential(page: Page): Promise<string> {
  const shown = page.getByRole('dialog', { name: 'Your new credential' });
  const field = shown.getByRole('textbox', { name: 'Credential' });
  const credential = await field.inputValue();
  const picture = await field.screenshot();
  await field.evaluate((input: HTMLInputElement) => (input.value = input.value.replaceAll('_', ' ')));
  expect((await field.screenshot()).equals(picture), 'underscores look like spaces').toBe(false);
  expect(await field.evaluate((input) => input.scrollWidth - input.clientWidth)).toBe(0);
  expect(await accessibilityFaults(page)).toEqual([]);
  await shown.getByRole('button', { name: 'I have stored it' }).click();
  await expect(shown).not.toBeAttached();
  return credential;
}

async function choose(page: Page, description: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${description}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

test.describe('API keys', () => {
  test('are created with a scope, shown once, and work', async ({ app, openAs, page }) => {
    await openAs('eve', `${app.origin}/keys`);
    await expect(page.getByText('No API keys yet')).toBeVisible();
    expect(await accessibilityFaults(page)).toEqual([]);
    const credential = await createKey(page, 'nightly backup');
    expect(credential).toMatch(/^svc_ak_[0-9a-f]{24}_/);
    expect((await rpc(app.origin, credential, 'provider/list')).result).toEqual({
      providers: [{ name: 'main', type: 's3' }],
    });
    expect(
      (await rpc(app.origin, credential, 'object/list', { provider: 'main', bucket: 'files' })).result,
    ).toMatchObject({ objects: [] });
    await page.reload();
    await expect(row(page, 'nightly backup')).toContainText('see the provider and see all buckets: main');
    expect(await page.content()).not.toContain(credential);
    expect(
      await page.evaluate(
        (secret) =>
          [localStorage, sessionStorage].some((store) =>
            Object.values(store).some((value) => String(value).includes(secret)),
          ),
        credential,
      ),
    ).toBe(false);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('are created from a folder for that folder, to read it and nothing else, without names of actions', async ({
    app,
    openAs,
    page,
  }) => {
    await openAs('eve', `${app.origin}/p/main/files?prefix=presets%2F`);
    await page.getByRole('button', { name: 'More actions on this folder' }).click();
    await page.getByRole('menuitem', { name: 'API key for this folder' }).click();
    await expect(dialog(page).getByRole('combobox', { name: 'Provider' })).toHaveValue('main');
    await expect(dialog(page).getByRole('combobox', { name: 'Bucket' })).toHaveValue('files');
    await expect(dialog(page).getByRole('textbox', { name: 'Folder' })).toHaveValue('presets/');
    await expect(dialog(page).getByRole('combobox', { name: 'What it may do' })).toHaveValue('Read');
    await dialog(page).getByLabel('Description').fill('reader');
    await expectGoodScreen(page, 'create-key', dialog(page));
    await page.setViewportSize({ width: 1280, height: 800 });
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    const credential = await keepCredential(page);
    await expect(page).toHaveURL(`${app.origin}/keys`);
    await expect(row(page, 'reader')).toContainText('list and read keys of main/files that start with presets/');
    await expect(page.getByText(/(?:objects|buckets|providers):\w/)).toHaveCount(0);
    const place = { provider: 'main', bucket: 'files' };
    expect((await rpc(app.origin, credential, 'provider/list')).result).toMatchObject({
      providers: [{ name: 'main' }],
    });
    const allowed = async (key: string) => {
      const { result } = await rpc(app.origin, credential, 'permission/list', { ...place, key });
      return (result as { actions: string[] }).actions.filter((action) => action.startsWith('objects:'));
    };
    expect(await allowed('presets/a.txt')).toEqual(['objects:read', 'objects:list', 'objects:get']);
    expect(await allowed('other/a.txt')).toEqual([]);
  });

  test('are rotated: the old credential stops working', async ({ app, openAs, page }) => {
    await openAs('eve', `${app.origin}/keys`);
    const old = await createKey(page, 'rotating');
    await choose(page, 'rotating', 'Rotate');
    await dialog(page).getByRole('button', { name: 'Rotate' }).click();
    const renewed = await keepCredential(page);
    expect(renewed).not.toBe(old);
    expect((await rpc(app.origin, old, 'provider/list')).error).toMatchObject({ code: -32001 });
    expect((await rpc(app.origin, renewed, 'provider/list')).result).toBeDefined();
  });

  test('get another scope', async ({ app, openAs, page }) => {
    await openAs('eve', `${app.origin}/keys`);
    await createKey(page, 'scoped');
    await choose(page, 'scoped', 'Replace scope');
    await dialog(page).getByRole('button', { name: 'Add a rule' }).click();
    await expect(dialog(page).getByText('Choose at least one action.')).toBeVisible();
    await expect(dialog(page).getByRole('button', { name: 'Replace scope' })).toBeDisabled();
    const second = dialog(page).getByRole('group', { name: 'Rule 2' });
    await second.getByRole('combobox', { name: 'Actions' }).click();
    await page.getByRole('option', { name: 'read', exact: true }).click();
    await page.keyboard.press('Tab');
    await second.getByRole('combobox', { name: 'On', exact: true }).click();
    await page.getByRole('option', { name: 'Keys that start with' }).click();
    const provider = second.getByRole('combobox', { name: 'Provider' });
    await provider.fill('mian');
    await page.keyboard.press('Tab');
    await expect(provider).toHaveAccessibleDescription('You may not see a provider with this name.');
    await provider.fill('main');
    await expect(provider).toHaveAccessibleDescription('');
    await page.keyboard.press('Tab');
    await second.getByRole('combobox', { name: 'Bucket' }).fill('files');
    await page.keyboard.press('Tab');
    await second.getByRole('textbox', { name: 'Prefix' }).fill('docs/');
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Replace scope' }).click();
    await expect(row(page, 'scoped').getByText('keys of main/files that start with docs/')).toBeVisible();
  });

  test('are revoked', async ({ app, openAs, page }) => {
    await openAs('eve', `${app.origin}/keys`);
    const credential = await createKey(page, 'short-lived');
    await choose(page, 'short-lived', 'Revoke');
    await dialog(page).getByRole('button', { name: 'Revoke' }).click();
    await expect(row(page, 'short-lived')).not.toBeAttached();
    expect((await rpc(app.origin, credential, 'provider/list')).error).toMatchObject({ code: -32001 });
  });

  test('are revoked when a proxy sends the request twice', async ({ app, openAs, page }) => {
    await openAs('eve', `${app.origin}/keys`);
    await createKey(page, 'revoked-twice');
    await sendTwice(page, /\/rpc$/);
    await choose(page, 'revoked-twice', 'Revoke');
    await dialog(page).getByRole('button', { name: 'Revoke' }).click();
    await expect(row(page, 'revoked-twice')).not.toBeAttached();
  });
});

test.describe('a service without API keys', () => {
  test('shows no link to them, and says so on their page', async ({ openAs, page }) => {
    const without = await startApp({
      config: ({ auth, ...rest }) => ({ ...rest, auth: { ...(auth as object), api_keys: undefined } }),
    });
    try {
      await openAs('eve', `${without.origin}/keys`);
      await expect(page.getByText('API keys are disabled')).toBeVisible();
      await expect(page.getByText('Ask an administrator if you need one')).toBeVisible();
      await expect(page.getByText('auth.api_keys')).toHaveCount(0);
      expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
    } finally {
      await without.close();
    }
  });
});
