import type { Problem } from '../../wire/problem.ts';
import { meaningOf, t } from '../words/words.ts';

/** A request that failed. Tell errors apart by `code`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The problem code of the service; `network` if no answer arrived; `aborted`; or `unexpected_answer` if the answer is not one of the service. */
  readonly code: string;
  /** The HTTP status, or 0 if no answer arrived. */
  readonly status: number;
  readonly problem: Problem | undefined;
  /** The seconds in the header `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: string,
    message: string,
    answer: { status?: number; problem?: Problem; retryAfterSeconds?: number } = {},
  ) {
    super(message);
    this.code = code;
    this.status = answer.status ?? 0;
    this.problem = answer.problem;
    this.retryAfterSeconds = answer.retryAfterSeconds;
  }

  /** The action that is not allowed, if the code is `access_denied`. */
  get action(): string | undefined {
    return this.problem?.action;
  }
}

type Listener = (error: ApiError) => void;
const listeners = new Set<Listener>();

/** Calls a listener on every failed request whose error is about the session (`session_required`, `session_store_unavailable`). */
export function onSessionError(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const denialListeners = new Set<() => void>();

/** Calls a listener whenever the service refuses something that the user may not do. */
export function onDenial(listener: () => void): () => void {
  denialListeners.add(listener);
  return () => denialListeners.delete(listener);
}

/** Notifies the listeners for errors of the session and for denials. Code that sends requests without the clients of this folder has to call it. */
export function reportError(error: ApiError): void {
  if (error.code === 'session_required' || error.code === 'session_store_unavailable')
    for (const listener of listeners) listener(error);
  if (error.code === 'access_denied') tellDenial();
}

/** Notifies the listeners for denials of one that is part of an answer. */
export function tellDenial(): void {
  for (const listener of denialListeners) listener();
}

export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof DOMException && error.name === 'AbortError')
    return new ApiError('aborted', t('The request was cancelled.'));
  return new ApiError('network', t('The service did not answer. Check your connection, then try again.'));
}

/** Whether the error is a `not_found` answer of the service. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'not_found';
}

/** Waits for a deletion. What is gone is deleted: a proxy may repeat the request silently. A 404 without a body is not of the service, but of a proxy. */
export async function unlessGone(deletion: Promise<unknown>): Promise<void> {
  await deletion.catch((error: unknown) => {
    const { status, problem } = apiErrorOf(error);
    if (!isMissing(error) || (status === 404 && problem === undefined)) throw error;
  });
}

/** Whether the service refused a name in the request, such as one in an address that somebody wrote by hand. */
export function isInvalid(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'invalid_request';
}

/** Reads the problem document of a failed answer. */
export async function errorOfResponse(response: Response): Promise<ApiError> {
  return errorOfBody(response.status, await response.text().catch(() => ''), response.headers.get('retry-after'));
}

/** Makes an error from the status and the body of a failed answer that was not read with `fetch`, such as that of an upload. */
export function errorOfBody(status: number, body: string, retryAfter: string | null = null): ApiError {
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter);
  const rest = Number.isFinite(seconds) ? { status, retryAfterSeconds: seconds } : { status };
  const problem = parseProblem(body);
  const bare = body === '' ? WITHOUT_BODY.get(status) : undefined;
  if (bare !== undefined) return new ApiError(bare.code, bare.message, rest);
  if (problem === undefined && status === 413)
    return new ApiError(
      'payload_too_large',
      t('A proxy in front of the service does not accept requests this large. An administrator can raise its limit.'),
      rest,
    );
  if (problem === undefined)
    return new ApiError('unexpected_answer', t('The answer could not be read. Try again in a moment.'), rest);
  return new ApiError(problem.code, problemMessage(problem.code, problem.detail ?? problem.title), {
    ...rest,
    problem,
  });
}

/** The errors of failed HEAD requests by status, because their answers have no body. */
const WITHOUT_BODY: ReadonlyMap<number, { readonly code: string; readonly message: string }> = new Map([
  [401, { code: 'session_required', message: t('Your session has ended.') }],
  [403, { code: 'access_denied', message: t('You may not do this.') }],
  [404, { code: 'not_found', message: t('There is no such file.') }],
]);

/** The problem document of the service in a body; undefined for anything else, such as the problem document of a proxy. */
function parseProblem(body: string): Problem | undefined {
  try {
    const value = JSON.parse(body) as Partial<Record<keyof Problem, unknown>> | null;
    const isOurs = typeof value?.code === 'string' && value.type === `urn:svc:problem:${value.code}`;
    return isOurs ? (value as Problem) : undefined;
  } catch {
    return undefined;
  }
}

/** The message for a problem: translated if the page is not in English, otherwise the message of the service. */
export function problemMessage(code: string, message: string): string {
  // The service names the action and policies, for developers.
  if (code === 'access_denied') return t('You may not do this.');
  return meaningOf(code) ?? sentence(message);
}

/** Turns a message of the service, which starts in lower case and has no final period, into a sentence. */
export function sentence(message: string): string {
  const text = message.trim();
  if (text === '') return text;
  return text.charAt(0).toLocaleUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');
}
