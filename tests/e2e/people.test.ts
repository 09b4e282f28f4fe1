import { expect, type Page } from '@playwright/test';
import { dialog, row } from '../support/page.ts';
import { test } from './fixtures.ts';
import { expectGoodScreen, inEveryView, type Screen } from './views.ts';

test.describe.configure({ mode: 'parallel' });

/** Presses a key once the page listens to it. */
const press = (key: string) => async (page: Page) => {
  await page.getByRole('heading').first().waitFor();
  await page.keyboard.press(key);
};

/** Somebody has been in some folders, and marked one. */
const wasAround = async (page: Page) => {
  for (const place of ['photos', 'team-files?prefix=projects%2F', 'team-files?prefix=projects%2Fapollo%2F']) {
    await page.goto(new URL(`/p/main/${place}`, page.url()).href);
    await page.getByRole('row').nth(1).waitFor();
  }
  // The mark of an earlier view is kept by the service.
  const places = await page.request.get(new URL('/api/places', page.url()).href);
  if (!(await places.text()).includes('"favourites":[{')) {
    await page.getByRole('button', { name: 'Favourite' }).click();
    await expect(page.getByRole('button', { name: 'Favourite' })).toHaveAttribute('aria-pressed', 'true');
  }
  await page.getByRole('link', { name: 'svc', exact: true }).first().click();
};

const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { name }).first();

const BACKUPS = '/p/archive/backups?prefix=2024%2F';

const SCREENS: Readonly<Record<string, Screen>> = {
  home: {
    path: '/',
    act: wasAround,
    shows: (page) => page.getByRole('list', { name: 'Favourites' }).getByRole('link', { name: 'apollo' }),
  },
  provider: { path: '/p/main', shows: (page) => page.getByRole('main').getByRole('link', { name: 'team-files' }) },
  folder: { path: '/p/main/team-files?prefix=projects%2F', shows: (page) => row(page, 'apollo') },
  'many keys': {
    path: '/p/main/sensors?prefix=readings%2F&sort=-size',
    shows: (page) => page.getByText(/loaded so far/).first(),
  },
  'empty bucket': { path: '/p/main/empty-bucket', shows: heading('This bucket is empty') },
  'no such bucket': { path: '/p/main/nowhere-here', shows: heading('There is no such bucket') },
  'no such page': { path: '/nowhere', shows: heading('There is nothing at this address') },
  details: {
    path: `${BACKUPS}&object=2024%2Fnotes.txt`,
    shows: (page) => page.getByText('s3://backups/2024/notes.txt'),
  },
  administration: {
    path: '/admin/policies',
    shows: (page) => page.getByRole('region', { name: /^Policy / }).first(),
  },
  'API keys': { path: '/keys', shows: (page) => page.getByText('No API keys yet') },
  palette: { path: '/p/archive/backups', act: press('Control+k'), shows: (page) => dialog(page, 'Go to') },
  help: { path: '/', act: press('?'), shows: (page) => dialog(page, 'Keyboard shortcuts') },
  selection: {
    path: BACKUPS,
    act: async (page) => {
      await page.getByRole('checkbox', { name: 'Select notes.txt' }).check();
      await page.getByRole('checkbox', { name: 'Select database.bin' }).check();
    },
    shows: (page) => page.getByRole('toolbar', { name: 'Selection' }).getByText('2 selected'),
  },
  'row menu': {
    path: BACKUPS,
    act: openRowMenu,
    shows: (page) => page.getByRole('menuitem', { name: 'Delete' }),
    // The menu opens where the pointer is, and nobody's window shrinks beneath it.
    narrowed: async (page) => {
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached' });
      await openRowMenu(page);
    },
  },
};

inEveryView(SCREENS);

async function openRowMenu(page: Page): Promise<void> {
  await row(page, 'notes.txt').getByRole('button', { name: 'Actions on notes.txt' }).click();
}

test.describe('screens of other people', () => {
  for (const [screen, account, path, name] of [
    ['no policy', 'noah', '/', /nothing is shared/],
    ['no access', 'dana', '/p/main/team-files?prefix=hr%2F', 'You have no access here'],
  ] as const) {
    test(`${screen} has no accessibility fault`, async ({ openDemo, page }) => {
      await openDemo(account, path);
      await expectGoodScreen(page, screen, heading(name)(page));
    });
  }

  for (const path of ['/sign-in', '/signed-out']) {
    test(`${path} has no accessibility fault`, async ({ demo, page }) => {
      await page.goto(demo.url + path);
      await expectGoodScreen(page, path.slice(1), page.getByRole('link', { name: /Sign in/ }));
    });
  }
});

test.describe('light and dark', () => {
  test('follow the system, until somebody chooses', async ({ openDemo, page }) => {
    const scheme = (chosen: string) =>
      expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', chosen);
    await page.emulateMedia({ colorScheme: 'dark' });
    await openDemo('vera', '/');
    await page.getByRole('button', { name: 'Session of' }).click();
    await scheme('dark');
    await page.getByText('Light', { exact: true }).click();
    await scheme('light');
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Storage' })).toBeVisible();
    await scheme('light');
  });
});

test.describe('390 px', () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test('is enough to go from the start to an object and back', async ({ openDemo, page }) => {
    await openDemo('erik', '/');
    await page.getByRole('button', { name: 'Open navigation' }).click();
    const navigation = dialog(page, 'Navigation');
    await navigation.getByRole('link', { name: 'backups' }).click();
    await expect(page.getByRole('heading', { name: 'backups' })).toBeVisible();
    await expect(navigation).not.toBeAttached();
    await row(page, '2024').click();
    await expect(row(page, 'notes.txt').getByText(/\d byte.* · /)).toBeVisible();
    await row(page, 'notes.txt').click();
    await dialog(page, 'notes.txt').getByRole('button', { name: 'Close details' }).click();
    await expect(row(page, 'notes.txt')).toBeVisible();
  });
});
