import { expect, type Page } from '@playwright/test';
import { accessibilityFaults, dialog, row } from '../support/page.ts';
import { test } from './fixtures.ts';

const rules = (page: Page) => page.getByRole('table', { name: 'Rules' }).getByRole('row');

async function filter(page: Page, label: string, choice: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: choice, exact: true }).click();
}

test.describe('the administration', () => {
  test('shows the normalized rules, and filters them by effect, action, provider and bucket', async ({ app, openAs, page }) => {
    await openAs('ada', `${app.origin}/admin/policies`);
    // The head, the defaults, and the policies `photos`, `team`, `keeper` and `courier`.
    await expect(rules(page)).toHaveCount(1 + 3 + 3 + 4 + 1 + 3);
    expect(await accessibilityFaults(page)).toEqual([]);
    await filter(page, 'Effect', 'deny');
    await expect(rules(page)).toHaveCount(1 + 2 + 1);
    await filter(page, 'Action', 'objects:list');
    await expect(rules(page)).toHaveCount(1 + 1);
    await expect(page.getByText('keys of main/files that start with secret/')).toBeVisible();
    await filter(page, 'Bucket', 'photos');
    await expect(page.getByText('No rule matches')).toBeVisible();
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await filter(page, 'Provider', 'main');
    await page.waitForURL('**/admin/policies?provider=main');
    await page.reload();
    await expect(rules(page).nth(1)).toBeVisible();
    await expect(page.getByRole('combobox', { name: 'Provider' })).toHaveValue('main');
  });

  test('shows roles and bindings', async ({ app, openAs, page }) => {
    await openAs('ada', `${app.origin}/admin/roles`);
    await expect(row(page, 'editor').getByText('default-write')).toBeVisible();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Bindings' }).click();
    await expect(row(page, 'photographers').getByText('photos', { exact: true })).toBeVisible();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('checks what somebody may do, and says which rules decide', async ({ app, openAs, page }) => {
    await openAs('ada', `${app.origin}/admin/check`);
    await page.getByRole('combobox', { name: 'Groups' }).fill('team');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Bucket', exact: true }).fill('files');
    await page.getByRole('textbox', { name: 'Key' }).fill('secret/plan & Ü.txt');
    await page.getByRole('button', { name: 'Check' }).click();
    await expect(page.getByRole('status').filter({ hasText: 'Denied' })).toBeVisible();
    await expect(page.getByRole('table', { name: 'Rules about objects:get' }).getByText('keys of main/files that start with secret/')).toBeVisible();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.reload();
    await expect(page.getByText('objects:get on main/files/secret/plan & Ü.txt')).toBeVisible();
    await page.getByRole('textbox', { name: 'Key' }).fill('plan.txt');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('status').filter({ hasText: 'Allowed' })).toBeVisible();
    await page.getByRole('textbox', { name: 'Key' }).fill('');
    await page.keyboard.press('Enter');
    await expect(page.getByText('name its key')).toBeVisible();
  });

  test('lists sessions and ends one', async ({ app, openAs, page }) => {
    const victim = await app.signIn('dan');
    await openAs('ada', `${app.origin}/admin/sessions`);
    await page.getByRole('button', { name: 'Revoke the session of Dan Denied' }).click();
    await dialog(page).getByRole('button', { name: 'Revoke' }).click();
    await expect(row(page, 'Dan Denied')).not.toBeAttached();
    expect(await accessibilityFaults(page)).toEqual([]);
    const answer = await victim.request(`${app.origin}/api/providers`, { headers: { accept: 'application/json' } });
    expect(answer.status).toBe(401);
  });

  test('tells an editor that it needs the admin role', async ({ app, openAs, page }) => {
    await openAs('eve', `${app.origin}/admin/roles`);
    await expect(page.getByText('This needs the admin role')).toBeVisible();
  });

  test('fits a narrow screen', async ({ app, openAs, page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await openAs('ada', `${app.origin}/admin/policies`);
    await expect(page.getByText('default-viewer').first()).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(await accessibilityFaults(page)).toEqual([]);
  });
});
