import type { Problem } from '../../wire/problem.ts';
import { meaningOf, t } from '../words/words.ts';

/** A request that failed. Tell errors apart by `code`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The service's problem code; `network` when no answer came; `aborted`; `unexpected_answer` when it was not the service that answered. */
  readonly code: string;
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  readonly problem: Problem | undefined;
  /** Seconds, from `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: string, message: string, answer: { status?: number; problem?: Problem; retryAfterSeconds?: number } = {}) {
    super(message);
    this.code = code;
    this.status = answer.status ?? 0;
    this.problem = answer.problem;
    this.retryAfterSeconds = answer.retryAfterSeconds;
  }

  /** With `access_denied`: the action that was missing. */
  get action(): string | undefined {
    return this.problem?.action;
  }
}

type Listener = (error: ApiError) => void;
const listeners = new Set<Listener>();

/** Calls back on every failed request whose error says something about the session (`session_required`, `session_store_unavailable`). */
export function onSessionError(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** To be called by whoever talks to the service by other means than the clients of this folder. */
export function reportError(error: ApiError): void {
  if (error.code === 'session_required' || error.code === 'session_store_unavailable') for (const listener of listeners) listener(error);
}

export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof DOMException && error.name === 'AbortError') return new ApiError('aborted', t('The request was cancelled.'));
  return new ApiError('network', t('The service did not answer. Check your connection, then try again.'));
}

/** Whether what was asked for is not there. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'not_found';
}

/** Reads the problem document of a failed answer. */
export async function errorOfResponse(response: Response): Promise<ApiError> {
  return errorOfBody(response.status, await response.text().catch(() => ''), response.headers.get('retry-after'));
}

/** The same for whoever reads status and body by other means than `fetch`, such as an upload. */
export function errorOfBody(status: number, body: string, retryAfter: string | null = null): ApiError {
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter);
  const rest = Number.isFinite(seconds) ? { status, retryAfterSeconds: seconds } : { status };
  const problem = parseProblem(body);
  const bare = body === '' ? WITHOUT_BODY.get(status) : undefined;
  if (bare !== undefined) return new ApiError(bare.code, bare.message, rest);
  if (problem === undefined && status === 413) return new ApiError('payload_too_large', t('A proxy in front of the service takes no request as large as this. Whoever runs it can raise its limit.'), rest);
  if (problem === undefined) return new ApiError('unexpected_answer', t('The service gave an answer that cannot be read. Try again in a moment.'), rest);
  return new ApiError(problem.code, told(problem.code, problem.detail ?? problem.title), { ...rest, problem });
}

/** What an answer to HEAD means, which has no body to say so. */
const WITHOUT_BODY: ReadonlyMap<number, { readonly code: string; readonly message: string }> = new Map([
  [401, { code: 'session_required', message: t('Your session has ended.') }],
  [403, { code: 'access_denied', message: t('You may not do this.') }],
  [404, { code: 'not_found', message: t('There is no such file.') }],
]);

function parseProblem(body: string): Problem | undefined {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null && 'code' in value && typeof value.code === 'string') return value as Problem;
  } catch {
    return undefined;
  }
  return undefined;
}

/** What the service says of a problem: in its own words, or in those of the reader's language. */
export function told(code: string, message: string): string {
  return meaningOf(code) ?? sentence(message);
}

/** Messages of the service are written in lower case without a final period; people read sentences. */
export function sentence(message: string): string {
  const text = message.trim();
  if (text === '') return text;
  return text.charAt(0).toLocaleUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');
}
