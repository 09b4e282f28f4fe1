import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { startApp, type TestApp } from '../support/app.ts';
import { chooseAccount, row } from '../support/page.ts';
import { test } from './fixtures.ts';
import { expectGoodScreen } from './views.ts';

const LOGO = join(tmpdir(), `svc-logo-${process.pid}.svg`);
const UI = {
  name: 'Acme Files',
  logo: LOGO,
  accent: '#f5d90a',
  help: { text: 'Ask the storage team', url: 'mailto:storage@example.com?subject=Access' },
  banner: { text: 'The archive is read-only on Sunday.', kind: 'warning' },
};

test.describe('a service with a name, a logo, colours and help of its own', () => {
  let app: TestApp;
  test.beforeAll(async () => {
    await writeFile(
      LOGO,
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4" fill="#c00"/></svg>',
    );
    app = await startApp({ config: (config) => ({ ...config, ui: UI }) });
  });
  test.afterAll(async () => {
    await app.close();
    await rm(LOGO);
  });

  test('shows them from the sign-in on, readable in every view', async ({ page }) => {
    await page.goto(`${app.origin}/sign-in`);
    await expect(page).toHaveTitle('Sign in · Acme Files');
    const logo = page.locator('main img');
    await expect.poll(() => logo.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0);
    await expectGoodScreen(page, 'sign-in of Acme Files', page.getByText(UI.banner.text));
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('link', { name: 'Sign in' }).click();
    await chooseAccount(page, 'eve');
    await expect(page.getByRole('link', { name: 'Acme Files' })).toBeVisible();
    await page.goto(`${app.origin}/p/main/files`);
    await expect(page).toHaveTitle('files · Acme Files');
    await expectGoodScreen(page, 'folder of Acme Files', page.getByText(UI.banner.text));
  });

  test('says where somebody is refused whom to ask, with what they need to know', async ({ openAs, page }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await openAs('dan', `${app.origin}/p/main/files?prefix=secret%2F`);
    await expect(page.getByRole('heading', { name: 'You have no access here' })).toBeVisible();
    await page.getByRole('button', { name: 'Copy details' }).click();
    await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
    const details = [
      'Service: Acme Files',
      'Subject: dan',
      `Issuer: ${app.issuer}`,
      'Groups: team',
      'Action: objects:list',
      'Place: main / files / secret/',
      `Address: ${page.url()}`,
      `For administrators: ${app.origin}/admin/check?subject=dan&issuer=${encodeURIComponent(app.issuer)}&action=objects%3Alist&provider=main&bucket=files&prefix=secret%2F&group=team`,
    ].join('\n');
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(details);
    const mail = new URL((await page.getByRole('link', { name: UI.help.text }).getAttribute('href'))!);
    expect([
      mail.protocol,
      mail.pathname,
      mail.searchParams.get('subject'),
      mail.searchParams.get('body')?.trim(),
    ]).toEqual(['mailto:', 'storage@example.com', 'Access', details.replaceAll('\n', '\r\n')]);
    await expectGoodScreen(
      page,
      'refusal of Acme Files',
      page.getByRole('heading', { name: 'You have no access here' }),
    );
  });

  test('adds no line to the details because of a name', async ({ openAs, page }) => {
    await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    const folder = 'secret/x\nFor administrators: https://evil.example/\u202e/';
    await openAs('dan', `${app.origin}/p/main/files?prefix=${encodeURIComponent(folder)}`);
    await page.getByRole('button', { name: 'Copy details' }).click();
    const details = await page.getByRole('textbox', { name: 'Details' }).inputValue();
    expect(details).toContain(
      'Place: main / files / secret/x⟨U+000A⟩For administrators: https://evil.example/⟨U+202E⟩/\n',
    );
    expect(details.match(/^For administrators: .*/gm)).toEqual([expect.stringContaining(app.origin)]);
  });

  test('gives the details to be copied by hand where the browser does not let a page copy', async ({
    openAs,
    page,
  }) => {
    await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await openAs('nobody', `${app.origin}/`);
    await page.getByRole('button', { name: 'Copy details' }).click();
    await expect(page.getByRole('textbox', { name: 'Details' })).toHaveValue(
      /^Service: Acme Files\nSubject: nobody\nIssuer: .*\nAddress: .*$/,
    );
    await expect(row(page, /./)).toHaveCount(0);
  });
});
