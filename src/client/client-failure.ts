/** A failure of a client of the service, for a person. The message says what to do. */
export class ClientFailure extends Error {
  override readonly name = 'ClientFailure';
  /** `usage` for an invalid address or file; otherwise what happened, for scripts. */
  readonly code: string;

  constructor(message: string, code = 'failed') {
    super(message);
    this.code = code;
  }
}
