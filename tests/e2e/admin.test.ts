import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.ts';
import { accessibilityFaults, inBrowser, openAs } from '../support/browser.ts';

let app: TestApp;
let page: Page;

inBrowser(startApp, { begin: (started) => (app = started), each: (opened) => (page = opened) });

const admin = (tab: string) => openAs(page, 'ada', `${app.origin}/admin/${tab}`);
const rules = () => page.getByRole('table', { name: 'Rules' }).getByRole('row');

/** Waits until the table has so many rows: the filter goes by way of the URL. */
async function rowsAre(count: number): Promise<void> {
  for (const end = performance.now() + 10_000; performance.now() < end && (await rules().count()) !== count; ) await page.waitForTimeout(50);
  expect(await rules().count()).toBe(count);
}

async function filter(label: string, choice: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: choice, exact: true }).click();
}

describe('the administration', () => {
  it('shows the normalized rules, and filters them by effect, action, provider and bucket', async () => {
    await admin('policies');
    await rules().nth(1).waitFor();
    await rowsAre(1 + 3 + 3 + 4);
    expect(await accessibilityFaults(page)).toEqual([]);
    await filter('Effect', 'deny');
    await rowsAre(1 + 2);
    await filter('Action', 'objects:list');
    await rowsAre(1 + 1);
    await page.getByText('keys of main/files that start with secret/').waitFor();
    await filter('Bucket', 'photos');
    await page.getByText('No rule matches').waitFor();
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await filter('Provider', 'main');
    await page.waitForURL('**/admin/policies?provider=main');
    await page.reload();
    await rules().nth(1).waitFor();
    expect(await page.getByRole('combobox', { name: 'Provider' }).inputValue()).toBe('main');
  });

  it('shows roles and bindings', async () => {
    await admin('roles');
    await page.getByRole('row', { name: 'editor' }).getByText('default-write').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Bindings' }).click();
    await page.getByRole('row', { name: 'photographers' }).getByText('photos', { exact: true }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('checks what somebody may do, and says which rules decide', async () => {
    await admin('check');
    await page.getByRole('combobox', { name: 'Groups' }).fill('team');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Bucket', exact: true }).fill('files');
    await page.getByRole('textbox', { name: 'Key' }).fill('secret/plan & Ü.txt');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByRole('status').filter({ hasText: 'Denied' }).waitFor();
    await page.getByRole('table', { name: 'Rules about objects:get' }).getByText('keys of main/files that start with secret/').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.reload();
    await page.getByText('objects:get on main/files/secret/plan & Ü.txt').waitFor();
    await page.getByRole('textbox', { name: 'Key' }).fill('plan.txt');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'Allowed' }).waitFor();
    await page.getByRole('textbox', { name: 'Key' }).fill('');
    await page.keyboard.press('Enter');
    await page.getByText('name its key').waitFor();
  });

  it('lists sessions and ends one', async () => {
    const victim = await app.signIn('vic');
    await admin('sessions');
    await page.getByRole('button', { name: 'Revoke the session of Vic Viewer' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('row', { name: 'Vic Viewer' }).waitFor({ state: 'detached' });
    expect(await accessibilityFaults(page)).toEqual([]);
    const answer = await victim.request(`${app.origin}/api/providers`, { headers: { accept: 'application/json' } });
    expect(answer.status).toBe(401);
  });

  it('tells an editor that it needs the admin role', async () => {
    await openAs(page, 'eve', `${app.origin}/admin/roles`);
    await page.getByText('This needs the admin role').waitFor();
  });

  it('fits a narrow screen', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await admin('policies');
    await page.getByText('default-viewer').first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(await accessibilityFaults(page)).toEqual([]);
  });
});
