import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { jsonBytes } from '../../bounds/json-bytes.ts';
import { sendBytes, sendStream } from '../../bounds/send-body.ts';
import type { Call } from './call.ts';
import { compressed } from './compressed.ts';
import type { Content } from './row.ts';

/**
 * Sends a reply.
 *
 * @returns false when the client disconnected before the end of an object.
 */
export async function send(call: Call, reply: Content): Promise<boolean> {
  if ('stream' in reply || 'bytes' in reply) return sendObject(call, reply);
  const { status, json, reads, tag, headers } = reply;
  if (json === undefined) {
    // The answer to HEAD for an object has the length of the object, if storage gave it.
    const isEmpty = status !== 204 && status !== 304 && call.req.method !== 'HEAD';
    call.sendHead(status, { ...headers, ...(isEmpty && { 'Content-Length': '0' }) });
    call.res.end();
    return true;
  }
  const whole = await jsonBytes(json);
  const etag = tag === undefined ? undefined : weakTag(whole, tag.apart);
  if (etag !== undefined && isHeld(etag, call.req.headers['if-none-match'])) {
    call.sendHead(304, { 'Cache-Control': 'no-store', ETag: etag });
    call.res.end();
    return true;
  }
  const mayCompress = call.req.method === 'GET' || reads === true;
  const sent = mayCompress ? await compressed(call.req, whole) : { headers: undefined, body: whole };
  call.sendHead(status, {
    'Cache-Control': 'no-store',
    ...(etag !== undefined && { ETag: etag }),
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    ...sent.headers,
    'Content-Length': String(sent.body.length),
  });
  call.res.end(sent.body);
  return true;
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
function sendObject(call: Call, reply: Extract<Content, { readonly bytes: Buffer } | { readonly stream: Readable }>) {
  const { req, res } = call;
  const sendHead = (): void => call.sendHead(reply.status, reply.headers);
  if ('bytes' in reply) return sendBytes(res, reply.bytes, sendHead);
  if (req.method !== 'HEAD') return sendStream(res, reply.stream, sendHead);
  reply.stream.destroy();
  sendHead();
  res.end();
  return true;
}
