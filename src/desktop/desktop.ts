import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ClientFailure } from '../client/client-failure.ts';
import { PrivateFile } from '../client/private-file.ts';
import type { Environment } from '../config/read/substitute.ts';
import { Bridge } from './bridge.ts';
import { openChromiumWindow } from './chromium-window.ts';
import { DeskWindow, type DeskWindowParts } from './desk-window.ts';
import { desktopFolder, downloadsFolder, instanceAddress } from './folders.ts';
import { Connection } from '../client/connection.ts';
import { signOut } from '../client/sign-out.ts';
import { findBrowser } from './installed-browser.ts';
import { findFolderDialog, findSaveDialog } from './save-dialog.ts';
import { becomeOnly, type Wish } from './instance.ts';
import { Profile } from './profile.ts';
import { sentenceOf } from './sentence.ts';
import { UiFiles } from './ui-files.ts';

export type DesktopOptions = {
  /** Undefined for the last opened server. */
  readonly server: string | undefined;
  readonly account: string;
  /** The path of the UI. */
  readonly path: string;
  /** The browser for the windows; undefined for the first installed one. */
  readonly browser: string | undefined;
  readonly env: Environment;
  readonly version: string;
  readonly webDirectory: string;
  readonly openOutside: (url: string) => void;
  readonly say: (line: string) => void;
  /** Resolves when the process is asked to stop. */
  readonly stopAsked: Promise<void>;
};

type Last = { readonly server?: string; readonly account?: string };

/**
 * Runs the desktop application until its last window is closed. If it is already running, the running instance opens the requested place.
 *
 * @throws {ClientFailure}
 */
export async function runDesktop(options: DesktopOptions): Promise<void> {
  const { env, server, account, path, say } = options;
  const browser = findBrowser(options.browser, env);
  await mkdir(desktopFolder(env), { recursive: true, mode: 0o700 });
  let desktop: Desktop | undefined;
  const instance = await becomeOnly(
    instanceAddress(env),
    { server, account, path },
    (wish) => void desktop?.open(wish).catch((error: unknown) => say(sentenceOf(error))),
  );
  if (instance === undefined) {
    say('svc runs already; its window shows what was asked for');
    return;
  }
  try {
    desktop = await Desktop.start(options, browser);
    await desktop.open({ server, account, path });
    await Promise.race([desktop.ended, options.stopAsked]);
  } finally {
    await desktop?.close();
    instance.close();
  }
}

/** The windows of the application, one for each account of each server. */
class Desktop {
  readonly #options: DesktopOptions;
  readonly #bridge: Bridge;
  readonly #browser: string;
  readonly #ui: UiFiles;
  readonly #windows = new Map<string, DeskWindow>();
  readonly #last: PrivateFile<Last>;
  readonly #ended = Promise.withResolvers<undefined>();

  private constructor(options: DesktopOptions, browser: string, bridge: Bridge) {
    this.#options = options;
    this.#browser = browser;
    this.#bridge = bridge;
    this.#ui = new UiFiles(options.webDirectory);
    this.#last = new PrivateFile(join(desktopFolder(options.env), 'last.json'));
  }

  static async start(options: DesktopOptions, browser: string): Promise<Desktop> {
    // Pages store data by origin, so the port has to stay the same.
    const known = new PrivateFile<number>(join(desktopFolder(options.env), 'port.json'));
    const port = await known.read();
    const bridge = await Bridge.open(port ?? 0);
    if (port !== bridge.port) await known.write(bridge.port);
    return new Desktop(options, browser, bridge);
  }

  /** Resolves when the last window is closed. Rejects when the browser was killed. */
  get ended(): Promise<undefined> {
    return this.#ended.promise;
  }

  /** Opens a window, or shows the existing one. */
  async open({ server, account, path }: Wish): Promise<void> {
    const last = server === undefined ? await this.#last.read() : undefined;
    const where = { server: server ?? last?.server ?? '', account: account || (last?.account ?? '') };
    const key = keyOf(where);
    const there = this.#windows.get(key);
    if (there !== undefined) {
      if (path !== '') await there.goTo(path);
      await there.raise();
      return;
    }
    const profile = new Profile(this.#options.env, where.server, where.account);
    const window: DeskWindow = new DeskWindow(
      profile,
      this.#parts(
        key,
        (chosen) => void this.#replace(key, chosen).catch((error: unknown) => this.#ended.reject(error)),
      ),
    );
    this.#windows.set(key, window);
    const { gone } = await window.open(path);
    if (where.server !== '') await Promise.all([this.#last.write(where), profile.note()]);
    void gone.then((how) => this.#forget(key, window, how));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#windows.values()].map((window) => window.close()));
    await this.#bridge.close();
  }

  /** Replaces a window that asked for a server by one for that server. */
  async #replace(key: string, server: string): Promise<void> {
    const asked = this.#windows.get(key);
    await this.open({ server, account: '', path: '' });
    await asked?.close();
  }

  async #forget(key: string, window: DeskWindow, how: 'closed' | 'killed'): Promise<void> {
    if (this.#windows.get(key) === window) this.#windows.delete(key);
    await window.close();
    if (this.#windows.size > 0) return;
    if (how === 'closed') this.#ended.resolve(undefined);
    else
      this.#ended.reject(
        new ClientFailure(
          'the browser that draws the window has ended unexpectedly; start svc again, nothing that was saved is lost',
          'browser_ended',
        ),
      );
  }

  /**
   * Signs out of all accounts but one, including those without a window.
   *
   * @returns the servers that did not confirm it.
   */
  async #signOutOthers(own: string): Promise<string[]> {
    const profiles = (await Profile.all(this.#options.env)).filter((profile) => keyOf(profile) !== own);
    const failed = await Promise.all(
      profiles.map(async (profile) => {
        try {
          await this.#signOutOf(profile);
          return [];
        } catch {
          return [profile.server];
        }
      }),
    );
    return failed.flat();
  }

  async #signOutOf(profile: Profile): Promise<void> {
    const window = this.#windows.get(keyOf(profile));
    if (window !== undefined) {
      await window.signOut();
      return;
    }
    const credential = await profile.credential();
    if (credential === undefined) return;
    const endSessionUrl = await signOut(new Connection(profile.server, credential));
    await profile.forget();
    if (endSessionUrl !== undefined) this.#options.openOutside(endSessionUrl);
  }

  #parts(key: string, onServer: (server: string) => void): DeskWindowParts {
    const { env, version, openOutside } = this.#options;
    return {
      bridge: this.#bridge,
      ui: this.#ui,
      version,
      downloads: downloadsFolder(env),
      openWindow: (options) => openChromiumWindow(this.#browser, options),
      openOutside,
      saveDialog: findSaveDialog(env),
      folderDialog: findFolderDialog(env),
      signOutOthers: () => this.#signOutOthers(key),
      onServer,
    };
  }
}

/** Identifies a window. */
function keyOf({ server, account }: { readonly server: string; readonly account: string }): string {
  return `${server} ${account}`;
}
