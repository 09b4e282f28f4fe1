import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { ClientFailure } from '../client/client-failure.ts';

/** The browser shows only the given page: no first-run page, extensions, accounts or prompts. */
const ARGUMENTS = [
  '--remote-debugging-pipe',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-extensions',
  '--disable-sync',
  '--disable-background-mode',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-features=Translate,MediaRouter,OptimizationHints',
  '--disable-session-crashed-bubble',
  '--hide-crash-restore-bubble',
  '--password-store=basic',
];

const LAST_WORDS_CHARACTERS = 2_000;

export type BrowserProcess = {
  readonly child: ChildProcess;
  readonly toBrowser: Writable;
  readonly fromBrowser: Readable;
  /** The end of its standard error, to explain why it does not start. */
  readonly lastWords: () => string;
};

/**
 * Starts a browser that shows one address in a window without an address bar. It ends with this process, because its pipe breaks.
 *
 * @throws {ClientFailure}
 */
export async function startBrowser(
  program: string,
  { profile, url }: { readonly profile: string; readonly url: string },
): Promise<BrowserProcess> {
  mkdirSync(profile, { recursive: true, mode: 0o700 });
  const child = spawn(
    program,
    [...ARGUMENTS, `--accept-lang=${systemLanguages()}`, `--user-data-dir=${profile}`, `--app=${url}`],
    { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] },
  );
  let said = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-LAST_WORDS_CHARACTERS)));
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) =>
      reject(
        new ClientFailure(
          `the browser \`${program}\` does not start: ${error.message}; choose another one with \`--browser\``,
          'no_browser',
        ),
      ),
    );
  });
  return {
    child,
    toBrowser: child.stdio[3] as Writable,
    fromBrowser: child.stdio[4] as Readable,
    lastWords: () => said,
  };
}

/** The languages for pages. The browser itself may be installed without its translations. */
function systemLanguages(): string {
  const { locale } = Intl.DateTimeFormat().resolvedOptions();
  const [language = locale] = locale.split('-');
  return [...new Set([locale, language, 'en'])].join(',');
}
