import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { jsonBytes } from '../bounds/json-bytes.ts';
import type { Reply } from './row.ts';

/** Sends a reply. @returns false when the client went away before it had all of a stream. */
export async function send(req: Request, res: Response, reply: Reply): Promise<boolean> {
  if ('redirect' in reply) {
    res.set('Cache-Control', 'no-store');
    // Without the page that Express would write: it repeats the address, which may hold an ID Token.
    res.status(303).location(reply.redirect).end();
    return true;
  }
  res.status(reply.status);
  // Not `res.set`: it would write a charset into a type that is stored without one, and `false` for one that it does not know.
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
      // A reader that went away is no fault of ours.
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
