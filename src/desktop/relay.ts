import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Dispatcher } from 'undici';
import type { Connection } from '../client/connection.ts';
import { unreachable } from '../client/service-failure.ts';

/** The request headers that are passed on to the service. Above all, cookies and our origin are not, and the only credential is the one that is added here. */
const PASSED_ON = [
  'accept',
  'accept-language',
  'accept-encoding',
  'cache-control',
  'content-type',
  'content-length',
  'range',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'if-range',
  'sec-fetch-dest',
] as const;

/** Response headers that only concern the connection between the service and this process. */
const KEPT_BACK: ReadonlySet<string> = new Set([
  'set-cookie',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'strict-transport-security',
  'alt-svc',
  'clear-site-data',
  'www-authenticate',
  'service-worker-allowed',
]);

/** Destinations that would make the answer a page of the window, or a part of one, with content from the server. */
const DOCUMENTS: ReadonlySet<string> = new Set(['document', 'iframe', 'frame', 'object', 'embed', 'serviceworker']);

let patient: Dispatcher | undefined;

/**
 * Passes a request of the page on to the service, with the credential that the page does not have, and returns the answer without cookies.
 *
 * @param path - below the service, with the query.
 */
export async function relay(
  req: IncomingMessage,
  res: ServerResponse,
  { server, credential }: Connection,
  path: string,
): Promise<void> {
  if (DOCUMENTS.has(req.headers['sec-fetch-dest'] ?? '')) {
    problem(res, 403, 'origin_mismatch', 'content of the service cannot be opened as a page here');
    return;
  }
  const left = new AbortController();
  res.once('close', () => left.abort());
  try {
    const { Agent, request } = await import('undici');
    patient ??= new Agent({ headersTimeout: 0, bodyTimeout: 0, allowH2: false });
    const { method = 'GET' } = req;
    const answer = await request(`${server}/${path}`, {
      method: method,
      headers: {
        ...headersFor(req.headers),
        ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
      },
      body: method === 'GET' || method === 'HEAD' ? null : req,
      signal: left.signal,
      dispatcher: patient,
    });
    const { statusCode } = answer;
    // The credential must not be sent to wherever this leads.
    if (statusCode >= 300 && statusCode < 400 && statusCode !== 304) throw new Error('it redirects to another place');
    res.writeHead(statusCode, headersOf(answer.headers));
    await pipeline(answer.body, res);
  } catch (error) {
    if (left.signal.aborted) return;
    if (res.headersSent) res.destroy();
    else problem(res, 502, 'unreachable', unreachable(server, error).message);
  }
}

/** Answers in place of the service. */
export function problem(res: ServerResponse, status: number, code: string, detail: string): void {
  res.writeHead(status, { 'content-type': 'application/problem+json', 'cache-control': 'no-store' });
  res.end(JSON.stringify({ type: `urn:svc:problem:${code}`, title: detail, status, code, detail }));
}

function headersFor(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    PASSED_ON.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])),
  );
}

function headersOf(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || KEPT_BACK.has(name) ? [] : [[name, value]],
    ),
  );
}
