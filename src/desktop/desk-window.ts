import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { DesktopSignIn } from '../client/desktop-sign-in.ts';
import { PrivateFile } from '../client/private-file.ts';
import { serverAddress } from '../client/server-address.ts';
import { Account, type Found } from './account.ts';
import { START_PATH, WINDOW_COOKIE, type Bridge, type WindowPlace } from './bridge.ts';
import { Downloads } from './downloads.ts';
import { formOf } from './form.ts';
import { nativeMethods } from './native-methods.ts';
import { PageSockets } from './page-sockets.ts';
import type { Profile } from './profile.ts';
import { problem, relay } from './relay.ts';
import { sentenceOf } from './sentence.ts';
import { sendScreen, type Screen } from './screens.ts';
import { SESSION_ENDED } from './service-socket.ts';
import type { UiFiles } from './ui-files.ts';
import { Uploads } from './uploads.ts';
import type { AppWindow, WindowOptions } from './window.ts';

const SERVICE_AWAY = 1012;
/** Another path of the service than the one that is read here. */
const LEADS_UP = /\\|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;
/** A server that answers sooner is not announced. */
const PATIENCE_MS = 700;

/** What a window has of the application. */
export type DeskWindowParts = {
  readonly bridge: Bridge;
  readonly ui: UiFiles;
  readonly version: string;
  readonly downloads: string;
  readonly openWindow: (options: WindowOptions) => Promise<AppWindow>;
  /** Opens an address in the system's browser. */
  readonly openOutside: (url: string) => void;
  /** The person wants to go to another server. */
  readonly onServer: (server: string) => void;
};

/** A window on one account of one server: what it shows, and what its page asks of the main process. */
export class DeskWindow {
  readonly account: Account;
  readonly #parts: DeskWindowParts;
  readonly #place: WindowPlace;
  readonly #sockets: PageSockets;
  readonly #downloads: Downloads;
  readonly #uploads: Uploads;
  #window: AppWindow | undefined;
  #signIn: DesktopSignIn | undefined;
  /** Undefined while the web UI is shown. */
  #screen: Screen | undefined;
  /** Where the UI goes on after a screen. */
  #next = '';

  /** @param profile - without a server, the window asks for one. */
  constructor(profile: Profile, parts: DeskWindowParts) {
    this.#parts = parts;
    this.account = new Account(profile, {
      onMessage: (text) => this.#sockets.answer(text),
      onLost: () => this.#sockets.closeAll(SERVICE_AWAY),
      onEnded: () => this.#sockets.closeAll(SESSION_ENDED),
    });
    this.#sockets = new PageSockets((text) => this.account.send(text));
    this.#downloads = new Downloads({
      folder: parts.downloads,
      memory: new PrivateFile(join(profile.folder, 'downloads.json')),
      connection: () => this.account.connection,
      onEnd: ({ name, state, message }) => void this.#notify(state === 'done' ? `${name} was downloaded` : `${name} was not downloaded`, message ?? parts.downloads).catch(() => undefined),
    });
    this.#uploads = new Uploads({ journal: join(profile.folder, 'uploads.jsonl'), connection: () => this.account.connection, owner: () => this.account.owner });
    this.#place = parts.bridge.add({
      answer: (req, res, path) => void this.#answer(req, res, path).catch((error: unknown) => problem(res, 502, 'unreachable', sentenceOf(error))),
      upgrade: (req, socket, head, path) => {
        if (path === 'rpc' && this.account.principal !== undefined) this.#sockets.upgrade(req, socket, head);
        else socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n');
      },
    });
  }

  /** Opens the window, and shows the UI, or what there is to say first. @param path - of the UI. @throws {ClientFailure} no window can be opened. */
  async open(path: string): Promise<AppWindow> {
    const { profile } = this.account;
    const { origin, path: own, cookie } = this.#place;
    this.#next = path;
    this.#screen = profile.server === '' ? { kind: 'choose-server' } : { kind: 'connecting', server: profile.server };
    const { downloads, openWindow } = this.#parts;
    const opening = openWindow({ profile: profile.browserFolder, origin, startPath: START_PATH, cookie: { name: WINDOW_COOKIE, value: cookie, path: own }, downloads, methods: nativeMethods({ account: this.account, downloads: this.#downloads, uploads: this.#uploads, notify: (title, body) => this.#notify(title, body), openOutside: this.#parts.openOutside }), onLeave: (url) => this.#leave(url) });
    // The server is asked meanwhile.
    const found = profile.server === '' ? undefined : this.#find();
    const window = await opening;
    this.#window = window;
    const patience = setTimeout(() => void this.#shows().catch(() => undefined), found === undefined ? 0 : PATIENCE_MS);
    void found?.then((show) => {
      clearTimeout(patience);
      return show();
    });
    return window;
  }

  async raise(): Promise<void> {
    await this.#window?.raise();
  }

  /** Shows a place of the UI, such as `p/main/photos`. */
  async goTo(path: string): Promise<void> {
    this.#next = path;
    if (this.#screen === undefined) await this.#showUi();
  }

  async close(): Promise<void> {
    this.#signIn?.close();
    this.#downloads.close();
    this.#uploads.close();
    await this.account.leave();
    this.#parts.bridge.remove(this.#place);
    await this.#window?.close();
  }

  /** Asks the server who is signed in. @returns what to do once there is a window. */
  async #find(): Promise<() => Promise<void>> {
    try {
      const found = await this.account.find();
      return () => this.#begin(found);
    } catch (error) {
      return () => this.#shows({ kind: 'unreachable', message: sentenceOf(error) });
    }
  }

  /** Shows the UI, which has a screen of its own for somebody who is not signed in; or what there is to say before. */
  async #begin(found: Found): Promise<void> {
    this.#screen = this.#screenBefore(found);
    await (this.#screen === undefined ? this.#showUi() : this.#shows());
  }

  #screenBefore({ principal, version }: Found): Screen | undefined {
    const { version: ours } = this.#parts;
    if (principal !== undefined) void this.#downloads.goOn();
    const isOther = version !== undefined && majorOf(version) !== majorOf(ours);
    return isOther ? { kind: 'other-version', ours, theirs: version, server: this.account.profile.server } : undefined;
  }

  async #shows(screen = this.#screen): Promise<void> {
    this.#screen = screen;
    if (screen !== undefined) await this.#window?.show(`${this.#place.origin}${this.#place.path}desktop/`);
  }

  async #showUi(): Promise<void> {
    this.#screen = undefined;
    await this.#window?.show(this.#place.origin + this.#place.path + this.#next);
  }

  async #answer(req: IncomingMessage, res: ServerResponse, path: string): Promise<void> {
    const { ui } = this.#parts;
    const { method = 'GET' } = req;
    const query = (req.url ?? '').split('?')[1];
    if (path.startsWith('desktop/')) await this.#answerScreen(req, res, path.slice('desktop/'.length));
    else if (path === 'api/auth/login' && method === 'GET') await this.#answerSignIn(res, new URLSearchParams(query).get('return_to') ?? '');
    else if (path === 'v1/auth/logout' && method === 'POST') await this.#answerSignOut(res);
    else if (/^(?:api|v1)\/auth\/(?!me$|session$)/.test(path)) problem(res, 404, 'not_found', 'the application does this itself');
    else if (/^(?:api|v1)\/|^rpc$/.test(path) && !LEADS_UP.test(path)) await relay(req, res, this.account.connection, query === undefined ? path : `${path}?${query}`);
    else if (method !== 'GET' && method !== 'HEAD') problem(res, 405, 'method_not_allowed', 'there is nothing here to change');
    else if (!ui.isBuilt) problem(res, 500, 'internal', 'the web UI is not built; run `npm run build:web`');
    else if (!ui.sendFile(res, path)) this.#sendPage(req, res);
  }

  #sendPage({ headers }: IncomingMessage, res: ServerResponse): void {
    if (headers.accept?.includes('text/html') === true) this.#parts.ui.sendPage(res, this.#place);
    else problem(res, 404, 'not_found', 'there is nothing here');
  }

  /** A page of the UI began to sign in: with a link, or in a new window that was not opened. */
  async #answerSignIn(res: ServerResponse, returnTo: string): Promise<void> {
    const { path } = this.#place;
    this.#next = returnTo.startsWith(path) ? returnTo.slice(path.length) : '';
    await this.#startSignIn((screen) => void (this.#screen = screen));
    res.writeHead(303, { location: `${path}desktop/` }).end();
  }

  /** @param show - shows a screen. What the sign-in brings is shown when it is there. */
  async #startSignIn(show: (screen: Screen) => unknown): Promise<void> {
    this.#signIn?.close();
    this.#signIn = undefined;
    try {
      const signIn = await this.account.beginSignIn();
      this.#signIn = signIn;
      this.#parts.openOutside(signIn.url);
      await show({ kind: 'signing-in', server: this.account.profile.server, url: signIn.url });
      void this.#finishSignIn(signIn);
    } catch (error) {
      await show({ kind: 'not-signed-in', message: sentenceOf(error) });
    }
  }

  async #finishSignIn(signIn: DesktopSignIn): Promise<void> {
    try {
      const credential = await signIn.credential;
      const { isKept, ...found } = await this.account.signedIn(credential);
      const keepsPage = this.#screen === undefined;
      if (!isKept) await this.#shows({ kind: 'where-to-keep', file: this.account.profile.filePath });
      else if (keepsPage) await this.#tellPage();
      else await this.#begin(found);
      await this.raise();
    } catch (error) {
      if (this.#signIn === signIn) await this.#shows({ kind: 'not-signed-in', message: sentenceOf(error) });
    } finally {
      signIn.close();
    }
  }

  /** The page of a session that ended is still there, with its uploads: it looks again, as when a tab of a browser has signed in. */
  async #tellPage(): Promise<void> {
    void this.#downloads.goOn();
    await this.#window?.run("new BroadcastChannel('svc-session').postMessage('signed-in')");
  }

  async #notify(title: string, body: string): Promise<void> {
    await this.#window?.run(`void new Notification(${JSON.stringify(title)}, ${JSON.stringify({ body, tag: 'svc' })})`);
  }

  async #answerSignOut(res: ServerResponse): Promise<void> {
    const endSessionUrl = await this.account.signOut();
    if (endSessionUrl !== undefined) this.#parts.openOutside(endSessionUrl);
    res.writeHead(204).end();
  }

  async #answerScreen(req: IncomingMessage, res: ServerResponse, action: string): Promise<void> {
    const { path } = this.#place;
    if (req.method === 'POST') {
      await this.#act(action, await formOf(req));
      res.writeHead(303, { location: this.#screen === undefined ? path + this.#next : `${path}desktop/` }).end();
    } else if (this.#screen === undefined) res.writeHead(303, { location: path + this.#next }).end();
    else sendScreen(res, this.#screen);
  }

  /** A button of a screen. The answer leads to the screen that is set here. */
  async #act(action: string, form: URLSearchParams): Promise<void> {
    const { profile } = this.account;
    const set = (screen: Screen | undefined) => void (this.#screen = screen);
    switch (action) {
      case 'server':
        this.#chooseServer(form.get('server') ?? '');
        break;
      case 'change-server':
        set({ kind: 'choose-server' });
        break;
      case 'retry':
        set({ kind: 'connecting', server: profile.server });
        void this.#find().then((show) => show());
        break;
      case 'sign-in':
        await this.#startSignIn(set);
        break;
      case 'cancel':
        this.#signIn?.close();
        this.#signIn = undefined;
        set(undefined);
        break;
      case 'keep-in-file':
      case 'keep-for-this-run':
        await profile.keepIn(action === 'keep-in-file' ? 'file' : 'this-run');
        set(this.#screenBefore(this.account.found));
        break;
      case 'open-in-browser':
        this.#parts.openOutside(`${profile.server}/`);
        break;
      case 'go-on':
        set(undefined);
    }
  }

  #chooseServer(text: string): void {
    try {
      const written = text.includes('://') ? text.trim() : `https://${text.trim()}`;
      this.#parts.onServer(serverAddress(written));
      this.#screen = { kind: 'connecting', server: written };
    } catch (error) {
      this.#screen = { kind: 'choose-server', fault: sentenceOf(error) };
    }
  }

  /** A link or a new window that leads away. One to the window's own pages leads to the same place of the service. */
  #leave(url: string): void {
    const own = this.#place.origin + this.#place.path;
    if (url.startsWith(`${own}api/auth/login`)) void this.#startSignIn(() => undefined);
    else if (url.startsWith(own)) this.#parts.openOutside(`${this.account.profile.server}/${url.slice(own.length)}`);
    else if (/^(?:https?|mailto):/i.test(url)) this.#parts.openOutside(url);
  }
}

/** Versions with the same first number understand each other. */
function majorOf(version: string): string {
  return version.split('.')[0]!;
}
