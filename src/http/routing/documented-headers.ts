import type { WireSchema } from '../../wire/schema.ts';

/** How the API reference shows a header. */
type Header = {
  readonly description: string;
  readonly example: string;
  readonly schema?: WireSchema;
  readonly required?: true;
};

const ETAG = '"9b2cf535f27731c974343645a3985328"';
const HTTP_DATE = 'Sat, 31 Jan 2026 09:30:00 GMT';

/** The request headers that a route may read, beyond those of HTTP itself. */
export const REQUEST_HEADERS = {
  Range: {
    description: 'One range of bytes. Any other range is ignored, and HEAD ignores the header.',
    example: 'bytes=0-1023',
  },
  'If-Range': { description: 'The range is used only when the object still has this ETag.', example: ETAG },
  'If-None-Match': { description: 'The ETag that the client holds.', example: ETAG },
  'If-Modified-Since': {
    description: 'An HTTP date. It is ignored when `If-None-Match` is sent too.',
    example: HTTP_DATE,
  },
} as const satisfies Record<string, Header>;

/** The only condition that a write supports. */
export const MUST_NOT_EXIST: Header = {
  description: 'The write is refused when the object exists.',
  example: '*',
  schema: { type: 'string', enum: ['*'] },
};

export type RequestHeader = keyof typeof REQUEST_HEADERS;

/** The documented response headers. A `required` header is part of every response that names it. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': {
    description: 'The id of the request in the log.',
    example: '4f1f2a3e-8b5c-4d0e-9a57-0c8f7b6a1d2e',
    required: true,
  },
  Location: { description: 'The address to go to.', example: '/main/photos/', required: true },
  Allow: { description: 'The methods that the path has.', example: 'GET, HEAD', required: true },
  'Set-Cookie': {
    description: '`svc_login` binds a sign-in to the browser. `svc_session` holds the session; signing out clears it.',
    example: 'svc_session=s%3A2mLk; Path=/; HttpOnly; SameSite=Lax',
  },
  'Retry-After': { description: 'Seconds to wait before trying again.', example: '2' },
  ETag: { description: 'The version of the content; it changes with the content.', example: ETAG },
  'Last-Modified': { description: 'An HTTP date.', example: HTTP_DATE },
  'Content-Length': {
    description: 'Bytes of the answer. It is missing when storage does not give the length.',
    example: '48213',
  },
  'Content-Range': {
    description: 'The range that is sent, and the size of the object.',
    example: 'bytes 0-1023/48213',
  },
  'Accept-Ranges': { description: 'Always `bytes`: ranges of bytes can be requested.', example: 'bytes' },
  'Content-Disposition': {
    description: '`inline` or `attachment`, and the file name.',
    example: 'inline; filename="beach.jpg"; filename*=UTF-8\'\'beach.jpg',
  },
  'X-Amz-Storage-Class': {
    description: 'The storage class. It is missing when storage does not say.',
    example: 'DEEP_ARCHIVE',
  },
  'X-Amz-Restore': {
    description: 'Of an archived object: whether it is being brought back, or until when it can be read.',
    example: 'ongoing-request="true"',
  },
  'X-Amz-Object-Lock-Mode': { description: 'How the version is locked.', example: 'GOVERNANCE' },
  'X-Amz-Object-Lock-Retain-Until-Date': {
    description: 'Until when the version cannot be deleted.',
    example: '2027-01-31T09:30:00Z',
  },
  'X-Amz-Object-Lock-Legal-Hold': {
    description: '`ON`: the version cannot be deleted until somebody ends the hold.',
    example: 'ON',
  },
} as const satisfies Record<string, Header>;

export type ResponseHeader = keyof typeof RESPONSE_HEADERS;
