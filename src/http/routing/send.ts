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
  const { status, json, reads, headers } = reply;
  if (json === undefined) {
    // The answer to HEAD for an object has the length of the object, if storage gave it.
    const isEmpty = status !== 204 && status !== 304 && call.req.method !== 'HEAD';
    call.sendHead(status, { ...headers, ...(isEmpty && { 'Content-Length': '0' }) });
    call.res.end();
    return true;
  }
  const whole = await jsonBytes(json);
  const mayCompress = call.req.method === 'GET' || reads === true;
  const sent = mayCompress ? await compressed(call.req, whole) : { headers: undefined, body: whole };
  call.sendHead(status, {
    'Cache-Control': 'no-store',
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    ...sent.headers,
    'Content-Length': String(sent.body.length),
  });
  call.res.end(sent.body);
  return true;
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
