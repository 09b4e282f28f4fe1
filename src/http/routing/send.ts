import { once } from 'node:events';
import { jsonBytes } from '../../bounds/json-bytes.ts';
import type { Call } from './call.ts';
import { compressed } from './compressed.ts';
import type { Content } from './row.ts';

/**
 * Sends a reply.
 *
 * @returns false when the client disconnected before the end of an object.
 */
export async function send(call: Call, reply: Content): Promise<boolean> {
  if ('stream' in reply) return sendStream(call, reply);
  if ('bytes' in reply) return sendBytes(call, reply);
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
  const { res } = call;
  // Behind another answer on the connection, this one counts for its person until it can be sent. Otherwise one connection could pile up hundreds in memory.
  const isSent = res.socket === null && !res.destroyed ? once(res, 'close') : undefined;
  res.end(sent.body);
  await isSent;
  return true;
}

type Sent<K extends 'bytes' | 'stream'> = Extract<Content, Readonly<Record<K, unknown>>>;

/** Sends a small object. Most clients have it at once. */
function sendBytes(call: Call, { status, headers, bytes }: Sent<'bytes'>): Promise<boolean> | boolean {
  const { res } = call;
  if (res.destroyed) return false;
  call.sendHead(status, headers);
  res.end(bytes);
  if (res.socket !== null && res.writableLength === 0) return true;
  return new Promise((resolve) => void res.once('close', () => resolve(res.writableFinished)));
}

/** Sends a stream as fast as the client takes it. `stream.pipeline` would do the same, but costs more than the rest of a small answer. */
async function sendStream(call: Call, { status, headers, stream }: Sent<'stream'>): Promise<boolean> {
  // A stream that has already failed does not emit its error again.
  if (stream.errored) throw stream.errored;
  const { req, res } = call;
  call.sendHead(status, headers);
  if (req.method === 'HEAD') {
    stream.destroy();
    res.end();
    return true;
  }
  return new Promise((resolve, reject) => {
    // Cuts the answer off, so that the client notices that it is incomplete.
    stream.once('error', (error) => {
      reject(error);
      res.destroy();
    });
    // A client that disconnects is not an error.
    const close = (): void => {
      stream.destroy();
      resolve(res.writableFinished);
    };
    if (res.destroyed) {
      close();
      return;
    }
    res.once('close', close);
    stream.pipe(res);
  });
}
