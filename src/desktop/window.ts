import type { Params } from './protocol.ts';

/**
 * A method that the page may call as `window.svcDesktop.NAME(…)`. Errors are passed to the page by their message.
 *
 * `filePaths` returns the paths of the `File` objects that the page passed as `files`, as the browser knows them: a person has dropped or chosen each of them,
 * because no script can make one. The path is empty for anything that is no file of this computer.
 */
export type PageMethod = (params: Params, filePaths: () => Promise<string[]>) => Promise<unknown>;

/** Options for opening a window. */
export type WindowOptions = {
  /** The browser's own folder for this window: its storage and its size on the screen. */
  readonly profile: string;
  /** The only origin that the window shows. */
  readonly origin: string;
  /** The cookie that distinguishes this window from every other program of the machine. Scripts cannot read it. */
  readonly cookie: { readonly name: string; readonly value: string; readonly path: string };
  /** A path below the origin with an empty page, shown until {@link AppWindow.show}. */
  readonly startPath: string;
  /** Methods for the page in the window only: no frame and no other origin gets an answer. */
  readonly methods: Readonly<Record<string, PageMethod>>;
  /** The folder in which the browser saves files that the page made itself. */
  readonly downloads: string;
  /** Called for a link or a new window to another address. */
  readonly onLeave: (url: string) => void;
};

/** A window that shows one origin. The only implementation is an installed browser; another one would need no more than this. */
export type AppWindow = {
  /** @param url - on the window's origin. */
  show(url: string): Promise<void>;
  /** Brings the window to the front. */
  raise(): Promise<void>;
  /** Runs a statement in the page. */
  run(statement: string): Promise<void>;
  close(): Promise<void>;
  /** Resolves when the window is gone: `closed` by the person or by {@link close}; `killed` when the browser ended by itself. */
  readonly gone: Promise<'closed' | 'killed'>;
};
