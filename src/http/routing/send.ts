import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { jsonBytes, jsonText } from '../../bounds/json-bytes.ts';
import { sendBytes, sendStream } from '../../bounds/send-body.ts';
import type { Hold } from '../../operation/operation.ts';
import type { Call } from './call.ts';
import { compressed, VARY, WORTH_IT } from './compressed.ts';
import type { Content } from './row.ts';

/**
 * Sends a reply.
 *
 * @param hold - called before an answer that is not a stream is sent; takes its memory when it is not short.
 * @returns false when the client disconnected before the end of an object.
 */
export function send(call: Call, reply: Content, hold: Hold = () => undefined): Promise<boolean> {
  if ('stream' in reply || 'bytes' in reply) return sendObject(call, reply);
  // Not awaited here: an asynchronous function would keep `reply` in memory while the client reads the bytes.
  // Also a short answer ends the turn of its caller before it is sent, because its client may read it late, or never.
  return writtenOf(call, reply, hold)
    .then(({ status, headers, body }) => {
      void hold(0);
      return sendBytes(call.res, body, () => call.sendHead(status, headers));
    })
    .then(() => true);
}

type Headers = Readonly<Record<string, string>>;
type Written = {
  readonly status: number;
  readonly headers: Headers;
  readonly body?: Buffer | string;
};

async function writtenOf(
  { req }: Call,
  { status, json, writers, reads, tag, headers }: Extract<Content, { readonly json?: object }>,
  hold: Hold,
): Promise<Written> {
  if (json === undefined) {
    // The answer to HEAD for an object has the length of the object, if storage gave it.
    const isEmpty = status !== 204 && status !== 304 && req.method !== 'HEAD';
    return { status, headers: { ...headers, ...(isEmpty && { 'Content-Length': '0' }) } };
  }
  const mayCompress = req.method === 'GET' || reads === true;
  const text = writers === undefined ? jsonText(json) : undefined;
  // A short answer waits for nothing, and goes as text in one piece with its head.
  if (text !== undefined && Buffer.byteLength(text) < WORTH_IT && tag === undefined)
    return { status, headers: jsonHeaders(text, headers, mayCompress ? VARY : undefined), body: text };
  const whole = text === undefined ? await jsonBytes(json, writers) : Buffer.from(text);
  const etag = tag === undefined ? undefined : weakTag(whole, tag.apart);
  if (etag !== undefined && isHeld(etag, req.headers['if-none-match']))
    return { status: 304, headers: { 'Cache-Control': 'no-store', ETag: etag } };
  await hold(whole.length);
  const sent = mayCompress ? await compressed(req, whole) : { headers: undefined, body: whole };
  const own = etag === undefined ? headers : { ETag: etag, ...headers };
  return { status, headers: jsonHeaders(sent.body, own, sent.headers), body: sent.body };
}

function jsonHeaders(body: Buffer | string, own: Headers | undefined, encoding: Headers | undefined): Headers {
  return {
    'Cache-Control': 'no-store',
    ...own,
    'Content-Type': 'application/json; charset=utf-8',
    ...encoding,
    'Content-Length': String(Buffer.byteLength(body)),
  };
}

/** The weak ETag of bytes without `apart`. It says nothing beyond what the bytes say: they contain only what the caller may see. */
function weakTag(whole: Buffer, apart: string | null): string {
  const at = apart === null ? -1 : whole.lastIndexOf(apart);
  const tag = createHash('sha256').update(at === -1 ? whole : whole.subarray(0, at));
  if (at !== -1) tag.update(whole.subarray(at + Buffer.byteLength(apart!)));
  return `W/"${tag.digest('base64url').slice(0, 22)}"`;
}

/** Whether `If-None-Match` names this ETag. It is compared weakly, as HTTP says. */
function isHeld(etag: string, condition: string | undefined): boolean {
  const opaque = etag.slice('W/'.length);
  return condition !== undefined && condition.split(',').some((one) => one.trim().replace(/^W\//, '') === opaque);
}

/** Sends an object. The answer to HEAD has its head alone. */
function sendObject(
  call: Call,
  reply: Extract<Content, { readonly bytes: Buffer } | { readonly stream: Readable }>,
): Promise<boolean> {
  const { req, res } = call;
  const sendHead = (): void => call.sendHead(reply.status, reply.headers);
  if ('bytes' in reply) return sendBytes(res, reply.bytes, sendHead);
  if (req.method !== 'HEAD') return sendStream(res, reply.stream, sendHead);
  reply.stream.destroy();
  return sendBytes(res, undefined, sendHead);
}
