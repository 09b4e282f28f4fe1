import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as wait } from 'node:timers/promises';
import { chromium, type Browser, type Page } from '@playwright/test';
import { WHOLE_BROWSER } from './browser-path.ts';

const BIN = join(import.meta.dirname, '../../bin/svc.js');
const LOOK_MS = 50;
const LONGEST_MS = 60_000;

/** A screen that nobody sees (Xvfb). */
export class Screen {
  readonly display: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, display: string) {
    this.#child = child;
    this.display = display;
  }

  static async start(): Promise<Screen> {
    const child = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    const [number] = (await once(child.stdio[3]!, 'data')) as [Buffer];
    return new Screen(child, `:${number.toString().trim()}`);
  }

  async close(): Promise<void> {
    this.#child.kill();
    await once(this.#child, 'exit');
  }
}

/** Somebody's computer with a screen: a home of its own, no keyring, and a usual browser that notes what it is asked to open. */
export class DesktopComputer {
  readonly home: string;
  readonly env: Record<string, string>;
  readonly #started: DesktopRun[] = [];
  readonly #kept: Record<string, string> = {};

  private constructor(home: string, env: Record<string, string>) {
    this.home = home;
    this.env = env;
  }

  static async make(screen: Screen): Promise<DesktopComputer> {
    const home = await mkdtemp(join(tmpdir(), 'svc-desktop-'));
    await script(join(home, 'usual-browser'), `printf '%s\\n' "$1" >> '${home}/opened'`);
    // The tests look into the window by a port beside the application's own pipe. Root has no sandbox.
    await script(
      join(home, 'window-browser'),
      `exec '${WHOLE_BROWSER}' --no-sandbox --disable-gpu --remote-debugging-port=0 "$@"`,
    );
    await file(
      join(home, '.local/share/applications/usual-browser.desktop'),
      `[Desktop Entry]\nType=Application\nName=Usual\nExec=${home}/usual-browser %u\nMimeType=x-scheme-handler/http;x-scheme-handler/https;inode/directory;text/plain;application/x-shellscript;text/x-shellscript;\n`,
    );
    await file(
      join(home, 'config/mimeapps.list'),
      '[Default Applications]\nx-scheme-handler/http=usual-browser.desktop\nx-scheme-handler/https=usual-browser.desktop\ninode/directory=usual-browser.desktop\ntext/plain=usual-browser.desktop\n',
    );
    const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
    const env = {
      PATH,
      NODE_COMPILE_CACHE,
      LANG: 'C.UTF-8',
      HOME: home,
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_STATE_HOME: join(home, 'state'),
      DISPLAY: screen.display,
      SVC_KEYRING: 'off',
    };
    return new DesktopComputer(home, env);
  }

  /** Somebody is signed in there already, and the session is kept in the file. */
  async keep(server: string, credential: string, account = ''): Promise<void> {
    this.#kept[`${server} desktop ${account}`.trim()] = credential;
    await file(join(this.home, 'config/svc/credentials.json'), JSON.stringify({ credentials: this.#kept }));
  }

  /** @param program - what is installed; else the checkout. */
  start(
    args: readonly string[],
    env: Record<string, string> = {},
    [program, ...before]: readonly [string, ...string[]] = [process.execPath, BIN],
  ): DesktopRun {
    const run = new DesktopRun(
      this,
      spawn(program, [...before, 'desktop', '--browser', join(this.home, 'window-browser'), ...args], {
        cwd: this.home,
        env: { ...this.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    this.#started.push(run);
    return run;
  }

  /** What the usual browser was asked to open so far. */
  async opened(): Promise<string[]> {
    return (await readFile(join(this.home, 'opened'), 'utf8').catch(() => '')).split('\n').filter((url) => url !== '');
  }

  /** The next address that the usual browser is asked to open. @param before - how many there were. */
  async nextOpened(before: number): Promise<string> {
    return until(async () => (await this.opened())[before]);
  }

  /** Every file of the application and of its browser, as text. */
  async everythingKept(): Promise<string> {
    const names = await readdir(this.home, { recursive: true, withFileTypes: true });
    return (
      await Promise.all(
        names
          .filter((entry) => entry.isFile())
          .map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1').catch(() => '')),
      )
    ).join('\n');
  }

  async remove(): Promise<void> {
    for (const run of this.#started) await run.stop();
    await rm(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A page of this computer is there sooner. */
const LOAD_MS = 5_000;

/** The application while it runs. */
export class DesktopRun {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly status: number | null; readonly stderr: string }>;
  readonly #computer: DesktopComputer;
  #browser: Browser | undefined;
  #stderr = '';

  constructor(computer: DesktopComputer, child: ChildProcess) {
    this.#computer = computer;
    this.child = child;
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    this.ended = new Promise((resolve) => child.once('close', (status) => resolve({ status, stderr: this.#stderr })));
  }

  /** The page in the window. */
  async window(): Promise<Page> {
    return until(async () => {
      if (this.#browser?.isConnected() === false) this.#browser = undefined;
      // The port of a browser that is about to end may still answer.
      const port = await this.#port();
      this.#browser ??=
        port === undefined
          ? undefined
          : await chromium.connectOverCDP(`http://127.0.0.1:${port}`).catch(() => undefined);
      const page = this.#browser
        ?.contexts()[0]
        ?.pages()
        .find((one) => one.url().startsWith('http') && !one.url().endsWith('/start'));
      if (page !== undefined && (await isThere(page))) return page;
      this.#browser = undefined;
      return undefined;
    });
  }

  /** Ends the browser that draws the window, as a system without memory does. */
  async killBrowser(): Promise<void> {
    const { stdout } = await promisify(execFile)('pgrep', ['-P', String(this.child.pid)]);
    process.kill(Number(stdout.trim()), 'SIGKILL');
  }

  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.ended;
    this.#browser = undefined;
  }

  /** The newest port that a window's browser listens on. */
  async #port(): Promise<string | undefined> {
    const folder = join(this.#computer.home, 'state/svc/desktop');
    for (const name of await readdir(folder).catch(() => [])) {
      const text = await readFile(join(folder, name, 'browser/DevToolsActivePort'), 'utf8').catch(() => '');
      const [port] = text.split('\n');
      if (
        port !== undefined &&
        port !== '' &&
        (await fetch(`http://127.0.0.1:${port}/json/version`).then(
          (answer) => answer.ok,
          () => false,
        ))
      )
        return port;
    }
    return undefined;
  }
}

/** Whether the page answers. Whoever connects in the middle of a navigation may never hear of its end, and has to connect again. */
async function isThere(page: Page): Promise<boolean> {
  try {
    await page.waitForLoadState('load', { timeout: LOAD_MS });
    await page.locator('body').waitFor({ state: 'attached', timeout: LOAD_MS });
    return true;
  } catch {
    return false;
  }
}

/** Looks again and again. @throws {Error} it never came. */
export async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  const last = Date.now() + LONGEST_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > last) throw new Error('what was waited for did not come');
    await wait(LOOK_MS);
  }
}

async function script(path: string, line: string): Promise<void> {
  await file(path, `#!/bin/sh\n${line}\n`);
  await chmod(path, 0o755);
}

async function file(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}
