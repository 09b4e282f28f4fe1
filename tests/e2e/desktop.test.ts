import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, type CDPSession, type Page } from '@playwright/test';
import { until, type DesktopComputer } from '../support/desktop-app.ts';
import { endSessionsOf } from '../support/end-sessions.ts';
import { baseOf, test } from './desktop-fixtures.ts';
import { watchData } from './watch-data.ts';

const keptCredential = async (computer: DesktopComputer) =>
  /"http[^"]* desktop": "([^"]+)"/.exec(await computer.everythingKept())?.[1];

/** What the page's scripts and its heap hold. */
async function heapOf(window: Page): Promise<string> {
  const session: CDPSession = await window.context().newCDPSession(window);
  let heap = '';
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => (heap += chunk));
  await session.send('HeapProfiler.takeHeapSnapshot');
  await session.detach();
  return heap;
}

test('somebody signs in in the usual browser, works in the window, is known again, and signs out', async ({
  app,
  computer,
  startSignedIn,
}) => {
  const { run, window } = await startSignedIn(app.origin);

  await test.step('the page asks the main process who is signed in, and never has the credential', async () => {
    expect(await window.evaluate('svcDesktop.principal()')).toMatchObject({ subject: 'eve', kind: 'desktop' });
    const credential = (await keptCredential(computer))!;
    expect(credential).toMatch(/^\S{32,}$/);
    await window.getByRole('link', { name: /^main/ }).first().click();
    await expect(window.getByRole('link', { name: /files/ }).first()).toBeVisible();
    expect(await heapOf(window)).toContain('svcDesktop');
    expect(await heapOf(window)).not.toContain(credential);
    expect(
      await window.evaluate('document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href'),
    ).not.toContain(credential);
    const answers = await window.evaluate(
      "fetch('v1/auth/session').then(async (answer) => JSON.stringify([...answer.headers]) + await answer.text())",
    );
    expect(answers).toContain('eve');
    expect(answers).not.toMatch(/set-cookie/i);
    expect(answers).not.toContain(credential);
  });

  await test.step('a reload asks the main process who is signed in, and nothing else before the answer', async () => {
    const asked = watchData(window);
    let early: readonly string[] | undefined;
    await window.route('**/v1/auth/session', async (route) => {
      await expect(window.getByRole('status', { name: 'Checking your session' })).toBeVisible();
      early = [...asked];
      await route.continue();
    });
    await window.reload();
    await expect(window.getByRole('button', { name: /Session of/ })).toBeVisible();
    expect(early).toEqual([]);
    expect(asked).not.toEqual([]);
    await window.unroute('**/v1/auth/session');
  });

  await test.step('its socket is that of the main process', async () => {
    const answer = await window.evaluate(`new Promise((resolve, reject) => {
      const socket = new WebSocket(new URL('rpc', document.baseURI.replace('http', 'ws')));
      socket.onopen = () => socket.send(JSON.stringify([{ jsonrpc: '2.0', id: 'mine', method: 'session/get' }, { jsonrpc: '2.0', id: 7, method: 'initialize' }]));
      socket.onmessage = ({ data }) => resolve(JSON.parse(data));
      socket.onclose = ({ code }) => reject(new Error(String(code)));
    })`);
    expect(answer).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 'mine', result: expect.objectContaining({ subject: 'eve' }) }),
        expect.objectContaining({ id: 7 }),
      ]),
    );
  });

  await test.step('the next start needs no sign-in', async () => {
    await run.stop();
    const again = computer.start([]);
    const next = await again.window();
    await expect(next.getByRole('button', { name: /Session of/ })).toBeVisible();

    await next.getByRole('button', { name: /Session of/ }).click();
    await next.getByRole('button', { name: 'Sign out', exact: true }).click();
    await expect(next.getByRole('heading', { name: 'You are signed out' })).toBeVisible();
    expect(await until(async () => (await computer.opened()).find((url) => url.startsWith(app.issuer)))).toContain(
      'id_token_hint',
    );
    expect(await keptCredential(computer)).toBeUndefined();
  });
});

test('a session that is revoked brings the window to sign-in, and the page is kept until then', async ({
  app,
  computer,
  signIn,
  signedIn,
  startSignedIn,
}) => {
  const { window } = await startSignedIn(app.origin);
  const opened = (await computer.opened()).length;
  await endSessionsOf(app.origin, await signedIn(app.origin, 'ada'), 'eve');
  await expect(window.getByRole('heading', { name: 'Your session has ended' })).toBeVisible();
  expect(await window.evaluate('svcDesktop.principal()')).toBeNull();

  await window.evaluate("window.stays = 'here'");
  // Not by the mouse: once in many runs the window never says that it took the click.
  await window.getByRole('button', { name: 'Sign in' }).dispatchEvent('click');
  await signIn(/Eve/, opened);
  await expect(window.getByRole('button', { name: /Session of/ })).toBeVisible();
  expect(await window.evaluate('window.stays')).toBe('here');
});

test('frames and other origins get nothing, and what leads away opens in the usual browser', async ({
  app,
  computer,
  startSignedIn,
}) => {
  const { window } = await startSignedIn(app.origin);
  const origin = new URL(window.url()).origin;

  await test.step('frames', async () => {
    const found = await window.evaluate(`new Promise((resolve) => {
      const own = document.createElement('iframe');
      own.srcdoc = '<p>a frame of this origin</p>';
      own.onload = () => resolve([typeof own.contentWindow.svcDesktop, typeof own.contentWindow.svcDesktopCall, typeof window.svcDesktopCall]);
      document.body.append(own);
    })`);
    expect(found).toEqual(['undefined', 'undefined', 'undefined']);
    await window.evaluate(`new Promise((resolve) => {
      const foreign = document.createElement('iframe');
      foreign.sandbox = 'allow-scripts';
      foreign.srcdoc = '<p>a frame of another origin</p>';
      foreign.onload = resolve;
      document.body.append(foreign);
    })`);
    for (const frame of window.frames().slice(1))
      expect(await frame.evaluate('[typeof svcDesktop, typeof svcDesktopCall]')).toEqual(['undefined', 'undefined']);
  });

  await test.step('links and new windows', async () => {
    const before = (await computer.opened()).length;
    await window.evaluate("void window.open('https://elsewhere.example/new')");
    expect(await computer.nextOpened(before)).toBe('https://elsewhere.example/new');
    await window.evaluate("location.href = 'https://elsewhere.example/link'");
    expect(await computer.nextOpened(before + 1)).toBe('https://elsewhere.example/link');
    await window.evaluate("void window.open('api/docs')");
    expect(await computer.nextOpened(before + 2)).toBe(`${app.origin}/api/docs`);
    expect(window.url().startsWith(origin)).toBe(true);
    expect(
      window
        .context()
        .pages()
        .filter((one) => !one.isClosed()),
    ).toHaveLength(1);
  });

  await test.step('other programs of the machine', async () => {
    const own = baseOf(window);
    const value = (await window.context().cookies(own))[0]?.value ?? '';
    const good = { cookie: `svc_window=${value}`, 'sec-fetch-site': 'same-origin', origin };
    const ask = (url: string, headers: Record<string, string>) => fetch(url, { headers }).then(({ status }) => status);
    expect(await ask(`${own}v1/auth/session`, good)).toBe(200);
    expect(await ask(`${own}v1/auth/session`, { ...good, cookie: 'svc_window=x' })).toBe(403);
    expect(await ask(`${own}v1/auth/session`, { ...good, origin: 'http://127.0.0.1:1' })).toBe(403);
    expect(await ask(`${own}v1/auth/session`, { ...good, 'sec-fetch-site': 'same-site' })).toBe(403);
    expect(await ask(`${own.replace('127.0.0.1', 'localhost')}v1/auth/session`, good)).toBe(403);
    expect(await ask(`${origin}/${'x'.repeat(43)}/v1/auth/session`, good)).toBe(403);
    expect(await ask(`${origin}/`, good)).toBe(403);
    // As they are written: `fetch` would tidy them up.
    const asWritten = (path: string) =>
      new Promise<string>(
        (resolve, reject) =>
          void get(
            { host: '127.0.0.1', port: new URL(origin).port, path: new URL(own).pathname + path, headers: good },
            (answer) => void text(answer).then(resolve, reject),
          ).once('error', reject),
      );
    expect(await asWritten('v1/auth/session')).toContain('eve');
    for (const path of [
      'v1/../metrics',
      'v1/%2e%2e/metrics',
      'v1/.%2E/metrics',
      'api/..%2fmetrics',
      'api/..%5cmetrics',
      'api//auth/logout',
      'api/%2fauth/logout',
      'api/%zz',
      'v1/auth/session/../logout',
    ])
      expect(await asWritten(path)).toContain('there is nothing here');
    for (const path of ['v1/auth/logout', 'v1/AUTH/logout', 'v1/%61uth/logout', 'api/auth/logout/', 'v1/auth/token'])
      expect(await asWritten(path)).toContain('the desktop application handles sign-in itself');
  });
});

test('killed, the application leaves no browser behind', async ({ app, computer, startSignedIn }) => {
  const { run, window } = await startSignedIn(app.origin);
  const gone = new Promise((resolve) => window.context().browser()!.once('disconnected', resolve));
  run.child.kill('SIGKILL');
  await gone;
  await run.ended;
  const again = computer.start([]);
  await expect((await again.window()).getByRole('button', { name: /Session of/ })).toBeVisible();
});
