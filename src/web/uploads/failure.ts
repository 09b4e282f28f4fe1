/** What became of a request, whoever threw it. `code` is a problem code, or `network` where no answer came. */
export type Failure = { readonly code: string; readonly detail: string; readonly status?: number; readonly retryAfterSeconds?: number };

/** Reads a thrown value by its shape, so that errors of every origin are told apart by `code`. */
export function failureOf(thrown: unknown): Failure {
  const error = typeof thrown === 'object' && thrown !== null ? (thrown as Record<string, unknown>) : {};
  const { code, message, status, retryAfterSeconds } = error;
  return {
    code: typeof code === 'string' ? code : 'unexpected',
    detail: typeof message === 'string' ? message : '',
    ...(typeof status === 'number' ? { status } : {}),
    ...(typeof retryAfterSeconds === 'number' ? { retryAfterSeconds } : {}),
  };
}
