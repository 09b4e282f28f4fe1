import { cutOff } from '../../bounds/send-body.ts';
import { catalogue, type ErrorCode } from '../../errors/catalogue.ts';
import { SvcError, codeOf, detailToTell, isFault } from '../../errors/svc-error.ts';
import type { Logger } from '../../log/logger.ts';
import type { Problem } from '../../wire/problem.ts';
import { prefersHtml } from './accept.ts';
import type { Call } from './call.ts';

/** The problem document of an error. Foreign errors become `internal`, without details. */
export function problemOf(error: unknown, requestId: string): Problem {
  const known = asSvcError(error);
  const { status, title } = catalogue[known.code];
  const detail = detailToTell(known);
  return {
    type: `urn:svc:problem:${known.code}`,
    title,
    status,
    code: known.code,
    ...(detail === undefined ? {} : { detail }),
    request_id: requestId,
    ...known.members,
  };
}

/** Sends the page for a problem. The status and the headers of the problem are set already. */
export type SendErrorPage = (problem: Problem) => void;

/**
 * Answers with an error: problem+json, or a page with a way to continue when a person opened this address in a browser.
 *
 * When the answer has already begun, the connection is cut off, so that the client sees that the answer is incomplete.
 */
export function sendProblem(call: Call, error: unknown, log: Logger, sendPage?: SendErrorPage): void {
  const { req, res, requestId } = call;
  // The client disconnected, so nobody reads the answer and nothing is logged.
  if (res.destroyed && isAbort(error)) return;
  const known = asSvcError(error);
  const { status } = catalogue[known.code];
  if (isFault(known.code) && !known.isLogged)
    log.error(known.code, {
      requestId,
      method: req.method,
      path: req.url?.split('?', 1)[0],
      detail: known.detail,
      cause: known.cause ?? (known === error ? undefined : error),
    });
  if (res.headersSent) {
    // An answer in lines has already sent its error.
    if (!res.writableEnded) cutOff(res);
    return;
  }
  for (const name of [
    'Content-Length',
    'Content-Disposition',
    'Content-Range',
    'Content-Encoding',
    'ETag',
    'Last-Modified',
    'Accept-Ranges',
  ])
    res.removeHeader(name);
  const headers = {
    'Cache-Control': 'no-store',
    ...(known.retryAfterSeconds !== undefined && { 'Retry-After': String(known.retryAfterSeconds) }),
  };
  const problem = problemOf(known, requestId);
  if (sendPage !== undefined && prefersHtml(req)) {
    res.statusCode = status;
    res.setHeaders(new Headers(headers));
    sendPage(problem);
    return;
  }
  const body = Buffer.from(JSON.stringify(problem));
  call.sendHead(status, {
    ...headers,
    'Content-Type': 'application/problem+json; charset=utf-8',
    'Content-Length': String(body.length),
  });
  res.end(body);
}

function isAbort(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError';
}

/** Turns any error into an {@link SvcError}. Errors of Express and its parsers have a status; 400 to 499 are faults of the client. */
export function asSvcError(error: unknown): SvcError {
  if (codeOf(error) !== undefined) return error as SvcError;
  const status =
    typeof error === 'object' && error !== null && 'status' in error && typeof error.status === 'number'
      ? error.status
      : 500;
  const codes: Readonly<Record<number, ErrorCode>> = { 413: 'payload_too_large', 415: 'unsupported_media_type' };
  if (status >= 400 && status < 500)
    return new SvcError(codes[status] ?? 'invalid_request', { detail: 'the request could not be read' });
  return new SvcError('internal', { cause: error });
}
