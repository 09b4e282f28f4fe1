import type { Page } from '@playwright/test';
import { choose, dialog, row, tray, upload } from '../support/page.ts';
import { test } from './fixtures.ts';
import { inEveryView, type Screen } from './views.ts';

test.describe.configure({ mode: 'parallel' });

const BACKUPS = '/p/archive/backups?prefix=2024%2F';

const click = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).first().click();
const act = (name: string) => (page: Page) => choose(page, 'notes.txt', name);
const shows = (text: string | RegExp) => (page: Page) => page.getByRole('main').getByText(text).first();
const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('sent by a test') });

const SCREENS: Readonly<Record<string, Screen>> = {
  'session menu': {
    path: '/',
    act: openSessionMenu,
    shows: (page) => dialog(page, 'Session'),
    narrowed: async (page) => {
      await page.getByRole('button', { name: 'Open navigation' }).click();
      await openSessionMenu(page);
    },
  },
  'new folder': { path: BACKUPS, act: click('New folder'), shows: dialog },
  'create bucket': { path: '/p/main', act: click('Create bucket'), shows: dialog },
  rename: { path: BACKUPS, act: act('Rename'), shows: dialog },
  'copy to': { path: BACKUPS, act: act('Copy to'), shows: dialog },
  'folder size': {
    path: '/p/main/team-files',
    act: (page) => choose(page, 'reports', 'Calculate size'),
    shows: (page) => dialog(page).getByText(/^\d+ items$/),
  },
  delete: { path: BACKUPS, act: act('Delete'), shows: dialog },
  'share link': {
    path: BACKUPS,
    act: async (page) => {
      await act('Share link')(page);
      await page.getByRole('button', { name: 'Create and copy' }).click();
    },
    shows: (page) => page.getByText('Copied to the clipboard').first(),
  },
  'taken name': {
    path: BACKUPS,
    act: (page) => upload(page, file('notes.txt')),
    shows: (page) => dialog(page, 'File already exists'),
  },
  transfers: {
    path: '/p/main/team-files?prefix=inbox%2F',
    act: async (page) => {
      await upload(page, file(`sent at ${Date.now()}, with a name that is longer than the tray is wide.txt`));
      await row(page, /^.*sent at/)
        .first()
        .waitFor();
    },
    shows: (page) => tray(page).getByText('Uploaded 1 file').first(),
  },
  'create API key': { path: '/keys', act: click('Create API key'), shows: dialog },
  roles: { path: '/admin/roles', shows: shows('default-write') },
  bindings: { path: '/admin/bindings', shows: shows('storage-admins') },
  'check access': {
    path: '/admin/check?provider=main&bucket=team-files&key=hr%2Fsalaries.csv&action=objects%3Aget&group=staff',
    shows: shows(/deny|allow/i),
  },
  sessions: { path: '/admin/sessions', shows: shows('Ada Admin') },
  'table preview': {
    path: `/p/main/team-files?prefix=reports%2F&object=${encodeURIComponent('reports/sales 2025.csv')}`,
    shows: (page) => page.getByRole('region', { name: 'Preview' }).getByRole('columnheader').first(),
  },
  'picture preview': {
    path: `/p/main/photos?prefix=2025%2Fsummer%2F&object=${encodeURIComponent('2025/summer/sunset #1.png')}`,
    shows: (page) => page.getByRole('img', { name: 'sunset #1.png' }),
  },
  'source preview': {
    path: '/p/main/team-files?prefix=code%2F&object=code%2Fhello.ts',
    shows: (page) => page.locator('.hljs-keyword').first(),
  },
  'path to go to': {
    path: BACKUPS,
    act: click('Go to a path'),
    shows: (page) => page.getByRole('textbox', { name: 'Path in backups' }),
  },
};

inEveryView(SCREENS);

async function openSessionMenu(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Session of' }).click();
}
