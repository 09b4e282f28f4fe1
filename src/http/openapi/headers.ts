import type { ResponseHeader } from '../routing/documented-headers.ts';
import type { Json } from '../../wire/json.ts';

const MAY_RETRY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** References to the headers of a response: those of every response with this status, and the given ones. */
export function headersOf(status: number, names: readonly ResponseHeader[] = []): Json {
  return Object.fromEntries(
    [...headersOfStatus(status), ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

function headersOfStatus(status: number): ResponseHeader[] {
  const headers: ResponseHeader[] = ['X-Request-Id'];
  if (status === 303) headers.push('Location');
  if (status === 405) headers.push('Allow');
  if (MAY_RETRY.has(status)) headers.push('Retry-After');
  return headers;
}
