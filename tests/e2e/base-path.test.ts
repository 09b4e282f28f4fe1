import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { png } from '../../scripts/demo/samples/png.ts';
import { startApp } from '../support/app.ts';
import { answers, startNginx } from '../support/cluster.ts';
import { freePort } from '../support/free-port.ts';
import { chooseAccount, row, signInByClicks, upload } from '../support/page.ts';
import { test } from './fixtures.ts';

const BASE = '/files';

/** The service below a path of a domain that belongs to others too. */
type SharedDomain = {
  readonly origin: string;
  readonly issuer: string;
  readonly directory: string;
  close(): Promise<void>;
};

async function startShared(strips: boolean): Promise<SharedDomain> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-shared-'));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const app = await startApp({
    config: ({ auth, server, ...rest }) => ({
      ...rest,
      server: { ...(server as object), base_path: BASE, trusted_proxies: ['127.0.0.1'] },
      auth: { ...(auth as object), public_origin: origin },
    }),
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

for (const [what, strips] of [
  ['strips it', true],
  ['passes it on', false],
] as const) {
  test.describe(`below a path of a shared domain, behind a proxy that ${what}`, () => {
    const PREFIX = 'lead/50% +#?&ü/';
    let shared: SharedDomain;
    let outside: string[];
    /** How often the page has asked who is signed in. */
    let checks: number;

    test.beforeAll(async () => {
      shared = await startShared(strips);
    });
    test.afterAll(() => shared.close());

    test.beforeEach(({ page }) => {
      outside = [];
      checks = 0;
      page.on('request', (request) => {
        const { protocol, origin, pathname } = new URL(request.url());
        if (pathname === `${BASE}/v1/auth/session`) checks += 1;
        if (protocol !== 'blob:' && origin === shared.origin && !pathname.startsWith(`${BASE}/`))
          outside.push(pathname);
      });
    });

    const at = (query: Record<string, string>) =>
      `${shared.origin}${BASE}/p/main/files?${new URLSearchParams(query).toString()}`;

    test('brings a cold visitor of a deep link back to it, and uploads, previews and reloads there', async ({
      local,
      page,
    }) => {
      await signInByClicks(page, 'eve', at({ prefix: PREFIX }));
      await expect(page.getByRole('heading', { name: '50% +#?&ü' })).toBeVisible();
      expect(page.url()).toBe(at({ prefix: PREFIX }));
      expect(checks).toBe(1);
      await upload(
        page,
        await local(
          'dot #1.png',
          png(8, 8, () => [10, 120, 200]),
        ),
      );
      await row(page, 'dot #1.png').getByRole('link').click();
      await expect(page.getByRole('img', { name: 'dot #1.png' })).toBeVisible();
      await page.reload();
      await expect(page.getByRole('region', { name: 'Preview' }).getByRole('img')).toHaveJSProperty('naturalWidth', 8);
      expect(page.url()).toBe(at({ prefix: PREFIX, object: `${PREFIX}dot #1.png` }));
      expect(outside).toEqual([]);
    });

    test('signs out, and ends at its own start', async ({ page }) => {
      await signInByClicks(page, 'eve', `${shared.origin}${BASE}/`);
      await page.getByRole('button', { name: 'Session of' }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.waitForURL((url) => url.origin === shared.issuer);
      await chooseAccount(page, 'vic');
      await page.waitForURL(`${shared.origin}${BASE}/`);
      await expect(page.getByRole('button', { name: 'Session of Vic Viewer' })).toBeVisible();
      expect(outside).toEqual([]);
    });

    test('keeps its cookies and its pages to itself', async ({ page }) => {
      await signInByClicks(page, 'eve', `${shared.origin}${BASE}`);
      await expect(page.getByRole('heading', { name: 'Storage' })).toBeVisible();
      const cookies = await page.context().cookies();
      expect(cookies.filter(({ name }) => name.startsWith('svc_')).map(({ path }) => path)).toEqual([BASE, BASE]);
      expect(await (await page.request.get(`${shared.origin}/other`)).text()).toBe('something else');
      await page.goto(`${shared.origin}${BASE}/sign-in`);
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.waitForURL(`${shared.origin}${BASE}/`);
    });
  });
}
