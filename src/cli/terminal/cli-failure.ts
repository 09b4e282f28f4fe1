/** The exit statuses of the process. */
export const EXIT = { done: 0, failed: 1, usage: 2, denied: 3, notSignedIn: 4 } as const;

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

/** Ends a verb with a status. The message says what to do; it is empty when everything was already printed. */
export class CliFailure extends Error {
  override readonly name = 'CliFailure';
  readonly status: ExitStatus;
  /** The code for scripts. */
  readonly code: string;

  constructor(status: ExitStatus, message = '', code = status === EXIT.usage ? 'usage' : 'failed') {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The failure of a wrong command line: exit status 2. */
export function usageFault(message: string): CliFailure {
  return new CliFailure(EXIT.usage, message);
}
