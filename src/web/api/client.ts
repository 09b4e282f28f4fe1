import createClient from 'openapi-fetch';
import type { paths } from '../../../openapi/openapi.d.ts';
import { basePath } from '../base.ts';
import { t } from '../words/words.ts';
import { ApiError, apiErrorOf, errorOfResponse, reportError } from './api-error.ts';
import { parsed } from './parsed.ts';
import { takePrefetched } from './prefetch.ts';

/**
 * The client for the routes of the service, typed by its OpenAPI document. A call throws an {@link ApiError} if the answer is not a success or does not
 * arrive.
 */
export const service = createClient<paths>({
  baseUrl: window.location.origin + basePath,
  credentials: 'same-origin',
  redirect: 'error',
  headers: { accept: 'application/json' },
  fetch: (request) => takePrefetched(request.url) ?? fetch(request),
});

service.use({
  onResponse: async ({ response }) => {
    if (response.ok) return;
    const error = await errorOfResponse(response);
    reportError(error);
    throw error;
  },
  onError: ({ error }) => apiErrorOf(error),
});

/** The JSON of an answer. @throws {ApiError} */
export async function answered<T>(call: Promise<{ readonly data?: T }>): Promise<T> {
  const { data } = await call.catch((error: unknown) => {
    throw error instanceof SyntaxError ? unreadable() : error;
  });
  if (data === undefined) throw unreadable();
  return data;
}

/** The answer to content that was sent. @throws {ApiError} if it is not one of the service, such as the page of a proxy: the content may not be stored then. */
export function writtenIn(text: string): { readonly etag: string } {
  const answer: { readonly etag?: unknown } = parsed(text) ?? {};
  if (typeof answer.etag !== 'string') throw unreadable();
  return answer as { readonly etag: string };
}

export function unreadable(status = 0): ApiError {
  return new ApiError('unexpected_answer', t('The answer could not be read. Try again in a moment.'), { status });
}
