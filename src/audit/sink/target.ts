/** A destination of audit lines. */
export type Target = {
  /**
   * Sends lines, given without line ends.
   *
   * @returns when the receiver has taken all of them.
   * @throws {DeliveryError | Error} when that is not certain; they have to be sent again then.
   */
  send(lines: readonly Buffer[], from: LineRange): Promise<void>;
  close(): Promise<void>;
};

/** The origin of the lines: the name of the chain's folder, and the numbers of the first and the last line. */
export type LineRange = { readonly instance: string; readonly first: number; readonly last: number };

/** The answer of a receiver that did not take the lines. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  /** The HTTP status. */
  readonly status: number;
  /** The pause that the receiver asks for. */
  readonly retryAfterMs: number | undefined;
  /** Whether fewer lines at once may succeed. */
  readonly isTooLarge: boolean;

  constructor(status: number, retryAfterMs: number | undefined) {
    super(`the receiver answered with status ${status}`);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.isTooLarge = status === 413;
  }
}

/**
 * Describes why a receiver did not take lines. It includes the code, because `ECONNREFUSED` says more than the empty message of an error about several
 * addresses.
 */
export function reasonOf(error: Error): string {
  const { code } = error as { readonly code?: unknown };
  const message =
    error.message ||
    (error instanceof AggregateError ? (error.errors as Error[]).map((one) => one.message).join('; ') : error.name);
  return typeof code !== 'string' || message.includes(code) ? message : `${message} (${code})`;
}
