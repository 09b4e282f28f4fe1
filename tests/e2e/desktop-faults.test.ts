import { spawnSync } from 'node:child_process';
import { expect } from '@playwright/test';
import { signInDesktop } from '../support/desktop-client.ts';
import { PrivateAuthority, startTlsFront } from '../support/private-authority.ts';
import { keyringOf } from '../support/keyring.ts';
import { baseOf, test } from './desktop-fixtures.ts';

test('a certificate of an authority that is not trusted is told, and `--ca` trusts it', async ({ app, computer }) => {
  const authority = new PrivateAuthority();
  const front = await startTlsFront(app.origin, authority.issue());
  const server = `https://127.0.0.1:${front.port}`;
  await computer.keep(server, (await signInDesktop(app, 'eve')).access_token);
  const untrusted = computer.start(['--server', server]);
  const window = await untrusted.window();
  await expect(window.getByRole('alert')).toContainText(
    `${server} shows a certificate of an authority that is not trusted here`,
  );
  await untrusted.stop();

  const trusted = computer.start(['--server', server, '--ca', authority.file]);
  await expect((await trusted.window()).getByRole('button', { name: /Session of/ })).toBeVisible();
  await trusted.stop();
  await front.close();
  authority.remove();
});

test('the window says what an administrator can set where the provider makes nobody authenticate again', async ({
  app,
  computer,
  page,
}) => {
  const window = await computer.start(['--server', app.origin]).window();
  await window.getByRole('link', { name: 'Sign in' }).click();
  const begun = await page.request.get(await computer.nextOpened(0), { maxRedirects: 0 });
  const { searchParams: asked } = new URL(begun.headers()['location']!);
  const refusal = new URLSearchParams({ state: asked.get('state')!, error: 'invalid_request' });
  await page.goto(`${asked.get('redirect_uri')}?${refusal.toString()}`);
  await expect(page.getByText('The reason is shown in the svc window')).toBeVisible();
  await expect(window.getByText('an administrator can set `auth.oidc.desktop_prompt: select_account`')).toBeVisible();
});

test('a second start hands over and ends; an address of a place is shown', async ({ app, bucket, files, computer }) => {
  await files.put('2025/sea.txt', 'blue');
  await computer.keep(app.origin, (await signInDesktop(app, 'eve')).access_token);
  const window = await computer.start(['--server', app.origin]).window();
  await expect(window.getByRole('button', { name: /Session of/ })).toBeVisible();

  const second = computer.start([`${app.origin.replace('http:', 'svc:')}/main/${bucket}/2025/sea.txt`]);
  expect(await second.ended).toEqual({ status: 0, stderr: 'svc runs already; its window shows what was asked for\n' });
  await expect(window.getByRole('row', { name: /sea\.txt/ })).toBeVisible();
  expect(window.url()).toContain(`${baseOf(window)}p/main/${bucket}?prefix=2025%2F`);
});

test('the browser that draws the window is killed: the application ends with a sentence', async ({ app, computer }) => {
  await computer.keep(app.origin, (await signInDesktop(app, 'eve')).access_token);
  const run = computer.start(['--server', app.origin]);
  await expect((await run.window()).getByRole('button', { name: /Session of/ })).toBeVisible();
  await run.killBrowser();
  expect(await run.ended).toEqual({
    status: 1,
    stderr:
      'the browser that draws the window has ended unexpectedly; start svc again, nothing that was saved is lost\n',
  });
});

test('a browser that shows no window is named', async ({ app, computer }) => {
  expect(await computer.start(['--server', app.origin], { DISPLAY: '' }).ended).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(
      /^the browser `.*window-browser` opens no window \(.+\); choose another one with `--browser`\n$/,
    ),
  });
  expect(await computer.start(['--server', app.origin, '--browser', '/nowhere/chrome']).ended).toEqual({
    status: 2,
    stderr: 'there is no program at `/nowhere/chrome`; give the path of Chromium, Chrome or Edge to `--browser`\n',
  });
});

test('without a keyring the session may be for this run only, and ends with it', async ({
  app,
  computer,
  signIn,
  signedIn,
}) => {
  const run = computer.start(['--server', app.origin]);
  const window = await run.window();
  await window.getByRole('link', { name: 'Sign in' }).click();
  await signIn(/Vic/);
  await window.getByRole('button', { name: 'Only until I close svc' }).click();
  await expect(window.getByRole('button', { name: /Session of/ })).toBeVisible();
  const sessions = async () =>
    (await (
      await (
        await signedIn(app.origin, 'ada')
      ).request(`${app.origin}/api/admin/sessions`, { headers: { accept: 'application/json' } })
    ).json()) as { sessions: { subject: string; kind: string }[] };
  expect((await sessions()).sessions).toContainEqual(expect.objectContaining({ subject: 'vic', kind: 'desktop' }));
  await run.stop();
  expect((await sessions()).sessions).not.toContainEqual(expect.objectContaining({ subject: 'vic' }));
  expect(await computer.everythingKept()).not.toContain(`${app.origin} desktop`);
});

test.describe('with a keyring', () => {
  test.skip(
    spawnSync('sh', ['-c', 'command -v dbus-run-session && command -v gnome-keyring-daemon']).status !== 0,
    'this machine has no keyring',
  );

  test('the session is kept there, and nobody is asked', async ({ app, computer, signIn }) => {
    const keyring = await keyringOf(computer);
    const env = { SVC_KEYRING: '', DBUS_SESSION_BUS_ADDRESS: keyring.address };
    const run = computer.start(['--server', app.origin], env);
    const window = await run.window();
    await window.getByRole('link', { name: 'Sign in' }).click();
    await signIn(/Eve/);
    await expect(window.getByRole('button', { name: /Session of/ })).toBeVisible();
    await run.stop();
    expect(await computer.everythingKept()).not.toContain(`${app.origin} desktop`);
    const again = computer.start([], env);
    await expect((await again.window()).getByRole('button', { name: /Session of/ })).toBeVisible();
    await again.stop();
    await keyring.close();
  });
});

test('the screens of the application speak the language of the system', async ({ computer }) => {
  const window = await computer.start([], { LANG: 'de_DE.UTF-8' }).window();
  await expect(window.getByRole('heading', { name: 'Wo sind Ihre Dateien?' })).toBeVisible();
  await expect(window.getByRole('button', { name: 'Öffnen' })).toBeVisible();
  expect(await window.evaluate('navigator.language')).toBe('de-DE');
});
