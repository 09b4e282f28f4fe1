import { servicePath } from '../base.ts';
import { ApiError, apiErrorOf, errorOfResponse } from './api-error.ts';

export type Query = Readonly<Record<string, string | number | undefined>>;

export type RequestOptions = {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly query?: Query;
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

type Listener = (error: ApiError) => void;
const listeners = new Set<Listener>();

/** Calls back on every failed request whose error says something about the session (`session_required`, `session_store_unavailable`). */
export function onSessionError(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** To be called by whoever talks to the service by other means than {@link request}. */
export function reportError(error: ApiError): void {
  if (error.code === 'session_required' || error.code === 'session_store_unavailable') for (const listener of listeners) listener(error);
}

/** Address of a route below `/api/` or `/v1/`. Every segment is encoded; keys travel in the query. */
export function routeUrl(segments: readonly string[], query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const text = search.toString();
  return servicePath(segments.map(encodeURIComponent).join('/')) + (text === '' ? '' : `?${text}`);
}

/**
 * Sends a request with the session cookie.
 *
 * @throws {ApiError} for every answer that is not a success, and when none came.
 */
export async function send(segments: readonly string[], options: RequestOptions = {}): Promise<Response> {
  const headers = new Headers({ accept: 'application/json', ...options.headers });
  const init: RequestInit = { method: options.method ?? 'GET', credentials: 'same-origin', headers, redirect: 'error' };
  if (options.json !== undefined) {
    init.body = JSON.stringify(options.json);
    headers.set('content-type', 'application/json');
  }
  if (options.signal !== undefined) init.signal = options.signal;
  let response: Response;
  try {
    response = await fetch(routeUrl(segments, options.query), init);
  } catch (error) {
    throw apiErrorOf(error);
  }
  if (response.ok) return response;
  const error = await errorOfResponse(response);
  reportError(error);
  throw error;
}

/** {@link send}, and reads the JSON of the answer as `T`: the wire type of the route. */
export async function request<T>(segments: readonly string[], options: RequestOptions = {}): Promise<T> {
  const response = await send(segments, options);
  try {
    return (await response.json()) as T;
  } catch {
    throw new ApiError('unexpected_answer', 'The answer could not be read. Try again in a moment.', { status: response.status });
  }
}
