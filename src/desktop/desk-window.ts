import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { PrivateFile } from '../client/private-file.ts';
import type { Target } from '../transfer/transport.ts';
import { Account, type Found } from './account.ts';
import { START_PATH, WINDOW_COOKIE, type Bridge, type WindowPlace } from './bridge.ts';
import { Downloads } from './downloads.ts';
import { formOf } from './form.ts';
import { nativeMethods } from './native-methods.ts';
import { answerPage } from './page-requests.ts';
import { PageSockets } from './page-sockets.ts';
import type { Profile } from './profile.ts';
import { problem } from './relay.ts';
import type { FolderDialog, SaveDialog } from './save-dialog.ts';
import { sentenceOf } from './sentence.ts';
import { press } from './screen-buttons.ts';
import { sendScreen, type Screen } from './screens.ts';
import { SESSION_ENDED } from './service-socket.ts';
import type { UiFiles } from './ui-files.ts';
import { Uploads } from './uploads.ts';
import { Watches } from './watches.ts';
import { WindowSignIn } from './window-sign-in.ts';
import type { AppWindow, WindowOptions } from './window.ts';
import { wordsFor } from './words.ts';

const SERVICE_AWAY = 1012;
/** The screen about connecting is not shown for a server that answers within this time. */
const PATIENCE_MS = 700;
/** The page of the UI to which a sign-in in a window of its own leads. */
const SIGNED_IN_PAGE = 'signed-in';

/** The parts of the application that a window uses. */
export type DeskWindowParts = {
  readonly bridge: Bridge;
  readonly ui: UiFiles;
  readonly version: string;
  readonly downloads: string;
  readonly openWindow: (options: WindowOptions) => Promise<AppWindow>;
  /** Opens an address in the system's browser. */
  readonly openOutside: (url: string) => void;
  readonly saveDialog: SaveDialog | undefined;
  readonly folderDialog: FolderDialog | undefined;
  /** Signs out of all accounts except the window's. Returns the servers that did not confirm it. */
  readonly signOutOthers: () => Promise<string[]>;
  /** Called when the person chooses another server. */
  readonly onServer: (server: string) => void;
};

/**
 * A window for one account at one server: its page or screen, and the functions of the main process for its page.
 *
 * It is one file, because here the parts of an account meet. Each part has a file of its own.
 */
export class DeskWindow {
  readonly account: Account;
  readonly #parts: DeskWindowParts;
  readonly #place: WindowPlace;
  readonly #sockets: PageSockets;
  readonly #downloads: Downloads;
  readonly #uploads: Uploads;
  readonly #watches: Watches;
  readonly #signIn: WindowSignIn;
  #window: AppWindow | undefined;
  /** Undefined while the web UI is shown. */
  #screen: Screen | undefined;
  #words = wordsFor();
  /** The path at which the UI continues after a screen. */
  #next = '';

  /** @param profile - when it has no server, the window asks for one. */
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
      owner: () => this.account.owner,
      onEnd: ({ name, state, message }) =>
        void this.#notify(
          this.#words.t(state === 'done' ? '{name} was downloaded' : '{name} was not downloaded', { name }),
          message ?? parts.downloads,
        ).catch(() => undefined),
    });
    const whoever = { connection: () => this.account.connection, owner: () => this.account.owner };
    this.#uploads = new Uploads({ journal: join(profile.folder, 'uploads.jsonl'), ...whoever });
    this.#watches = new Watches({
      folder: profile.folder,
      ...whoever,
      onRefused: (folder, count) =>
        void this.#notify(
          this.#words.t('Files of {folder} were not uploaded: {count}', { folder, count: String(count) }),
          this.#words.t('“Watched folders” in the session menu says why.'),
        ).catch(() => undefined),
    });
    this.#signIn = new WindowSignIn({
      account: this.account,
      openOutside: parts.openOutside,
      onSignedIn: (found) => this.#signedIn(found),
      onRefused: (screen) => this.#shows(screen),
    });
    this.#place = parts.bridge.add({
      answer: (req, res, path) =>
        void this.#answer(req, res, path).catch((error: unknown) =>
          problem(res, 502, 'unreachable', sentenceOf(error)),
        ),
      upgrade: (req, socket, head, path) => {
        if (path === 'rpc' && this.account.principal !== undefined) this.#sockets.upgrade(req, socket, head);
        else socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n');
      },
    });
  }

  /**
   * Opens the window, and shows the UI or a screen that comes before it.
   *
   * @param path - of the UI.
   * @throws {ClientFailure} when no window can be opened.
   */
  async open(path: string): Promise<AppWindow> {
    const { profile } = this.account;
    const { origin, path: own, cookie } = this.#place;
    this.#next = path;
    this.#screen = profile.server === '' ? { kind: 'choose-server' } : { kind: 'connecting', server: profile.server };
    const { downloads, openWindow, openOutside, saveDialog, folderDialog, signOutOthers } = this.#parts;
    const watchTitle = ({ bucket, key }: Target): string =>
      this.#words.t('Watch a folder and upload it to {place}', { place: `${bucket}/${key}` });
    const methods = nativeMethods({
      account: this.account,
      downloads: this.#downloads,
      uploads: this.#uploads,
      watches: this.#watches,
      saveDialog,
      folderDialog,
      watchTitle,
      signOutOthers,
      notify: (title, body) => this.#notify(title, body),
      openOutside,
    });
    const opening = openWindow({
      profile: profile.browserFolder,
      origin,
      startPath: START_PATH,
      cookie: { name: WINDOW_COOKIE, value: cookie, path: own },
      downloads,
      methods,
      onLeave: (url) => this.#leave(url),
    });
    // The server is asked while the window opens.
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
    this.#signIn.cancel();
    this.#downloads.close();
    this.#uploads.close();
    this.#watches.close();
    await this.account.leave();
    this.#parts.bridge.remove(this.#place);
    await this.#window?.close();
  }

  /**
   * Asks the server who is signed in.
   *
   * @returns what to do once the window is open.
   */
  async #find(): Promise<() => Promise<void>> {
    try {
      const found = await this.account.find();
      return () => this.#begin(found);
    } catch (error) {
      return () => this.#shows({ kind: 'unreachable', message: sentenceOf(error) });
    }
  }

  /** Shows the UI, which has a sign-in screen, or a screen that comes before it. */
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

  #answer(req: IncomingMessage, res: ServerResponse, path: string): Promise<void> {
    this.#words = wordsFor(req.headers['accept-language']);
    return answerPage(req, res, path, {
      ui: this.#parts.ui,
      place: this.#place,
      connection: this.account.connection,
      screen: (action) => this.#answerScreen(req, res, action),
      signIn: (returnTo) => this.#answerSignIn(res, returnTo),
      signOut: () => this.#answerSignOut(res),
    });
  }

  /** Handles a sign-in that a page of the UI began by a link. Of one in a new window, the page has told when it opened that window, which is about to be closed. */
  async #answerSignIn(res: ServerResponse, returnTo: string): Promise<void> {
    const { path } = this.#place;
    if (returnTo === `${path}${SIGNED_IN_PAGE}`) {
      res.writeHead(204).end();
      return;
    }
    this.#next = returnTo.startsWith(path) ? returnTo.slice(path.length) : '';
    await this.#signIn.start((screen) => void (this.#screen = screen));
    res.writeHead(303, { location: `${path}desktop/` }).end();
  }

  async #signedIn({ isKept, ...found }: Found & { readonly isKept: boolean }): Promise<void> {
    if (!isKept) await this.#shows({ kind: 'where-to-keep', file: this.account.profile.filePath });
    else if (this.#screen === undefined) await this.#tellPage();
    else await this.#begin(found);
    await this.raise();
  }

  /** Tells the page, which still shows the ended session with its uploads, to check the session again, as if another browser tab had signed in. */
  async #tellPage(): Promise<void> {
    void this.#downloads.goOn();
    await this.#window?.run("new BroadcastChannel('svc-session').postMessage('signed-in')");
  }

  async #notify(title: string, body: string): Promise<void> {
    await this.#window?.run(`void new Notification(${JSON.stringify(title)}, ${JSON.stringify({ body, tag: 'svc' })})`);
  }

  /** Ends the session from another window. The page notices it like a revocation. */
  async signOut(): Promise<void> {
    const endSessionUrl = await this.account.signOut();
    if (endSessionUrl !== undefined) this.#parts.openOutside(endSessionUrl);
    this.#sockets.closeAll(SESSION_ENDED);
  }

  async #answerSignOut(res: ServerResponse): Promise<void> {
    await this.signOut();
    res.writeHead(204).end();
  }

  async #answerScreen(req: IncomingMessage, res: ServerResponse, action: string): Promise<void> {
    const { path } = this.#place;
    if (req.method === 'POST') {
      await this.#press(action, await formOf(req));
      res.writeHead(303, { location: this.#screen === undefined ? path + this.#next : `${path}desktop/` }).end();
    } else if (this.#screen === undefined) res.writeHead(303, { location: path + this.#next }).end();
    else sendScreen(res, this.#screen, this.#words);
  }

  /** Handles a button. The answer shows the screen that is set here. */
  async #press(action: string, form: URLSearchParams): Promise<void> {
    const { openOutside, onServer } = this.#parts;
    this.#screen = await press(action, form, this.#screen, {
      account: this.account,
      signIn: this.#signIn,
      openOutside,
      onServer,
      onRetry: () => void this.#find().then((show) => show()),
      screenBefore: () => this.#screenBefore(this.account.found),
    });
  }

  /** Handles a link or new window to another address. An address below the window's own path is opened at the same place of the service. */
  #leave(url: string): void {
    const own = this.#place.origin + this.#place.path;
    if (url.startsWith(`${own}api/auth/login`)) void this.#signIn.start(() => undefined);
    else if (url.startsWith(own)) this.#parts.openOutside(`${this.account.profile.server}/${url.slice(own.length)}`);
    else if (/^(?:https?|mailto):/i.test(url)) this.#parts.openOutside(url);
  }
}

/** Versions with the same major number are compatible. */
function majorOf(version: string): string {
  return version.split('.')[0]!;
}
