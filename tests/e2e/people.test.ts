import { describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start.ts';
import { inBrowser, openAs, openPage } from '../support/browser.ts';
import { startDemoService } from '../support/demo-service.ts';
import { expectGoodScreen, inEveryView, VIEWS, type Screen } from '../support/views.ts';

let demo: Demo;
let browser: Browser;

inBrowser(startDemoService, {
  begin: (started, launched) => {
    demo = started;
    browser = launched;
  },
});

const press = (key: string) => async (page: Page) => {
  await page.keyboard.press(key);
  await page.getByRole('dialog').waitFor();
};

const SCREENS: Readonly<Record<string, Screen>> = {
  home: { path: '/', ready: 'Storage' },
  provider: { path: '/p/main', ready: 'main' },
  folder: { path: '/p/main/team-files?prefix=projects%2F', ready: 'projects' },
  'many keys': { path: '/p/main/sensors?prefix=readings%2F&sort=-size', ready: 'readings' },
  'empty bucket': { path: '/p/main/empty-bucket', ready: 'This bucket is empty' },
  'no such bucket': { path: '/p/main/nowhere-here', ready: 'There is no such bucket' },
  'no such page': { path: '/nowhere', ready: 'There is nothing at this address' },
  details: { path: '/p/archive/backups?prefix=2024%2F&object=2024%2Fnotes.txt', ready: '2024' },
  administration: { path: '/admin' },
  'API keys': { path: '/keys' },
  palette: { path: '/p/archive/backups', ready: 'backups', act: press('Control+k') },
  help: { path: '/', ready: 'Storage', act: press('?') },
  selection: {
    path: '/p/archive/backups?prefix=2024%2F',
    ready: '2024',
    act: async (page) => {
      await page.getByRole('checkbox', { name: 'Select notes.txt' }).check();
      await page.getByRole('checkbox', { name: 'Select database.bin' }).check();
    },
  },
  'row menu': {
    path: '/p/archive/backups?prefix=2024%2F',
    ready: '2024',
    act: async (page) => {
      await page.getByRole('button', { name: 'Actions on notes.txt' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
    },
  },
};

inEveryView(SCREENS, () => ({ url: demo.url, browser }));

describe('screens of other people', () => {
  it.each([
    ['no policy', 'noah', '/', /nothing is shared/],
    ['no access', 'dana', '/p/main/team-files?prefix=hr%2F', 'You have no access here'],
  ] as const)('%s has no accessibility fault', async (screen, account, path, heading) => {
    for (const [name, view] of VIEWS) {
      const page = await openPage(browser, view);
      await openAs(page, account, demo.url + path);
      await page.getByRole('heading', { name: heading }).waitFor();
      await expectGoodScreen(page, screen, name);
      await page.context().close();
    }
  });

  it.each(['/sign-in', '/signed-out'])('%s has no accessibility fault', async (path) => {
    for (const [name, view] of VIEWS) {
      const page = await openPage(browser, view);
      await page.goto(demo.url + path);
      await page.getByRole('link', { name: /Sign in/ }).waitFor();
      await expectGoodScreen(page, path.slice(1), name);
      await page.context().close();
    }
  });
});

describe('light and dark', () => {
  it('follow the system, until somebody chooses', async () => {
    const page = await openPage(browser, { colorScheme: 'dark' });
    const scheme = () => page.evaluate(() => document.documentElement.dataset['mantineColorScheme']);
    await openAs(page, 'vera', `${demo.url}/`);
    await page.getByRole('button', { name: 'Session of' }).click();
    expect(await scheme()).toBe('dark');
    await page.getByText('Light', { exact: true }).click();
    expect(await scheme()).toBe('light');
    await page.reload();
    await page.getByRole('heading', { name: 'Storage' }).waitFor();
    expect(await scheme()).toBe('light');
    await page.context().close();
  });
});

describe('390 px', () => {
  it('is enough to go from the start to an object and back', async () => {
    const page = await openPage(browser, { viewport: { width: 390, height: 844 } });
    await openAs(page, 'erik', `${demo.url}/`);
    await page.getByRole('button', { name: 'Open navigation' }).click();
    await page.getByRole('dialog', { name: 'Navigation' }).getByRole('link', { name: 'backups' }).click();
    await page.getByRole('heading', { name: 'backups' }).waitFor();
    await page.getByRole('dialog', { name: 'Navigation' }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: '2024' }).click();
    await page.getByRole('row', { name: 'notes.txt' }).getByText(/\d byte.* · /).waitFor();
    await page.getByRole('row', { name: 'notes.txt' }).click();
    await page.getByRole('dialog', { name: 'notes.txt' }).getByRole('button', { name: 'Close details' }).click();
    await page.getByRole('row', { name: 'notes.txt' }).waitFor();
    await page.context().close();
  });
});
