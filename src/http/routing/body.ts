import { setImmediate as turn } from 'node:timers/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { refuseFault, slowBody } from '../../access/invalid.ts';
import { withDeadline } from '../../bounds/deadline.ts';
import { jsonExcess } from '../../bounds/json-excess.ts';
import { SvcError } from '../../errors/svc-error.ts';
import { asSvcError } from './problem.ts';

/**
 * Reads and parses the body of a request.
 *
 * @throws {SvcError} `invalid_request`, `payload_too_large`, `unsupported_media_type`.
 */
export type ReadBody = (req: IncomingMessage & { readonly body?: unknown }, res: ServerResponse) => Promise<void>;

type BodyOf = {
  readonly bodyType: 'application/json' | 'application/x-www-form-urlencoded';
  readonly maxBodyBytes: number;
};

/** @param deadlineMs - after this time a body that has not arrived is refused and its connection closed, so that a slow sender cannot hold it forever. */
export function bodyReader({ bodyType, maxBodyBytes }: BodyOf, deadlineMs: number): ReadBody {
  const options = { limit: maxBodyBytes, type: bodyType };
  const parse =
    bodyType === 'application/json'
      ? express.json({ ...options, verify: refuseExcess })
      : express.urlencoded({ ...options, extended: false });
  return async (req, res) => {
    const late = slowBody(deadlineMs);
    await withDeadline(run(parse, req, res), deadlineMs, () => late).catch((error: unknown) => {
      if (error === late) res.setHeader('Connection', 'close');
      throw error;
    });
    const unread =
      req.body === undefined &&
      (req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0);
    if (unread && bodyType === 'application/json')
      throw new SvcError('unsupported_media_type', { detail: `send the body as \`${bodyType}\`` });
    // Parsing a large body takes long, so let other requests run.
    await turn();
  };
}

function refuseExcess(_req: unknown, _res: unknown, body: Buffer): void {
  // The check only looks for ASCII characters, and UTF-8 never uses their bytes inside other characters.
  refuseFault('body', jsonExcess(body.toString('latin1')));
}

/** The parsers of Express need nothing of it. */
function run(parse: RequestHandler, req: IncomingMessage, res: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const next = (error?: Error) => (error === undefined ? resolve() : reject(asSvcError(error)));
    void parse(req as Request, res as Response, next as NextFunction);
  });
}
