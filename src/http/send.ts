import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { jsonBytes } from '../bounds/json-bytes.ts';
import type { Reply } from './row.ts';

/** Sends a reply. @returns false when the client went away before the end of a stream. */
export async function send(req: Request, res: Response, reply: Reply): Promise<boolean> {
  if ('redirect' in reply) {
    res.set('Cache-Control', 'no-store');
    // `res.redirect` would also write a page with the address, which may hold an ID token.
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
    try {
      await pipeline(reply.stream, res);
      return true;
    } catch (error) {
      // The client went away, which is no fault of ours.
      if (res.destroyed && isPrematureClose(error)) return false;
      throw error;
    }
  }
  if (reply.json === undefined) res.end();
  else {
    if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', 'no-store');
    res.setHeader('Content-Type', 'application/json; charset=utf-8');
    res.end(await jsonBytes(reply.json));
  }
  return true;
}

function isPrematureClose(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && (error.code === 'ERR_STREAM_PREMATURE_CLOSE' || error.code === 'ABORT_ERR');
}
