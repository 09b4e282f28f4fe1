/** What a client of the service could not do, for a person. The message says what to do. */
export class ClientFailure extends Error {
  override readonly name = 'ClientFailure';
  /** `usage` for an address or a file that was not given as it has to be; else what happened, for scripts. */
  readonly code: string;

  constructor(message: string, code = 'failed') {
    super(message);
    this.code = code;
  }
}
