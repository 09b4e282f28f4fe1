import { ClientFailure } from '../client/client-failure.ts';
import { startBrowser, type BrowserProcess } from './browser-process.ts';
import { PageMethods } from './page-methods.ts';
import { Protocol, type Params, type ProtocolEvent } from './protocol.ts';
import type { AppWindow, WindowOptions } from './window.ts';

const START_MS = 20_000;
const END_MS = 5_000;

type TargetInfo = { readonly targetId: string; readonly type: string; readonly url: string };

/**
 * Opens a window of an installed browser.
 *
 * @throws {ClientFailure} when the browser does not start.
 */
export async function openChromiumWindow(program: string, options: WindowOptions): Promise<AppWindow> {
  const browser = await startBrowser(program, { profile: options.profile, url: options.origin + options.startPath });
  const window = new ChromiumWindow(browser, options);
  try {
    await within(
      START_MS,
      Promise.race([window.ready(), window.gone.then(() => Promise.reject(new Error('it ended at once')))]),
    );
    return window;
  } catch (error) {
    browser.child.kill('SIGKILL');
    const [said = (error as Error).message] = browser
      .lastWords()
      .split('\n')
      .filter((line) => /ERROR|FATAL|no-sandbox/.test(line))
      .slice(-1);
    throw new ClientFailure(
      `the browser \`${program}\` opens no window (${said.trim()}); choose another one with \`--browser\``,
      'no_browser',
    );
  }
}

class ChromiumWindow implements AppWindow {
  readonly gone: Promise<'closed' | 'killed'>;
  readonly #options: WindowOptions;
  readonly #protocol: Protocol;
  readonly #browser: BrowserProcess;
  readonly #whenReady = Promise.withResolvers<undefined>();
  #page: { readonly sessionId: string; readonly targetId: string; readonly methods: PageMethods } | undefined;
  #isClosing = false;

  constructor(browser: BrowserProcess, options: WindowOptions) {
    this.#browser = browser;
    this.#options = options;
    this.#protocol = new Protocol(browser.fromBrowser, browser.toBrowser, (event) => this.#hear(event));
    this.gone = new Promise((resolve) =>
      browser.child.once('exit', (status) => resolve(this.#isClosing || status === 0 ? 'closed' : 'killed')),
    );
  }

  async ready(): Promise<void> {
    await this.#protocol.send('Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: true,
      flatten: true,
      filter: [{ type: 'page' }],
    });
    await this.#whenReady.promise;
  }

  async show(url: string): Promise<void> {
    await this.#send('Page.navigate', { url });
  }

  async raise(): Promise<void> {
    await this.#send('Page.bringToFront');
  }

  async run(statement: string): Promise<void> {
    await this.#send('Runtime.evaluate', { expression: statement });
  }

  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    await this.#protocol.send('Browser.close').catch(() => undefined);
    await within(END_MS, this.gone).catch(() => this.#browser.child.kill('SIGKILL'));
  }

  #send(method: string, params: Params = {}): Promise<Params> {
    return this.#protocol.send(method, params, this.#page?.sessionId);
  }

  #hear({ method, params, sessionId }: ProtocolEvent): void {
    if (method === 'Target.attachedToTarget')
      void this.#meet(params['sessionId'] as string, params['targetInfo'] as TargetInfo).catch((error: unknown) =>
        this.#whenReady.reject(error),
      );
    else if (method === 'Target.detachedFromTarget' && params['sessionId'] === this.#page?.sessionId) void this.close();
    else if (this.#page !== undefined && sessionId === this.#page.sessionId) this.#hearPage(method, params);
  }

  #hearPage(method: string, params: Params): void {
    if (method === 'Page.windowOpen') this.#options.onLeave(params['url'] as string);
    else if (method === 'Fetch.requestPaused') void this.#judge(params).catch(() => undefined);
    else this.#page?.methods.hear(method, params);
  }

  /**
   * Handles a new page. The first page is ours. Any other is a new window: the opening page has already reported its address, and it is closed before it is
   * shown.
   */
  async #meet(sessionId: string, { targetId }: TargetInfo): Promise<void> {
    if (this.#page !== undefined) {
      // The page may run for a moment before it is closed; until then it must not make requests, because its address is already handled.
      await Promise.allSettled([
        this.#protocol.send('Fetch.enable', {}, sessionId),
        this.#protocol.send('Target.closeTarget', { targetId }),
        this.#protocol.send('Runtime.runIfWaitingForDebugger', {}, sessionId),
      ]);
      return;
    }
    const { origin, cookie, downloads, methods } = this.#options;
    const page = {
      sessionId,
      targetId,
      methods: new PageMethods(this.#protocol, { sessionId, frameId: targetId, origin }, methods),
    };
    this.#page = page;
    await Promise.all([
      this.#send('Page.enable'),
      page.methods.install(),
      this.#send('Network.setCookie', { ...cookie, url: origin + cookie.path, httpOnly: true, sameSite: 'Strict' }),
      this.#send('Fetch.enable', { patterns: [{ resourceType: 'Document' }] }),
      this.#protocol.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: downloads }),
      // The page may show notifications, because it is the application's user interface.
      this.#protocol.send('Browser.grantPermissions', { origin, permissions: ['notifications'] }),
    ]);
    await this.#send('Runtime.runIfWaitingForDebugger');
    this.#whenReady.resolve(undefined);
  }

  /** Allows documents from the window's origin only. When the window itself would navigate elsewhere, the address is opened in the system's browser instead. */
  async #judge({ requestId, request, frameId }: Params): Promise<void> {
    const { url } = request as { readonly url: string };
    if (new URL(url).origin === this.#options.origin) {
      await this.#send('Fetch.continueRequest', { requestId });
      return;
    }
    await this.#send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
    if (frameId === this.#page?.targetId) this.#options.onLeave(url);
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('it did not answer in time')), ms);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
