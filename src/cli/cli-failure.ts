/** What the process ends with. */
export const EXIT = { done: 0, failed: 1, usage: 2, denied: 3, notSignedIn: 4 } as const;

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

/** Ends a verb with a status. The message says what to do; without one everything was said already. */
export class CliFailure extends Error {
  override readonly name = 'CliFailure';
  readonly status: ExitStatus;
  /** For scripts. */
  readonly code: string;

  constructor(status: ExitStatus, message = '', code = status === EXIT.usage ? 'usage' : 'failed') {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The command was not written as it has to be: exit status 2. */
export function usageFault(message: string): CliFailure {
  return new CliFailure(EXIT.usage, message);
}
