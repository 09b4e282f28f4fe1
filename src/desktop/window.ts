import type { Params } from './protocol.ts';

/**
 * A method that the page may call as `window.svcDesktop.NAME(…)`. What it throws is told to the page by its message.
 *
 * `filePaths` gives the paths of the `File` objects that the page handed over as `files`, as the browser knows them: a person has dropped or chosen
 * each, for no script can make one. The path is empty for what is no file of this computer.
 */
export type PageMethod = (params: Params, filePaths: () => Promise<string[]>) => Promise<unknown>;

/** What a window needs to be opened. */
export type WindowOptions = {
  /** The browser's own folder for this window: its storage, its size on the screen. */
  readonly profile: string;
  /** The only origin that is shown in it. */
  readonly origin: string;
  /** The cookie that tells this window from every other program of the machine. Scripts cannot read it. */
  readonly cookie: { readonly name: string; readonly value: string; readonly path: string };
  /** Below the origin; holds nothing, and is shown until {@link AppWindow.show}. */
  readonly startPath: string;
  /** For the page in the window alone: no frame and no other origin gets an answer. */
  readonly methods: Readonly<Record<string, PageMethod>>;
  /** Where the browser saves what the page made itself. */
  readonly downloads: string;
  /** A link or a new window that leads away. */
  readonly onLeave: (url: string) => void;
};

/** A window that shows one origin. There is one shell, an installed browser; another one has to offer no more than this. */
export type AppWindow = {
  /** @param url - on the window's origin. */
  show(url: string): Promise<void>;
  /** To the front, as when somebody starts the application again. */
  raise(): Promise<void>;
  /** Runs a statement in the page. */
  run(statement: string): Promise<void>;
  close(): Promise<void>;
  /** Resolves when the window is gone: `closed` by the person or by {@link close}; `killed` when the browser ended by itself. */
  readonly gone: Promise<'closed' | 'killed'>;
};
