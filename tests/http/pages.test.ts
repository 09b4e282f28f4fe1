import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { rawRequest } from '../support/raw-request.ts';

let app: TestApp;
let directory: string;
let cookie: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-web-'));
  await mkdir(join(directory, 'assets'));
  await writeFile(
    join(directory, 'index.html'),
    '<!doctype html><html><head><title>svc</title></head><body>the UI</body></html>',
  );
  await writeFile(join(directory, 'assets', 'app-1234.js'), 'export {};');
  await writeFile(join(directory, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(join(directory, '.hidden'), 'hidden');
  app = await startApp({ webDirectory: directory });
  cookie = `svc_session=${(await app.signIn('vic')).cookie(app.origin, 'svc_session')!}`;
});
afterAll(async () => {
  await app.close();
  await rm(directory, { recursive: true, force: true });
});

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  rawRequest(app.origin, path, { method, headers: { accept: 'text/html', ...headers } });

describe('the web UI', () => {
  it('is one page for every place, below one base, in a session', async () => {
    for (const path of ['/', '/main', '/main/files/a%20b/', '/admin/roles', '/apix', '/a/b/c?x=y']) {
      const page = await get(path, { cookie });
      expect([path, page.status, page.headers['cache-control']]).toEqual([path, 200, 'no-store']);
      expect(page.text()).toContain('<head><base href="/">');
    }
  });

  it('is never framed, and neither is a page that the service writes itself', async () => {
    for (const [path, headers] of [
      ['/', { cookie }],
      ['/.none', { cookie }],
      ['/api/auth/logout', { cookie, 'sec-fetch-site': 'cross-site' }],
      ['/api/auth/callback', {}],
    ] as const) {
      const page = await get(path, headers);
      expect([
        path,
        page.headers['content-type'],
        page.headers['x-frame-options'],
        page.headers['content-security-policy'],
      ]).toEqual([path, 'text/html; charset=utf-8', 'DENY', expect.stringContaining("frame-ancestors 'none'")]);
    }
  });

  it('is shown to a stranger only where there is nothing to see', async () => {
    for (const path of ['/sign-in', '/signed-out']) expect([path, (await get(path)).status]).toEqual([path, 200]);
    for (const path of [
      '/',
      '/index.html',
      '/INDEX.html',
      '/%69ndex.html',
      '/sign-in/',
      '/Sign-In',
      '/main',
      '/./index.html',
    ]) {
      const page = await get(path);
      expect([path, page.status]).toEqual([path, 303]);
      expect(page.headers.location).toMatch(/^\/api\/auth\/login\?return_to=/);
      expect(page.text()).not.toContain('the UI');
    }
  });

  it('allows no inline script, no framing and no other origin', async () => {
    for (const [page, scripts] of [
      [await get('/', { cookie }), '/assets/'],
      [await get('/signed-out', { host: 'evil.example' }), '/assets/'],
      [await get('/api/docs', { cookie }), '/api/docs/'],
    ] as const) {
      const policy = page.headers['content-security-policy'] as string;
      expect(policy).toMatch(/default-src 'self'/);
      expect([/script-src ([^;]+)/.exec(policy)?.[1], /worker-src ([^;]+)/.exec(policy)?.[1]]).toEqual([
        app.origin + scripts,
        app.origin + scripts,
      ]);
      expect(policy).toContain("frame-ancestors 'none'");
      expect([
        page.headers['x-frame-options'],
        page.headers['x-content-type-options'],
        page.headers['referrer-policy'],
        page.headers['strict-transport-security'],
      ]).toEqual(['DENY', 'nosniff', 'no-referrer', undefined]);
    }
  });

  it('gives its parts to browsers for long, and nothing beside them', async () => {
    const script = await get('/assets/app-1234.js', { accept: '*/*' });
    expect([script.status, script.headers['cache-control'], script.headers['content-type']]).toEqual([
      200,
      'public, max-age=31536000, immutable',
      'text/javascript; charset=utf-8',
    ]);
    expect((await get('/icon.svg', { accept: 'image/*' })).status).toBe(200);
    for (const path of [
      '/assets/none.js',
      '/.hidden',
      '/assets/../.hidden',
      '/assets/../index.html',
      '/assets/..%2f.hidden',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/assets/%2e%2e/%2e%2e/etc/passwd',
      '/assets/',
      '/assets',
    ]) {
      const answer = await get(path, { accept: '*/*', cookie });
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.text()).not.toMatch(/hidden'|root:/);
    }
  });

  it('is the answer to whoever takes anything', async () => {
    for (const accept of ['*/*', 'application/json, */*;q=0.1']) {
      expect([accept, (await get('/main', { cookie, accept })).text().includes('the UI')]).toEqual([accept, true]);
      expect((await get('/main', { accept })).headers.location).toBe('/api/auth/login?return_to=%2Fmain');
    }
    expect((await rawRequest(app.origin, '/main', { headers: { cookie } })).status).toBe(200);
  });

  it('has its reference with and without a slash at the end', async () => {
    const answer = await get('/api/docs/', { cookie });
    expect([answer.status, answer.headers.location]).toEqual([308, '/api/docs']);
  });

  it('is no answer to other methods and to clients that want no page', async () => {
    expect((await get('/', { cookie, accept: 'application/json' })).status).toBe(404);
    for (const method of ['POST', 'PUT', 'DELETE']) expect((await get('/', { cookie }, method)).status).toBe(404);
    expect((await get('/', { cookie }, 'HEAD')).status).toBe(200);
  });
});

describe('the web UI of an installation with a name, colours and a logo of its own', () => {
  const LOGO =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><script>alert(1)</script><rect width="8" height="8"/></svg>';
  const ui = {
    name: 'A "b" <c> $&',
    logo: join(tmpdir(), `svc-logo-${process.pid}.svg`),
    accent: '#1d4ed8',
    help: { url: 'mailto:a@b.example' },
    banner: { text: '</head><b>' },
  };
  let branded: TestApp;
  beforeAll(async () => {
    await writeFile(ui.logo, LOGO);
    await writeFile(
      join(directory, 'index.html'),
      '<!doctype html><html><head><title>svc</title><link rel="icon" type="image/svg+xml" href="./icon.svg"></head><body><img src="./icon.svg" alt=""></body></html>',
    );
    branded = await startApp({ webDirectory: directory, config: (config) => ({ ...config, ui }) });
  });
  afterAll(async () => {
    await branded.close();
    await rm(ui.logo);
  });
  const page = async () => (await rawRequest(branded.origin, '/sign-in', { headers: { accept: 'text/html' } })).text();

  it('says so in the page, as text', async () => {
    const html = await page();
    expect(html).toContain('<title>A &#34;b&#34; &#60;c&#62; $&#38;</title>');
    const content = /<meta name="svc-ui" content="([^"]*)">/
      .exec(html)?.[1]
      ?.replaceAll(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code)));
    expect(JSON.parse(content!)).toEqual({
      name: ui.name,
      logo: expect.stringMatching(/^logo-[0-9a-f]{12}\.svg$/),
      accent: expect.objectContaining({ shades: expect.arrayContaining(['#1d4ed8']) }),
      help: { text: 'Ask for help', url: 'mailto:a@b.example' },
      banner: { text: '</head><b>', kind: 'info' },
    });
    expect(html.match(/<b>|icon\.svg/g)).toBeNull();
  });

  it('can be installed as an application of its name and its logo', async () => {
    expect(await page()).toContain('<link rel="manifest" href="./manifest.webmanifest">');
    const manifest = await rawRequest(branded.origin, '/manifest.webmanifest');
    expect([manifest.status, manifest.headers['content-type']]).toEqual([
      200,
      'application/manifest+json; charset=utf-8',
    ]);
    expect(JSON.parse(manifest.text())).toMatchObject({
      name: ui.name,
      start_url: './',
      display: 'standalone',
      theme_color: '#1d4ed8',
      icons: [{ src: expect.stringMatching(/^logo-/), sizes: 'any', type: 'image/svg+xml' }],
    });
  });

  it('gives the logo to strangers, as a picture that runs nothing', async () => {
    const [path] = /logo-[0-9a-f]{12}\.svg/.exec(await page())!;
    const logo = await rawRequest(branded.origin, `/${path}`);
    expect([logo.status, logo.headers['content-type'], logo.headers['cache-control'], logo.text()]).toEqual([
      200,
      'image/svg+xml',
      'public, max-age=31536000, immutable',
      LOGO,
    ]);
    expect(logo.headers['content-security-policy']).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox");
    expect(
      (await rawRequest(branded.origin, '/logo-000000000000.svg', { headers: { accept: 'image/*' } })).status,
    ).toBe(404);
  });
});
