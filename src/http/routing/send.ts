import type { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import { jsonBytes } from '../../bounds/json-bytes.ts';
import { compressed } from './compressed.ts';
import type { Reply } from './row.ts';

/**
 * Sends a reply.
 *
 * @returns false when the client disconnected before the end of a stream.
 */
export async function send(req: Request, res: Response, reply: Reply): Promise<boolean> {
  // A stream that has already failed does not emit its error again.
  if ('stream' in reply && reply.stream.errored) throw reply.stream.errored;
  if ('redirect' in reply) {
    res.set('Cache-Control', 'no-store');
    // `res.redirect` would also write a page with the address, which may contain an ID token.
    res.status(303).location(reply.redirect).end();
    return true;
  }
  res.status(reply.status);
  // `res.set` would add a charset to a stored type that has none, and write `false` for a type that it does not know.
  for (const [name, value] of Object.entries(reply.headers ?? {})) res.setHeader(name, value);
  if ('stream' in reply) {
    if (req.method === 'HEAD') {
      reply.stream.destroy();
      res.end();
      return true;
    }
    return sendStream(res, reply.stream);
  }
  if (reply.json === undefined) res.end();
  else {
    if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', 'no-store');
    res.setHeader('Content-Type', 'application/json; charset=utf-8');
    const body = await jsonBytes(reply.json);
    res.end(req.method === 'GET' || reply.reads === true ? await compressed(req, res, body) : body);
  }
  return true;
}

/** Sends a stream as fast as the client takes it. `stream.pipeline` would do the same, but costs more than the rest of a small answer. */
function sendStream(res: Response, stream: Readable): Promise<boolean> {
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
