import { expect } from '@playwright/test';
import { row } from '../support/page.ts';
import { test } from './fixtures.ts';

test.describe('what may be done', () => {
  test('is offered to an editor', async ({ openDemo, page }) => {
    await openDemo('erik', '/p/main/team-files');
    await expect(page.getByRole('button', { name: 'Upload files' })).toBeVisible();
    await row(page, 'projects').getByRole('button', { name: 'Actions on projects' }).click();
    await expect(page.getByRole('menuitem', { name: 'Delete' })).toBeVisible();
  });

  test('is not offered to a viewer where it changes something', async ({ openDemo, page }) => {
    await openDemo('vera', '/p/main/team-files');
    await expect(row(page, 'projects')).toBeVisible();
    expect(await page.getByRole('button', { name: /upload|new folder/i }).count()).toBe(0);
    await row(page, 'projects').getByRole('button', { name: 'Actions on projects' }).click();
    await expect(page.getByRole('menuitem', { name: /download/i })).toBeVisible();
    expect(await page.getByRole('menuitem', { name: /delete|rename|move|share/i }).count()).toBe(0);
  });

  test('is told apart for one object inside of an allowed folder', async ({ openDemo, page }) => {
    await openDemo('dana', '/p/main/team-files?prefix=projects%2Fapollo%2F');
    await row(page, 'secret plan.md').getByRole('button', { name: 'Actions on secret plan.md' }).click();
    await expect(page.getByText('Your policies allow no action here')).toBeVisible();
  });

  test('does not open the administration to an editor', async ({ openDemo, page }) => {
    await openDemo('erik', '/');
    await expect(page.getByRole('navigation', { name: 'Storage' }).getByRole('link', { name: 'team-files' })).toBeVisible();
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('link', { name: 'Administration' }).count()).toBe(0);
  });

  test('opens the administration to an admin', async ({ openDemo, page }) => {
    await openDemo('ada', '/');
    await page.getByRole('link', { name: 'Administration' }).click();
    await page.waitForURL('**/admin**');
  });
});

test.describe('a place without `objects:list`', () => {
  test('names the missing action, and offers to try again', async ({ openDemo, page }) => {
    await openDemo('dana', '/p/main/team-files?prefix=hr%2F');
    await expect(page.getByRole('heading', { name: 'You have no access here' })).toBeVisible();
    await expect(page.getByRole('alert')).toContainText('objects:list');
    const asked = page.waitForRequest(/permissions\?prefix=hr/);
    await page.getByRole('button', { name: 'Retry' }).click();
    await asked;
    await expect(page.getByRole('heading', { name: 'You have no access here' })).toBeVisible();
  });

  test('is not shown at all beside what may be listed', async ({ openDemo, page }) => {
    await openDemo('petra', '/p/main/photos');
    await expect(row(page, '2025')).toBeVisible();
    expect(await page.getByRole('row').count()).toBe(2);
    await row(page, '2025').getByRole('link').click();
    await row(page, 'summer').getByRole('link').click();
    await expect(page.getByRole('heading', { name: 'summer' })).toBeVisible();
  });
});

test.describe('a user without any policy', () => {
  test('is told who they are to the service', async ({ openDemo, demo, page }) => {
    await openDemo('noah', '/');
    await expect(page.getByRole('heading', { name: /nothing is shared with you yet/ })).toBeVisible();
    for (const text of ['noah', 'cafeteria', demo.issuer]) await expect(page.getByRole('main')).toContainText(text);
  });
});
