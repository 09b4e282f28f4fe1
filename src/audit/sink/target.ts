/** Where lines of an audit are sent to. */
export type Target = {
  /**
   * Sends lines, which have no line ends.
   *
   * @returns when the receiver has taken all of them. @throws {NotTaken | Error} when it is not known that it has; they have to be sent again then.
   */
  send(lines: readonly Buffer[], from: Sender): Promise<void>;
  close(): Promise<void>;
};

/** Whose lines they are: the name of the folder of the chain, and the numbers of the first and of the last line. */
export type Sender = { readonly instance: string; readonly first: number; readonly last: number };

/** What the receiver answered in place of taking the lines. */
export class NotTaken extends Error {
  override readonly name = 'NotTaken';
  /** How long it asks to be left alone. */
  readonly retryAfterMs: number | undefined;
  /** Fewer lines at once may do. */
  readonly isTooLarge: boolean;

  constructor(message: string, { retryAfterMs, isTooLarge = false }: { readonly retryAfterMs?: number | undefined; readonly isTooLarge?: boolean } = {}) {
    super(message);
    this.retryAfterMs = retryAfterMs;
    this.isTooLarge = isTooLarge;
  }
}
