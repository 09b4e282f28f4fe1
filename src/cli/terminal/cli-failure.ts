/** The exit statuses of the process. */
export const EXIT = { done: 0, failed: 1, usage: 2, denied: 3, notSignedIn: 4 } as const;

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

/** Ends a verb with a status. The message says what to do; it is empty when everything was already printed. */
export class CliFailure extends Error {
  override readonly name = 'CliFailure';
  readonly status: ExitStatus;
  /** The code for scripts. */
  readonly code: string;
  /** The message. Only these are lines of it: a name or an argument in one may contain a line break. */
  readonly lines: readonly string[];

  constructor(
    status: ExitStatus,
    message: string | readonly string[] = '',
    code = status === EXIT.usage ? 'usage' : 'failed',
  ) {
    const lines = typeof message === 'string' ? [message] : message;
    super(lines.join('\n'));
    this.status = status;
    this.code = code;
    this.lines = lines;
  }
}

/** The exit status after these failures. Only what is true of each of them is told by a status of its own. */
export function statusOfFailures(failed: readonly { readonly code: string }[]): ExitStatus {
  const each = (code: string): boolean => failed.every((failure) => failure.code === code);
  if (each('access_denied')) return EXIT.denied;
  return each('usage') ? EXIT.usage : EXIT.failed;
}

/** The failure of a wrong command line: exit status 2. */
export function usageFault(message: string): CliFailure {
  return new CliFailure(EXIT.usage, message);
}
