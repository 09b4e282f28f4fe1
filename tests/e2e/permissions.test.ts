import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start.ts';
import { inBrowser, openAs } from '../support/browser.ts';
import { startDemoService } from '../support/demo-service.ts';

let demo: Demo;
let page: Page;

inBrowser(startDemoService, { begin: (started) => (demo = started), each: (opened) => (page = opened) });

const row = (name: string) => page.getByRole('row', { name });
const as = (account: string, path: string) => openAs(page, account, demo.url + path);

describe('what may be done', () => {
  it('is offered to an editor', async () => {
    await as('erik', '/p/main/team-files');
    await page.getByRole('button', { name: 'Upload files' }).waitFor();
    await row('projects').getByRole('button', { name: 'Actions on projects' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
  });

  it('is not offered to a viewer where it changes something', async () => {
    await as('vera', '/p/main/team-files');
    await row('projects').waitFor();
    expect(await page.getByRole('button', { name: /upload|new folder/i }).count()).toBe(0);
    await row('projects').getByRole('button', { name: 'Actions on projects' }).click();
    await page.getByRole('menuitem', { name: /download/i }).waitFor();
    expect(await page.getByRole('menuitem', { name: /delete|rename|move|share/i }).count()).toBe(0);
  });

  it('is told apart for one object inside of an allowed folder', async () => {
    await as('dana', '/p/main/team-files?prefix=projects%2Fapollo%2F');
    await row('secret plan.md').getByRole('button', { name: 'Actions on secret plan.md' }).click();
    await page.getByText('Your policies allow no action here').waitFor();
  });

  it('does not open the administration to an editor', async () => {
    await as('erik', '/');
    await page.getByRole('navigation', { name: 'Storage' }).getByRole('link', { name: 'team-files' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('link', { name: 'Administration' }).count()).toBe(0);
  });

  it('opens the administration to an admin', async () => {
    await as('ada', '/');
    await page.getByRole('link', { name: 'Administration' }).click();
    await page.waitForURL('**/admin**');
  });
});

describe('a place without `objects:list`', () => {
  it('names the missing action, and offers to try again', async () => {
    await as('dana', '/p/main/team-files?prefix=hr%2F');
    await page.getByRole('heading', { name: 'You have no access here' }).waitFor();
    expect(await page.getByRole('alert').innerText()).toContain('objects:list');
    const asked = page.waitForRequest(/permissions\?prefix=hr/);
    await page.getByRole('button', { name: 'Retry' }).click();
    await asked;
    await page.getByRole('heading', { name: 'You have no access here' }).waitFor();
  });

  it('is not shown at all beside what may be listed', async () => {
    await as('petra', '/p/main/photos');
    await row('2025').waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await row('2025').getByRole('link').click();
    await row('summer').getByRole('link').click();
    await page.getByRole('heading', { name: 'summer' }).waitFor();
  });
});

describe('a user without any policy', () => {
  it('is told who they are to the service', async () => {
    await as('noah', '/');
    await page.getByRole('heading', { name: /nothing is shared with you yet/ }).waitFor();
    const content = await page.getByRole('main').innerText();
    for (const text of ['noah', 'cafeteria', demo.issuer]) expect(content).toContain(text);
  });
});
