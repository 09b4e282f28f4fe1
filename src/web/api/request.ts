import { servicePath } from '../base.ts';
import { apiErrorOf, errorOfResponse, reportError } from './api-error.ts';

export type Query = Readonly<Record<string, string | number | undefined>>;

export type RequestOptions = {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT';
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal;
};

/** The URL of a route below `/api/` or `/v1/`. Each segment is percent-encoded. Object keys are query parameters. */
export function routeUrl(segments: readonly string[], query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const text = search.toString();
  return servicePath(segments.map(encodeURIComponent).join('/')) + (text === '' ? '' : `?${text}`);
}

/**
 * Sends a request with the session cookie, for the content or the headers of an object or for lines. Other requests for JSON use `service`.
 *
 * @throws {ApiError} if the answer is not a success or does not arrive. What is unchanged (304) is a success.
 */
export async function send(segments: readonly string[], options: RequestOptions = {}): Promise<Response> {
  const headers = new Headers({ accept: 'application/json', ...options.headers });
  const init: RequestInit = { method: options.method ?? 'GET', credentials: 'same-origin', headers, redirect: 'error' };
  if (options.body !== undefined) init.body = options.body;
  if (options.signal !== undefined) init.signal = options.signal;
  let response: Response;
  try {
    response = await fetch(routeUrl(segments, options.query), init);
  } catch (error) {
    throw apiErrorOf(error);
  }
  if (response.ok || response.status === 304) return response;
  const error = await errorOfResponse(response);
  reportError(error);
  throw error;
}
