import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { png } from '../../scripts/demo/samples/png.ts';
import { startApp } from '../support/app.ts';
import { freePort } from '../support/free-port.ts';
import { chooseAccount, inBrowser, openAs } from '../support/browser.ts';
import { answers, startNginx } from '../support/cluster.ts';

const BASE = '/files';

/** The service below a path of a domain that belongs to others too. */
type SharedDomain = { readonly origin: string; readonly issuer: string; readonly directory: string; close(): Promise<void> };

async function startShared(strips: boolean): Promise<SharedDomain> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-shared-'));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const app = await startApp({
    config: ({ auth, server, ...rest }) => ({ ...rest, server: { ...(server as object), base_path: BASE, trusted_proxies: ['127.0.0.1'] }, auth: { ...(auth as object), public_origin: origin } }),
  });
  app.idp.register({
    client_id: 'svc',
    client_secret: 'idp-client-secret',
    redirect_uris: [`${origin}${BASE}/v1/auth/callback`],
    post_logout_redirect_uris: [`${origin}${BASE}/`],
    grant_types: ['authorization_code'],
    response_types: ['code'],
  });
  const nginx = await startNginx(directory, port, [Number(new URL(app.origin).port)], { path: `${BASE}/`, strips });
  await answers(origin + BASE);
  return {
    origin,
    issuer: app.issuer,
    directory,
    close: async () => {
      nginx.kill();
      await once(nginx, 'exit');
      await app.close();
      await rm(directory, { recursive: true });
    },
  };
}

describe.each([
  ['strips it', true],
  ['passes it on', false],
])('below a path of a shared domain, behind a proxy that %s', (_, strips) => {
  const PREFIX = 'lead/50% +#?&ü/';
  let shared: SharedDomain;
  let page: Page;
  let outside: string[];

  inBrowser(() => startShared(strips), {
    begin: (started) => (shared = started),
    each: (opened) => {
      page = opened;
      outside = [];
      page.on('request', (request) => {
        const { origin, pathname } = new URL(request.url());
        if (origin === shared.origin && !pathname.startsWith(`${BASE}/`)) outside.push(pathname);
      });
    },
  });

  const at = (query: Record<string, string>) => `${shared.origin}${BASE}/p/main/files?${new URLSearchParams(query).toString()}`;

  it('brings a cold visitor of a deep link back to it, and uploads, previews and reloads there', async () => {
    await openAs(page, 'eve', at({ prefix: PREFIX }));
    await page.getByRole('heading', { name: '50% +#?&ü' }).waitFor();
    expect(page.url()).toBe(at({ prefix: PREFIX }));
    const file = join(shared.directory, 'dot #1.png');
    await writeFile(file, png(8, 8, () => [10, 120, 200]));
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Upload files' }).click();
    await (await chooser).setFiles(file);
    await page.getByRole('row', { name: 'dot #1.png' }).getByRole('link').click();
    await page.getByRole('img', { name: 'dot #1.png' }).waitFor();
    await page.reload();
    await page.waitForFunction(() => document.querySelector<HTMLImageElement>('[aria-label=Preview] img')?.naturalWidth === 8);
    expect(page.url()).toBe(at({ prefix: PREFIX, object: `${PREFIX}dot #1.png` }));
    expect(outside).toEqual([]);
  });

  it('signs out, and ends at its own start', async () => {
    await openAs(page, 'eve', `${shared.origin}${BASE}/`);
    await page.getByRole('button', { name: 'Session of' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL((url) => url.origin === shared.issuer);
    await chooseAccount(page, 'vic');
    await page.waitForURL(`${shared.origin}${BASE}/`);
    await page.getByRole('button', { name: 'Session of Vic Viewer' }).waitFor();
    expect(outside).toEqual([]);
  });

  it('keeps its cookies and its pages to itself', async () => {
    await openAs(page, 'eve', `${shared.origin}${BASE}`);
    await page.getByRole('heading', { name: 'Storage' }).waitFor();
    const cookies = await page.context().cookies();
    expect(cookies.filter(({ name }) => name.startsWith('svc_')).map(({ path }) => path)).toEqual([BASE, BASE]);
    expect(await (await page.request.get(`${shared.origin}/other`)).text()).toBe('something else');
    await page.goto(`${shared.origin}${BASE}/sign-in`);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.waitForURL(`${shared.origin}${BASE}/`);
  });
});
