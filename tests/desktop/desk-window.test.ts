import { createServer, type Server } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Bridge } from '../../src/desktop/bridge.ts';
import { DeskWindow } from '../../src/desktop/desk-window.ts';
import { Profile } from '../../src/desktop/profile.ts';
import { UiFiles } from '../../src/desktop/ui-files.ts';
import type { WindowOptions } from '../../src/desktop/window.ts';

/** A service of any version, at which somebody is signed in. */
function serviceOf(version: string): Server {
  const results: Record<string, unknown> = {
    initialize: { server: { name: 'svc', version }, capabilities: {} },
    'session/get': { issuer: '', subject: 'ada', groups: [], name: 'ada', kind: 'desktop', expiresAt: null },
  };
  return createServer(
    (req, res) =>
      void text(req).then((body) =>
        req.method === 'GET'
          ? res.writeHead(503).end()
          : res.end(
              JSON.stringify({
                jsonrpc: '2.0',
                id: 1,
                result: results[(JSON.parse(body) as { method: string }).method],
              }),
            ),
      ),
  );
}

let home: string;
let bridge: Bridge;
let service: Server;
let address: string;
let shown: string[];
let opened: string[];
let chosen: string[];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-desk-'));
  bridge = await Bridge.open(0);
  service = serviceOf('7.1.0');
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await bridge.close();
  service.close();
  await rm(home, { recursive: true });
});
beforeEach(() => {
  [shown, opened, chosen] = [[], [], []];
});

/** A window without a browser: what it would show is asked for here, with its cookie. */
async function openWindow(server: string): Promise<{
  readonly window: DeskWindow;
  readonly see: (language?: string) => Promise<string>;
  /** Asks for a page below the window's own path. @returns the status. */
  readonly ask: (path: string) => Promise<number>;
  readonly press: (action: string, form?: Record<string, string>) => Promise<void>;
}> {
  let options: WindowOptions | undefined;
  const window = new DeskWindow(new Profile({ HOME: home, SVC_KEYRING: 'off' }, server, ''), {
    bridge,
    ui: new UiFiles(join(home, 'no-ui')),
    version: '1.0.0',
    downloads: home,
    openWindow: (given) => {
      options = given;
      return Promise.resolve({
        show: async (url) => void shown.push(url),
        raise: async () => undefined,
        run: async () => undefined,
        close: async () => undefined,
        gone: new Promise(() => undefined),
      });
    },
    openOutside: (url) => opened.push(url),
    saveDialog: undefined,
    folderDialog: undefined,
    signOutOthers: () => Promise.resolve([]),
    onServer: (chosenServer) => chosen.push(chosenServer),
  });
  await window.open('');
  while (shown.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const { cookie, origin } = options!;
  const headers = { cookie: `${cookie.name}=${cookie.value}`, 'sec-fetch-site': 'same-origin', origin };
  return {
    window,
    see: async (language = 'en') =>
      (await fetch(shown.at(-1)!, { headers: { ...headers, 'accept-language': language }, redirect: 'manual' })).text(),
    ask: async (path) =>
      (
        await fetch(`${origin}${cookie.path}${path}`, {
          headers: { ...headers, accept: 'text/html' },
          redirect: 'manual',
        })
      ).status,
    press: async (action, form = {}) => {
      const answer = await fetch(`${origin}${cookie.path}desktop/${action}`, {
        method: 'POST',
        headers,
        redirect: 'manual',
        body: new URLSearchParams(form),
      });
      expect(answer.status).toBe(303);
    },
  };
}

describe('a desktop window', () => {
  it('says that the service has another version, and opens it in the browser instead', async () => {
    const { window, see, press } = await openWindow(address);
    expect(await see()).toContain(`${address} runs svc 7.1.0, and this application is svc 1.0.0.`);
    await press('open-in-browser');
    expect(opened).toEqual([`${address}/`]);
    await press('go-on');
    expect(await see()).not.toContain('7.1.0');
    await window.close();
  });

  it('leaves its page where it is when the new window of a sign-in asks for its page before it is closed', async () => {
    const { window, ask, press } = await openWindow(address);
    await press('go-on');
    const own = new URL(shown.at(-1)!).pathname.replace(/desktop\/$/, '');
    expect(await ask(`api/auth/login?return_to=${encodeURIComponent(`${own}signed-in`)}`)).toBe(204);
    // Of the two, only a link of the page itself brings a screen.
    expect(await ask('desktop/')).toBe(303);
    expect(await ask(`api/auth/login?return_to=${encodeURIComponent(`${own}p/main`)}`)).toBe(303);
    expect(await ask('desktop/')).toBe(200);
    await window.close();
  });

  it('asks for a server, and says what is no address', async () => {
    const { window, see, press } = await openWindow('');
    expect(await see()).toContain('Where are your files?');
    await press('server', { server: 'ftp://files.example.com' });
    expect(await see()).toContain('`ftp://files.example.com` is not the address of a server');
    await press('server', { server: ' files.example.com ' });
    expect(chosen).toEqual(['https://files.example.com']);
    await window.close();
  });

  it('speaks the language of the system', async () => {
    const { window, see, press } = await openWindow(address);
    expect(await see('de-DE,de;q=0.9,en;q=0.8')).toContain(
      `Auf ${address} läuft svc 7.1.0, und diese Anwendung ist svc 1.0.0.`,
    );
    expect(await see('fr,de;q=0.9,en;q=0.8')).toContain('<html lang="de">');
    expect(await see('fr-FR,fr;q=0.9')).toContain('The service has another version');
    await press('change-server');
    expect(await see('de')).toContain('Wo sind Ihre Dateien?');
    await press('server', { server: 'ftp://<b>' });
    // A message of the service or the system is English, and says so.
    expect(await see('de')).toContain('<p role="alert" lang="en">`ftp://&#60;b&#62;` is not the address of a server');
    await window.close();
  });

  it('says that the service cannot be reached, and tries again', async () => {
    const { window, see, press } = await openWindow('http://127.0.0.1:9');
    expect(await see()).toContain(
      'http://127.0.0.1:9 cannot be reached (ECONNREFUSED); is the address right, and does the service run?',
    );
    const before = shown.length;
    await press('retry');
    while (shown.length === before) await new Promise((resolve) => setImmediate(resolve));
    expect(await see()).toContain('cannot be reached');
    await window.close();
  });

  it('does not sign in where the session would travel unencrypted', async () => {
    const { window, see, press } = await openWindow('http://svc.invalid');
    await press('sign-in');
    expect(await see()).toContain(
      'signing in at http://svc.invalid would send the session unencrypted'.replace('signing', 'Signing'),
    );
    expect(opened).toEqual([]);
    await window.close();
  });
});
