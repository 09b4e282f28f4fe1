import { expect, type Page, type WebSocketRoute } from '@playwright/test';
import { choose, dialog, row, upload } from '../support/page.ts';
import { SESSION_COOKIE } from '../../src/access/credentials.ts';
import { FOLDER_CHANGED } from '../../src/wire/folder-changed.ts';
import { test } from './fixtures.ts';

/** The statuses of the answers to the questions of an open folder whether it changed. */
function asked(page: Page): number[] {
  const statuses: number[] = [];
  page.on('response', (answer) => {
    if (answer.request().headers()['if-none-match'] !== undefined) statuses.push(answer.status());
  });
  return statuses;
}

/** The page is told nothing by the service. */
const deafen = (page: Page) => page.routeWebSocket('**/rpc', () => undefined);
/** The page does not look by itself every 20 seconds. */
const lookNever = (page: Page) =>
  page.addInitScript(
    'const { setInterval: every } = window; window.setInterval = (work, ms) => (ms === 20_000 ? 0 : every(work, ms));',
  );

/** How often the service has begun to watch a folder for the page. What changed before that is not told. */
function begun(page: Page): () => number {
  let count = 0;
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (String(payload).includes('"result":{"watch"')) count += 1;
    }),
  );
  return () => count;
}

const come = (page: Page) => page.evaluate(() => window.dispatchEvent(new Event('focus')));

test.describe('an open folder', () => {
  test('shows what another person added as soon as one comes back, and leaves selection, row and dialog as they are', async ({
    files,
    openFolder,
    page,
  }) => {
    await deafen(page);
    for (const name of ['b', 'c']) await files.put(`back/${name}.txt`, 'x');
    const statuses = asked(page);
    await openFolder('back/');
    await row(page, 'c.txt').getByRole('checkbox').check();
    await choose(page, 'b.txt', 'Rename');
    const field = dialog(page).getByRole('textbox');
    await field.fill('half-typed.txt');
    await come(page);
    await expect.poll(() => statuses).toEqual([304]);
    await files.put('back/a.txt', 'x');
    await come(page);
    const added = page.getByRole('row', { includeHidden: true }).filter({ hasText: 'a.txt' });
    await expect(added).toHaveAttribute('data-fresh', 'true');
    expect(statuses).toEqual([304, 200]);
    await expect(field).toHaveValue('half-typed.txt');
    await expect(field).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(row(page, 'c.txt')).toHaveAttribute('aria-selected', 'true');
    await expect(added).not.toHaveAttribute('data-fresh');
  });

  test('asks every 20 seconds, but neither offline nor in the background', async ({ files, openFolder, page }) => {
    await deafen(page);
    await files.put('clock/a.txt', 'x');
    await page.clock.install();
    const statuses = asked(page);
    await openFolder('clock/');
    await expect(row(page, 'a.txt')).toBeVisible();
    await page.waitForLoadState('networkidle');
    await page.clock.runFor(21_000);
    await expect.poll(() => statuses).toEqual([304]);
    await page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })");
    await page.clock.runFor(61_000);
    await page.evaluate("Object.defineProperty(document, 'hidden', { value: false })");
    await page.context().setOffline(true);
    await page.clock.runFor(61_000);
    expect(statuses).toEqual([304]);
    await files.put('clock/b.txt', 'x');
    await page.context().setOffline(false);
    await page.clock.runFor(21_000);
    await expect(row(page, 'b.txt')).toBeVisible();
  });

  test('hears at once of what another tab of the browser did', async ({ files, openFolder, page }) => {
    await deafen(page);
    for (const name of ['gone', 'stays']) await files.put(`tabs/${name}.txt`, 'x');
    await openFolder('tabs/');
    await expect(row(page, 'gone.txt')).toBeVisible();
    const other = await page.context().newPage();
    await other.goto(page.url());
    const statuses = asked(page);
    await choose(other, 'gone.txt', 'Delete');
    await dialog(other).getByRole('button', { name: 'Delete' }).click();
    await expect(row(page, 'gone.txt')).toHaveCount(0);
    await expect(row(page, 'stays.txt')).toBeVisible();
    expect(statuses).toEqual([]);
  });

  test('shows what another person uploads and deletes as soon as it is done', async ({
    app,
    browser,
    bucket,
    files,
    openFolder,
    page,
    signedIn,
  }) => {
    await files.put('both/there.txt', 'x');
    await lookNever(page);
    const watches = begun(page);
    await openFolder('both/');
    await expect(row(page, 'there.txt')).toBeVisible();
    await expect.poll(watches).toBe(1);
    const context = await browser.newContext();
    const value = (await signedIn(app.origin, 'ada')).cookie(app.origin, SESSION_COOKIE)!;
    await context.addCookies([{ name: SESSION_COOKIE, value, url: app.origin }]);
    const other = await context.newPage();
    await other.goto(`${app.origin}/p/main/${bucket}?prefix=both%2F`);
    await expect(row(other, 'there.txt')).toBeVisible();
    await upload(other, { name: 'fresh.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });
    await expect(row(page, 'fresh.txt')).toBeVisible();
    await choose(other, 'there.txt', 'Delete');
    await dialog(other).getByRole('button', { name: 'Delete' }).click();
    await expect(row(page, 'there.txt')).toHaveCount(0);
    await context.close();
  });

  test('hears what it watches between messages that make no sense', async ({ files, openFolder, page }) => {
    await files.put('noise/a.txt', 'x');
    const { promise: asked, resolve: hear } = Promise.withResolvers<WebSocketRoute>();
    await page.routeWebSocket(/\/rpc/, (socket) => {
      socket.onMessage((message) => {
        const noise = ['{', 'null', '7', '[]', '{"id":0,"result":null}', JSON.stringify({ method: FOLDER_CHANGED })];
        for (const text of noise) socket.send(text);
        socket.send(Buffer.of(1, 2));
        const { id } = JSON.parse(String(message)) as { id: number };
        socket.send(JSON.stringify({ id, result: { watch: 'w' } }));
        hear(socket);
      });
    });
    await openFolder('noise/');
    await expect(row(page, 'a.txt')).toBeVisible();
    const socket = await asked;
    await files.put('noise/b.txt', 'x');
    socket.send(JSON.stringify({ method: FOLDER_CHANGED, params: { watch: 'w' } }));
    await expect(row(page, 'b.txt')).toBeVisible({ timeout: 10_000 });
  });

  test('waits longer each time for a connection that is closed as soon as it is open', async ({
    files,
    openFolder,
    page,
  }) => {
    await files.put('closed/a.txt', 'x');
    let sockets = 0;
    await page.routeWebSocket(/\/rpc/, (socket) => {
      sockets += 1;
      socket.onMessage(() => void socket.close({ code: 1011 }));
    });
    await openFolder('closed/');
    await expect(row(page, 'a.txt')).toBeVisible();
    await page.waitForTimeout(6_000);
    expect(sockets).toBeLessThanOrEqual(3);
  });

  test('is told of changes again after its connection was lost, also of those meanwhile', async ({
    files,
    openFolder,
    page,
  }) => {
    await files.put('lost/there.txt', 'x');
    await lookNever(page);
    const sockets: WebSocketRoute[] = [];
    let watches = 0;
    await page.routeWebSocket('**/rpc', (socket) => {
      sockets.push(socket);
      const service = socket.connectToServer();
      service.onMessage((message) => {
        if (String(message).includes('"result":{"watch"')) watches += 1;
        socket.send(message);
      });
    });
    await openFolder('lost/');
    await expect(row(page, 'there.txt')).toBeVisible();
    await expect.poll(() => watches).toBe(1);
    await files.put('lost/before.txt', 'x');
    await expect(row(page, 'before.txt')).toBeVisible();
    await sockets[0]!.close();
    await files.put('lost/meanwhile.txt', 'x');
    await expect(row(page, 'meanwhile.txt')).toBeVisible();
    await expect.poll(() => watches).toBe(2);
    expect(sockets).toHaveLength(2);
    await files.put('lost/after.txt', 'x');
    await expect(row(page, 'after.txt')).toBeVisible();
  });
});
