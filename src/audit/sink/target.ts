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
  /** Of HTTP. */
  readonly status: number;
  /** How long it asks to be left alone. */
  readonly retryAfterMs: number | undefined;
  /** Fewer lines at once may do. */
  readonly isTooLarge: boolean;

  constructor(status: number, retryAfterMs: number | undefined) {
    super(`the receiver answered with status ${status}`);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.isTooLarge = status === 413;
  }
}

/** What keeps a receiver from taking lines. The code too: `ECONNREFUSED` says more than an empty message of several addresses. */
export function reasonOf(error: Error): string {
  const { code } = error as { readonly code?: unknown };
  const message = error.message || (error instanceof AggregateError ? (error.errors as Error[]).map((one) => one.message).join('; ') : error.name);
  return typeof code !== 'string' || message.includes(code) ? message : `${message} (${code})`;
}
