import { join } from 'node:path';
import { expect, type Page, type Route } from '@playwright/test';
import type { TestApp } from '../support/app.ts';
import type { Fault } from '../support/call-counter.ts';
import { endSessionsOf } from '../support/end-sessions.ts';
import { WORKERS } from '../support/one-process.ts';
import { accessibilityFaults, chooseAccount, dialog, row, tray, upload } from '../support/page.ts';
import { core, test } from './fixtures.ts';

const MIB = 1024 * 1024;
/** A large file takes a busy machine longer than a page. */
const SENT_WITHIN_MS = 60_000;
const PART = /\/uploads\/[^/]+\/parts\/(\d+)/;

const trayText = (page: Page, text: string | RegExp) => tray(page).getByText(text).filter({ visible: true }).first();

/** Parts that were sent and parts that arrived, by number. */
function watchParts(page: Page) {
  const sent: number[] = [];
  const arrived: number[] = [];
  page.on('request', (request) => {
    const number = PART.exec(request.url())?.[1];
    if (number !== undefined) sent.push(Number(number));
  });
  page.on('response', (response) => {
    const number = PART.exec(response.url())?.[1];
    if (number !== undefined && response.ok()) arrived.push(Number(number));
  });
  return { sent, arrived };
}

/** Storage takes this many parts of a file, and keeps the others waiting until {@link takeAllParts}. */
function takeParts(app: TestApp, count: number): void {
  app.storageCalls.spoil = (call) =>
    Number(/^PUT .*[?&]partNumber=(\d+)/.exec(call)?.[1] ?? 0) > count ? 'hold' : undefined;
}

function takeAllParts(app: TestApp): void {
  app.storageCalls.spoil = undefined;
}

/** Begins the upload of a large file, and comes back when some of its parts have arrived. The others wait. */
async function uploadHalf(app: TestApp, page: Page, path: string) {
  const parts = watchParts(page);
  takeParts(app, 2);
  await upload(page, path);
  await expect.poll(() => parts.arrived.length, { intervals: [50] }).toBeGreaterThanOrEqual(2);
  return parts;
}

test.describe('uploading', () => {
  test(
    'stores several chosen files, and shows them in the folder',
    core,
    async ({ local, files, openFolder, page }) => {
      await openFolder('several/');
      await upload(page, await local('one.txt', 'one'), await local('Grüße #1 100%.txt', 'two'));
      await expect(trayText(page, 'Uploaded 2 files')).toBeVisible();
      await expect(row(page, 'Grüße #1 100%.txt')).toBeVisible();
      expect(await (await files.get('several/one.txt')).text()).toBe('one');
      await tray(page).getByRole('button', { name: '2 files to several' }).click();
      await tray(page).getByRole('link', { name: 'one.txt' }).click();
      await expect(page.getByRole('complementary', { name: 'Details of one.txt' })).toBeVisible();
      expect(await files.keys('several/')).toEqual(['several/Grüße #1 100%.txt', 'several/one.txt']);
      expect(await accessibilityFaults(page)).toEqual([]);
    },
  );

  test('begins in the middle of an empty folder', async ({ local, files, openFolder, page }) => {
    await openFolder('empty/');
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose files to upload' }).click();
    const { promise: seen, resolve: sawArriving } = Promise.withResolvers<undefined>();
    await page.route('**/*', async (route) => {
      if (route.request().method() === 'PUT') await seen;
      await route.fallback();
    });
    await (await chooser).setFiles(await local('first.txt', 'first'));
    await expect(page.getByRole('heading', { name: 'Files are arriving' })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Nothing here' })).toBeHidden();
    sawArriving(undefined);
    // A screen reader says the name once for a row.
    await expect(row(page, 'first.txt')).toHaveAccessibleName(/^first\.txt, 5 bytes, (?!.*first)/);
    expect(await files.keys('empty/')).toEqual(['empty/first.txt']);
  });

  test('stores a chosen folder with the folders in it', async ({ local, directory, files, openFolder, page }) => {
    await local('album/cover.txt', 'cover');
    await local('album/2024/deep/a.txt', 'a');
    await openFolder('folders/');
    await page.getByRole('button', { name: /more actions/i }).click();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('menuitem', { name: 'Upload folder' }).click();
    await (await chooser).setFiles(join(directory, 'album'));
    await expect(trayText(page, 'Uploaded 2 files')).toBeVisible();
    expect(await files.keys('folders/')).toEqual(['folders/album/2024/deep/a.txt', 'folders/album/cover.txt']);
  });

  test('stores what is dropped', async ({ files, openFolder, page }) => {
    await openFolder('dropped/');
    const data = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' }));
      return transfer;
    });
    const area = page.getByTestId('drop-area');
    await area.dispatchEvent('dragenter', { dataTransfer: data });
    await expect(page.getByText('Drop to upload to dropped/')).toBeVisible();
    await area.dispatchEvent('drop', { dataTransfer: data });
    await expect(trayText(page, 'Uploaded 1 file')).toBeVisible();
    expect(await (await files.get('dropped/dropped.txt')).text()).toBe('dropped');
  });

  test('offers no upload where it is not allowed, and takes no drop', async ({ files, openFolder, page }) => {
    await files.put('read only/a.txt', 'x');
    await openFolder('read only/', 'vic');
    await expect(row(page, 'a.txt')).toBeVisible();
    expect(await page.getByRole('button', { name: 'Upload files' }).count()).toBe(0);
    const data = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['x'], 'x.txt'));
      return transfer;
    });
    await page.getByTestId('drop-area').dispatchEvent('dragenter', { dataTransfer: data });
    await expect(page.getByText('You may not upload here')).toBeVisible();
  });
});

test.describe('an upload that fails', () => {
  test.afterEach(({ app }) => void (app.storageCalls.spoil = undefined));

  /** Storage fails every write beneath `failing/` from now on. */
  const fail = (app: TestApp, fault: Fault) =>
    (app.storageCalls.spoil = (call) => (/^PUT .*failing/.test(call) ? fault : undefined));

  test('is tried again by itself when the failure may pass', core, async ({ local, app, files, openFolder, page }) => {
    fail(app, 'cut');
    await openFolder('failing/');
    await upload(page, await local('by itself.txt', 'x'));
    const status = trayText(page, /^Trying again · .*storage/i);
    await expect(status).toBeVisible();
    expect(await status.evaluate((text) => [text.scrollWidth - text.clientWidth, text.clientHeight > 20])).toEqual([
      0,
      true,
    ]);
    app.storageCalls.spoil = undefined;
    await expect(trayText(page, 'Uploaded 1 file')).toBeVisible();
    expect(await (await files.get('failing/by itself.txt')).text()).toBe('x');
  });

  test('waits for the other transfers of a person who has too many, and then goes on by itself', async ({
    local,
    app,
    bucket,
    files,
    openFolder,
    page,
    signedIn,
  }) => {
    test.skip(WORKERS !== undefined, 'the limit is one of each worker');
    await files.put('busy/large.bin', new Uint8Array(24 * MIB));
    const eve = await signedIn(app.origin, 'eve');
    const large = `${app.origin}/api/providers/main/buckets/${bucket}/object?key=busy%2Flarge.bin`;
    // Transfers of an earlier test may still be ending.
    const begun = async (): Promise<Response> => {
      for (;;) {
        const answer = await eve.request(large);
        if (answer.status === 200) return answer;
      }
    };
    // As many downloads as one person may have. Nobody reads their bytes.
    const downloads = await Promise.all(Array.from({ length: 64 }, begun));
    await openFolder('busy/');
    await expect(row(page, 'large.bin')).toBeVisible();
    await upload(page, await local('waits.txt', 'x'));
    await expect(trayText(page, 'Waiting for your other transfers')).toBeVisible();
    await Promise.all(downloads.map(async ({ body }) => body?.cancel()));
    await expect(trayText(page, 'Uploaded 1 file')).toBeVisible();
    expect(await (await files.get('busy/waits.txt')).text()).toBe('x');
  });

  test('says why when it does not pass, and is tried again by a button', async ({
    local,
    app,
    files,
    openFolder,
    page,
  }) => {
    fail(app, 'gone');
    await openFolder('failing/');
    await upload(page, await local('by button.txt', 'x'));
    await expect(trayText(page, /It may have been moved or deleted/)).toBeVisible();
    expect(await accessibilityFaults(page)).toEqual([]);
    app.storageCalls.spoil = undefined;
    await tray(page).getByRole('button', { name: 'Try by button.txt again' }).click();
    await expect(trayText(page, 'Uploaded 1 file')).toBeVisible();
    expect(await (await files.get('failing/by button.txt')).text()).toBe('x');
  });

  test('is the page of a proxy that answers in place of the service', async ({ local, files, openFolder, page }) => {
    await page.route(/\/object\?|\/parts\//, async (route) => {
      if (route.request().method() !== 'PUT') await route.continue();
      else await route.fulfill({ contentType: 'text/html', body: '<h1>Sign in</h1>' });
    });
    await openFolder('by a proxy/');
    await upload(page, await local('small.txt', 'x'), await local('large.bin', Buffer.alloc(17 * MIB)));
    await expect(trayText(page, 'Nothing was uploaded')).toBeVisible({ timeout: SENT_WITHIN_MS });
    await expect(trayText(page, /^The answer could not be read\./)).toBeVisible();
    await page.getByRole('button', { name: 'New folder' }).click();
    await dialog(page).getByRole('textbox').fill('made');
    await dialog(page).getByRole('button', { name: 'Create folder' }).click();
    await expect(dialog(page).getByText('The answer could not be read.')).toBeVisible();
    expect(await files.keys('by a proxy/')).toEqual([]);
  });

  test('does not count as uploaded', async ({ local, app, openFolder, page }) => {
    app.storageCalls.spoil = (call) => (/^PUT .*counted\/no/.test(call) ? 'gone' : undefined);
    const held: Route[] = [];
    await page.route(/key=counted%2Fheld/, (route) => void held.push(route));
    await openFolder('counted/');
    await upload(page, await local('yes.txt', 'yes'), await local('no.txt', 'no'), await local('held.txt', 'held'));
    await expect(trayText(page, /^1 of 3 · .* · 1 failed$/)).toBeVisible();
    await expect.poll(() => held.length).toBe(1);
    await held[0]!.continue();
  });
});

test.describe('a taken name', () => {
  for (const [answer, expected] of [
    ['Replace', { 'a.txt': 'new one' }],
    ['Keep both', { 'a.txt': 'old', 'a (2).txt': 'new one' }],
    ['Skip', { 'a.txt': 'old' }],
  ] as const) {
    test(`is asked about: ${answer}`, async ({ local, files, openFolder, page }) => {
      const prefix = `taken/${answer}/`;
      await files.put(`${prefix}a.txt`, 'old');
      await openFolder(prefix);
      await upload(page, await local('a.txt', 'new one'));
      await expect(
        dialog(page, 'File already exists').getByRole('row', { name: /^Existing file 3 bytes/ }),
      ).toBeVisible();
      await expect(dialog(page, 'File already exists').getByRole('row', { name: /^New file 7 bytes/ })).toBeVisible();
      await dialog(page, 'File already exists').getByRole('button', { name: answer, exact: true }).click();
      await expect(trayText(page, answer === 'Skip' ? 'Nothing was uploaded' : 'Uploaded 1 file')).toBeVisible();
      const keys = await files.keys(prefix);
      const found = await Promise.all(
        keys.map(async (key) => [key.slice(prefix.length), await (await files.get(key)).text()]),
      );
      expect(Object.fromEntries(found)).toEqual(expected);
    });
  }

  test('is answered once for all', core, async ({ local, files, openFolder, page }) => {
    for (const name of ['x', 'y', 'z']) await files.put(`all/${name}.txt`, 'old');
    await openFolder('all/');
    await upload(page, ...(await Promise.all(['x', 'y', 'z'].map((name) => local(`${name}.txt`, 'new')))));
    const question = dialog(page, 'File already exists');
    await expect(question).toBeVisible();
    expect(await accessibilityFaults(page)).toEqual([]);
    await question.getByRole('checkbox').check();
    await question.getByRole('button', { name: 'Replace' }).click();
    await expect(trayText(page, 'Uploaded 3 files')).toBeVisible();
    expect(await (await files.get('all/z.txt')).text()).toBe('new');
  });
});

test.describe('a large file', () => {
  test.beforeEach(() => test.slow());
  test.afterEach(({ app }) => takeAllParts(app));

  const content = (seed: number) => Buffer.alloc(40 * MIB, seed);

  test('is sent in parts, paused, and resumed with the parts that are missing', async ({
    local,
    app,
    files,
    openFolder,
    page,
  }) => {
    await openFolder('large/');
    const before = await uploadHalf(app, page, await local('pausing.bin', content(1)));
    await expect(page).toHaveTitle(/^\d+ % · large · svc$/);
    await tray(page).getByRole('button', { name: 'Pause pausing.bin' }).click();
    await expect(trayText(page, /^Paused/)).toBeVisible();
    await expect(page).toHaveTitle('large · svc');
    expect(await accessibilityFaults(page)).toEqual([]);
    const after = watchParts(page);
    takeAllParts(app);
    await tray(page).getByRole('button', { name: 'Resume pausing.bin' }).click();
    await expect(trayText(page, 'Uploaded 1 file')).toBeVisible({ timeout: SENT_WITHIN_MS });
    expect(after.sent.filter((number) => before.arrived.slice(0, 2).includes(number))).toEqual([]);
    expect(after.sent).toContain(5);
    expect(Buffer.from(await (await files.get('large/pausing.bin')).arrayBuffer()).equals(content(1))).toBe(true);
  });

  test('goes on after a reload once the same file is chosen again', async ({ app, local, files, openFolder, page }) => {
    const path = await local('reloading.bin', content(2));
    await openFolder('large/');
    const before = await uploadHalf(app, page, path);
    await reload(page);
    const after = watchParts(page);
    takeAllParts(app);
    await expect(trayText(page, '1 interrupted upload')).toBeVisible();
    expect(await accessibilityFaults(page)).toEqual([]);
    await chooseAgain(page, path);
    await expect(trayText(page, 'Uploaded 1 file')).toBeVisible({ timeout: SENT_WITHIN_MS });
    expect(after.sent.filter((number) => before.arrived.slice(0, 2).includes(number))).toEqual([]);
    expect((await (await files.get('large/reloading.bin')).arrayBuffer()).byteLength).toBe(40 * MIB);
    await expect.poll(() => page.evaluate(() => localStorage.getItem('svc.uploads'))).toBe('[]');
  });

  test('is not called interrupted by later uploads once it is stored', async ({ local, openFolder, page }) => {
    await openFolder('large/');
    await upload(page, await local('finished.bin', content(6)));
    await expect(trayText(page, 'Uploaded 1 file')).toBeVisible({ timeout: SENT_WITHIN_MS });
    await upload(page, await local('later.txt', 'x'));
    await expect(tray(page).getByRole('link', { name: 'later.txt' })).toBeVisible();
    await expect(tray(page).getByRole('button')).toHaveText(['Uploaded 1 file', '', '']);
    await expect(tray(page).getByText('finished.bin')).toHaveCount(0);
  });

  test('is finishing while its parts are joined, and what is discarded is gone at once', async ({
    app,
    local,
    openFolder,
    page,
  }) => {
    await openFolder('large/');
    const joining = Promise.withResolvers<undefined>();
    await page.route(/\/complete\?/, async (route) => {
      await joining.promise;
      await route.continue();
    });
    await upload(page, await local('joined.bin', content(6)));
    await expect(tray(page).getByText(/^Finishing · /)).toBeVisible({ timeout: SENT_WITHIN_MS });
    joining.resolve(undefined);
    await expect(trayText(page, 'Uploaded 1 file')).toBeVisible({ timeout: SENT_WITHIN_MS });
    await uploadHalf(app, page, await local('gone.bin', content(7)));
    await reload(page);
    const abandoned = Promise.withResolvers<undefined>();
    await page.route(/\/uploads\//, async (route) => {
      await abandoned.promise;
      await route.continue();
    });
    await tray(page).getByRole('button', { name: 'Discard' }).click();
    await expect(tray(page)).not.toBeAttached();
    expect(await page.evaluate(() => localStorage.getItem('svc.uploads'))).toContain('gone.bin');
    abandoned.resolve(undefined);
    await expect.poll(() => page.evaluate(() => localStorage.getItem('svc.uploads'))).toBe('[]');
  });

  test('goes on from Home after the transfers were closed', async ({ app, local, files, openFolder, page }) => {
    await openFolder('large/');
    const path = await local('closed.bin', content(8));
    await uploadHalf(app, page, path);
    await reload(page);
    await tray(page).getByRole('button', { name: 'Close transfers' }).click();
    await expect(tray(page)).not.toBeAttached();
    await page.getByRole('link', { name: 'Home' }).first().click();
    await page.getByRole('button', { name: 'Continue in Transfers' }).click();
    takeAllParts(app);
    await chooseAgain(page, path);
    await expect(trayText(page, 'Uploaded 1 file')).toBeVisible({ timeout: SENT_WITHIN_MS });
    expect(await files.keys('large/closed.bin')).toEqual(['large/closed.bin']);
    await expect(page).toHaveURL(`${app.origin}/`);
  });

  test('refuses to go on with another file, and can be discarded', async ({ app, local, openFolder, page }) => {
    await openFolder('large/');
    await uploadHalf(app, page, await local('original.bin', content(3)));
    await reload(page);
    await chooseAgain(page, await local('other.bin', content(4)));
    await expect(page.getByText('This is a different file')).toBeVisible();
    await tray(page).getByRole('button', { name: 'Discard' }).click();
    await expect(tray(page)).not.toBeAttached();
    await expect.poll(() => page.evaluate(() => localStorage.getItem('svc.uploads'))).toBe('[]');
  });

  test('gives up its parts when it is cancelled', async ({ app, local, files, openFolder, page }) => {
    await openFolder('large/');
    await uploadHalf(app, page, await local('cancelled.bin', content(5)));
    const dropped = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await tray(page).getByRole('button', { name: 'Cancel cancelled.bin' }).click();
    expect((await dropped).status()).toBe(204);
    await expect(trayText(page, 'Cancelled')).toBeVisible();
    expect(await files.keys('large/cancelled')).toEqual([]);
  });

  test('pauses when the session ends, and goes on after signing in again', async ({
    local,
    app,
    files,
    openFolder,
    page,
    signedIn,
  }) => {
    await openFolder('large/');
    takeParts(app, 0);
    await upload(page, await local('session.bin', content(7)));
    await page.waitForRequest(PART);
    await endSessionsOf(app.origin, await signedIn(app.origin, 'ada'), 'eve');
    await expect(trayText(page, 'Uploads are waiting for you to sign in')).toBeVisible();
    takeAllParts(app);
    await expect(page.getByRole('heading', { name: 'Your session has ended' })).toBeVisible();
    expect([
      await page.getByText('session.bin').count(),
      await page.getByText('Eve Editor').count(),
      await page.getByRole('grid').count(),
    ]).toEqual([1, 0, 0]);
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Sign in', exact: true }).click(),
    ]);
    await chooseAccount(popup, 'eve');
    await expect(trayText(page, 'Uploaded 1 file')).toBeVisible({ timeout: SENT_WITHIN_MS });
    expect((await (await files.get('large/session.bin')).arrayBuffer()).byteLength).toBe(40 * MIB);
  });
});

/** Leaves the page although it is uploading, and opens it again. */
async function reload(page: Page): Promise<void> {
  const asked = page.waitForEvent('dialog');
  const reloaded = page.reload();
  const question = await asked;
  expect(question.type()).toBe('beforeunload');
  await question.accept();
  await reloaded;
}

async function chooseAgain(page: Page, path: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await tray(page).getByRole('button', { name: 'Choose file' }).click();
  await (await chooser).setFiles(path);
}
