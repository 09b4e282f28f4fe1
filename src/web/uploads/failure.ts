/** What became of a request, whoever threw it. `code` is a problem code, or `network` where no answer came. */
export type Failure = { readonly code: string; readonly detail: string; readonly retryAfterSeconds?: number };

/** Reads a thrown value by its shape, so that errors of every origin are told apart by `code`. */
export function failureOf(thrown: unknown): Failure {
  const error = typeof thrown === 'object' && thrown !== null ? (thrown as Record<string, unknown>) : {};
  const code = typeof error['code'] === 'string' ? error['code'] : 'unexpected';
  const detail = typeof error['detail'] === 'string' ? error['detail'] : typeof error['message'] === 'string' ? error['message'] : '';
  const wait = error['retryAfterSeconds'];
  return typeof wait === 'number' ? { code, detail, retryAfterSeconds: wait } : { code, detail };
}
