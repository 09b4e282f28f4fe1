import type { WireSchema } from '../../wire/schema.ts';
import type { Json } from './json.ts';

type Header = { readonly description: string; readonly example: string; readonly schema?: WireSchema; readonly required?: true };

const ETAG = '"9b2cf535f27731c974343645a3985328"';
const HTTP_DATE = 'Sat, 31 Jan 2026 09:30:00 GMT';

/** The request headers that count, beyond those of HTTP itself. */
export const REQUEST_HEADERS = {
  Range: { description: 'One range of bytes; anything else is ignored. HEAD ignores it.', example: 'bytes=0-1023' },
  'If-Range': { description: 'The range counts only while the object has this ETag.', example: ETAG },
  'If-None-Match': { description: 'The ETag that the client holds.', example: ETAG },
  'If-Modified-Since': { description: 'An HTTP date; does not count beside `If-None-Match`.', example: HTTP_DATE },
} as const satisfies Record<string, Header>;

/** The one condition of a write. */
export const MUST_NOT_EXIST: Header = { description: 'Refuses to overwrite.', example: '*', schema: { type: 'string', enum: ['*'] } };

export type RequestHeader = keyof typeof REQUEST_HEADERS;

/** The response headers that a client reads. Those that are required come with every response that names them. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': { description: 'Names the request in the log.', example: '4f1f2a3e-8b5c-4d0e-9a57-0c8f7b6a1d2e', required: true },
  Location: { description: 'Where to go on.', example: '/main/photos/', required: true },
  Allow: { description: 'The methods that the path has.', example: 'GET, HEAD', required: true },
  'Set-Cookie': { description: '`svc_login` binds a sign-in to the browser; `svc_session` is the session. Signing out empties it.', example: 'svc_session=s%3A2mLk; Path=/; HttpOnly; SameSite=Lax' },
  'Retry-After': { description: 'Seconds to wait before trying again.', example: '2' },
  ETag: { description: 'Changes with the content.', example: ETAG },
  'Last-Modified': { description: 'An HTTP date.', example: HTTP_DATE },
  'Content-Length': { description: 'Bytes of the answer; missing where storage does not say.', example: '48213' },
  'Content-Range': { description: 'Which bytes of how many these are.', example: 'bytes 0-1023/48213' },
  'Accept-Ranges': { description: '`bytes`', example: 'bytes' },
  'Content-Disposition': { description: '`inline` or `attachment`, and the file name.', example: 'inline; filename="beach.jpg"; filename*=UTF-8\'\'beach.jpg' },
} as const satisfies Record<string, Header>;

export type ResponseHeader = keyof typeof RESPONSE_HEADERS;

const MAY_RETRY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** References to the headers of a response: those of its status, whatever the route, and those named. */
export function headersOf(status: number, names: readonly ResponseHeader[] = []): Json {
  return Object.fromEntries([...headersOfStatus(status), ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function headersOfStatus(status: number): ResponseHeader[] {
  const headers: ResponseHeader[] = ['X-Request-Id'];
  if (status === 303) headers.push('Location');
  if (status === 405) headers.push('Allow');
  if (MAY_RETRY.has(status)) headers.push('Retry-After');
  return headers;
}
