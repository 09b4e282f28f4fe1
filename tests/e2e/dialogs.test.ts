import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start.ts';
import { inBrowser } from '../support/browser.ts';
import { startDemoService } from '../support/demo-service.ts';
import { inEveryView, type Screen } from '../support/views.ts';

let demo: Demo;
let browser: Browser;

inBrowser(startDemoService, {
  begin: (started, launched) => {
    demo = started;
    browser = launched;
  },
});

const BACKUPS = '/p/archive/backups?prefix=2024%2F';

const click = (...names: string[]) => async (page: Page) => {
  for (const name of names) await page.getByRole('button', { name, exact: true }).first().click();
  await page.getByRole('dialog').waitFor();
};

const choose = (item: string) => async (page: Page) => {
  await page.getByRole('button', { name: 'Actions on notes.txt' }).click();
  await page.getByRole('menuitem', { name: item }).click();
  await page.getByRole('dialog').waitFor();
};

const shows = (text: string | RegExp) => async (page: Page) => page.getByRole('main').getByText(text).first().waitFor();

async function upload(page: Page, name: string): Promise<void> {
  const path = join(tmpdir(), name);
  await writeFile(path, 'sent by a test');
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Upload files' }).click();
  await (await chooser).setFiles(path);
}

const SCREENS: Readonly<Record<string, Screen>> = {
  'session menu': {
    path: '/',
    act: async (page) => {
      const navigation = page.getByRole('button', { name: 'Open navigation' });
      if (await navigation.isVisible()) await navigation.click();
      await page.getByRole('button', { name: 'Session of' }).click();
      await page.getByRole('dialog', { name: 'Session' }).waitFor();
    },
  },
  'new folder': { path: BACKUPS, act: click('New folder') },
  'create bucket': { path: '/p/main', act: click('Create bucket') },
  rename: { path: BACKUPS, act: choose('Rename') },
  'copy to': { path: BACKUPS, act: choose('Copy to') },
  delete: { path: BACKUPS, act: choose('Delete') },
  'share link': {
    path: BACKUPS,
    act: async (page) => {
      await choose('Share link')(page);
      await page.getByRole('button', { name: 'Create and copy' }).click();
      await page.getByText(/Copied to the clipboard|Copy link/).first().waitFor();
    },
  },
  'taken name': {
    path: BACKUPS,
    act: async (page) => {
      await upload(page, 'notes.txt');
      await page.getByRole('dialog', { name: 'The name is taken' }).waitFor();
    },
  },
  transfers: {
    path: '/p/main/team-files?prefix=inbox%2F',
    act: async (page) => {
      await upload(page, `sent at ${Date.now()}, with a name that is longer than the tray is wide.txt`);
      await page.getByRole('region', { name: 'Transfers' }).getByText('Uploaded 1 file').first().waitFor();
      await page.getByRole('row', { name: /^.*sent at/ }).first().waitFor();
    },
  },
  'create API key': { path: '/keys', act: click('Create API key') },
  roles: { path: '/admin/roles', act: shows('default-write') },
  bindings: { path: '/admin/bindings', act: shows('storage-admins') },
  'check access': { path: '/admin/check?provider=main&bucket=team-files&key=hr%2Fsalaries.csv&action=objects%3Aget&group=staff', act: shows(/deny|allow/i) },
  sessions: { path: '/admin/sessions', act: shows('Ada Admin') },
  'table preview': { path: `/p/main/team-files?prefix=reports%2F&object=${encodeURIComponent('reports/sales 2025.csv')}`, act: async (page) => page.getByRole('region', { name: 'Preview' }).getByRole('columnheader').first().waitFor() },
  'picture preview': { path: `/p/main/photos?prefix=2025%2Fsummer%2F&object=${encodeURIComponent('2025/summer/sunset #1.png')}`, act: async (page) => page.getByRole('img', { name: 'sunset #1.png' }).waitFor() },
  'source preview': { path: '/p/main/team-files?prefix=code%2F&object=code%2Fhello.ts', act: async (page) => page.locator('.hljs-keyword').first().waitFor() },
  'prefix to jump to': {
    path: BACKUPS,
    act: async (page) => {
      await page.getByRole('button', { name: 'Jump to a prefix' }).click();
      await page.getByRole('textbox', { name: 'Prefix in backups' }).waitFor();
    },
  },
};

inEveryView(SCREENS, () => ({ url: demo.url, browser }));
