/** The failure of a request, from any source. `code` is a problem code, or `network` when no answer arrived. */
export type Failure = {
  readonly code: string;
  readonly detail: string;
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  /** Which of several tries failed, from 1. */
  readonly attempt?: number;
};

/** A failure that the engine detects itself. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
  readonly code: 'precondition_failed' | 'file_changed' | 'wrong_size' | 'payload_too_large';

  constructor(code: TransferError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

export function fileChanged(): TransferError {
  return new TransferError('file_changed', 'the file changed while it was copied; copy it again');
}

/**
 * Reads a thrown value by its shape, so that errors of every origin are distinguished by `code`.
 *
 * @example
 * failureOf(Object.assign(new Error('socket closed'), { code: 'ECONNRESET' })) // { code: 'ECONNRESET', detail: 'socket closed' }
 * failureOf('something else') // { code: 'unexpected', detail: '' }
 */
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

/** Somebody has to make room for the audit, so that a person learns of it at once. */
const AUDIT = 'audit_unavailable';
/** Problems that may disappear soon. */
const TRANSIENT_PROBLEMS = [
  'rate_limited',
  'overloaded',
  'internal',
  'storage_unavailable',
  'storage_timeout',
  'session_store_unavailable',
  'state_unavailable',
];
/** Codes for a missing or incomplete answer: our own, then those of Node and undici. */
const CUT_OFF = [
  'network',
  'unreachable',
  'incomplete',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_ABORTED',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
];
const TRANSIENT = new Set([...TRANSIENT_PROBLEMS, ...CUT_OFF]);

/**
 * Whether the same request may succeed later without anybody doing something. This includes a proxy's answer that it could not reach the service, or takes no more
 * requests for now.
 */
export function isTransient(thrown: unknown): boolean {
  const { code, status = 0 } = failureOf(thrown);
  return TRANSIENT.has(code) || (code === 'unexpected_answer' && (status >= 500 || status === 429));
}

/**
 * Whether the parts that have arrived should be kept: after a passing failure, an audit that cannot be written, an expired session, a missing part, a conflict that the person resolves, or a
 * local problem such as an unavailable network disk.
 */
export function keepsParts(thrown: unknown): boolean {
  const { code } = failureOf(thrown);
  const isLocal = thrown instanceof Error && 'syscall' in thrown && code !== 'ENOENT';
  return (
    isTransient(thrown) ||
    isLocal ||
    code === AUDIT ||
    code === 'session_required' ||
    code === 'conflict' ||
    code === 'precondition_failed'
  );
}
