import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.ts';
import { accessibilityFaults, inBrowser, openAs } from '../support/browser.ts';

let app: TestApp;
let page: Page;

inBrowser(startApp, { begin: (started) => (app = started), each: (opened) => (page = opened) });

const dialog = () => page.getByRole('dialog');
const row = (name: string) => page.getByRole('row', { name });

type Answer = { readonly result?: unknown; readonly error?: { readonly code: number } };

async function rpc(credential: string, method: string, params: object = {}): Promise<Answer> {
  const response = await fetch(`${app.origin}/rpc`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return (await response.json()) as Answer;
}

async function pick(field: string, ...choices: string[]): Promise<void> {
  await dialog().getByRole('combobox', { name: field, exact: true }).click();
  for (const choice of choices) await page.getByRole('option', { name: choice, exact: true }).click();
  await page.keyboard.press('Tab');
}

async function createKey(description: string): Promise<string> {
  await page.getByRole('button', { name: 'Create API key' }).click();
  await dialog().getByLabel('Description').fill(description);
  await pick('Actions', 'providers:list', 'buckets:list');
  await pick('On', 'One provider');
  await dialog().getByRole('combobox', { name: 'Provider' }).fill('main');
  await page.keyboard.press('Tab');
  await dialog().getByRole('button', { name: 'Create key' }).click();
  return keepCredential();
}

async function keepCredential(): Promise<string> {
  const shown = page.getByRole('dialog', { name: 'Your new credential' });
  const credential = await shown.getByRole('textbox', { name: 'Credential' }).inputValue();
  expect(await accessibilityFaults(page)).toEqual([]);
  await shown.getByRole('button', { name: 'I have kept it' }).click();
  await shown.waitFor({ state: 'detached' });
  return credential;
}

async function choose(description: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${description}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

describe('API keys', () => {
  it('are created with a scope, shown once, and work', async () => {
    await openAs(page, 'eve', `${app.origin}/keys`);
    await page.getByText('No API keys yet').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    const credential = await createKey('nightly backup');
    expect(credential).toMatch(/^svc_ak_[0-9a-f]{24}_/);
    expect((await rpc(credential, 'provider/list')).result).toEqual({ providers: [{ name: 'main', type: 's3' }] });
    expect((await rpc(credential, 'object/list', { provider: 'main', bucket: 'files' })).result).toMatchObject({ objects: [] });
    await page.reload();
    await row('nightly backup').getByText('everything in main').waitFor();
    expect(await page.content()).not.toContain(credential);
    expect(await page.evaluate((secret) => [localStorage, sessionStorage].some((store) => Object.values(store).some((value) => String(value).includes(secret))), credential)).toBe(false);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('are rotated: the old credential stops working', async () => {
    await openAs(page, 'eve', `${app.origin}/keys`);
    const old = await createKey('rotating');
    await choose('rotating', 'Rotate');
    await dialog().getByRole('button', { name: 'Rotate' }).click();
    const renewed = await keepCredential();
    expect(renewed).not.toBe(old);
    expect((await rpc(old, 'provider/list')).error).toMatchObject({ code: -32001 });
    expect((await rpc(renewed, 'provider/list')).result).toBeDefined();
  });

  it('get another scope', async () => {
    await openAs(page, 'eve', `${app.origin}/keys`);
    await createKey('scoped');
    await choose('scoped', 'Replace scope');
    await dialog().getByRole('button', { name: 'Add a rule' }).click();
    await dialog().getByText('Choose at least one action.').waitFor();
    expect(await dialog().getByRole('button', { name: 'Replace scope' }).isDisabled()).toBe(true);
    const second = dialog().getByRole('group', { name: 'Rule 2' });
    await second.getByRole('combobox', { name: 'Actions' }).click();
    await page.getByRole('option', { name: 'objects:get', exact: true }).click();
    await page.keyboard.press('Tab');
    await second.getByRole('combobox', { name: 'On', exact: true }).click();
    await page.getByRole('option', { name: 'Keys that start with' }).click();
    await second.getByRole('combobox', { name: 'Provider' }).fill('main');
    await page.keyboard.press('Tab');
    await second.getByRole('combobox', { name: 'Bucket' }).fill('files');
    await page.keyboard.press('Tab');
    await second.getByRole('textbox', { name: 'Prefix' }).fill('docs/');
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Replace scope' }).click();
    await row('scoped').getByText('keys of main/files that start with docs/').waitFor();
  });

  it('are revoked', async () => {
    await openAs(page, 'eve', `${app.origin}/keys`);
    const credential = await createKey('short-lived');
    await choose('short-lived', 'Revoke');
    await dialog().getByRole('button', { name: 'Revoke' }).click();
    await row('short-lived').waitFor({ state: 'detached' });
    expect((await rpc(credential, 'provider/list')).error).toMatchObject({ code: -32001 });
  });
});

describe('a service without API keys', () => {
  it('shows no link to them, and says so on their page', async () => {
    const without = await startApp({ config: ({ auth, ...rest }) => ({ ...rest, auth: { ...(auth as object), api_keys: undefined } }) });
    try {
      await openAs(page, 'eve', `${without.origin}/keys`);
      await page.getByText('This service keeps no API keys').waitFor();
      expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
    } finally {
      await without.close();
    }
  });
});
