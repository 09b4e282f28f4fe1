import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { refuseFault, slowBody } from '../../access/invalid.ts';
import { Collected } from '../../bounds/collected.ts';
import { withDeadline } from '../../bounds/deadline.ts';
import { jsonExcess } from '../../bounds/json-excess.ts';
import { SvcError } from '../../errors/svc-error.ts';
import { asSvcError } from './problem.ts';

/**
 * Reads and parses the body of a request.
 *
 * @returns its bytes.
 * @throws {SvcError} `invalid_request`, `payload_too_large`, `unsupported_media_type`.
 */
export type ReadBody = (req: IncomingMessage & { readonly body?: unknown }, res: ServerResponse) => Promise<number>;

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
    const reading = run(parse, req, res, maxBodyBytes);
    const bytes = await withDeadline(reading, deadlineMs, () => late).catch((error: unknown) => {
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
    return bytes;
  };
}

/** A request as the parsers leave it. */
type Read = IncomingMessage & { body?: unknown; bytes?: number };

/** @param body - without its compression. */
function refuseExcess(req: Read, _res: unknown, body: Buffer): void {
  req.bytes = body.length;
  // The check only looks for ASCII characters, and UTF-8 never uses their bytes inside other characters.
  refuseFault('body', jsonExcess(body.toString('latin1')));
}

/** The parsers of Express would keep each piece of a body, so they get the body in one; of a body that is too large they get enough to tell. */
async function run(parse: RequestHandler, req: Read, res: ServerResponse, maxBytes: number): Promise<number> {
  const length = Number(req.headers['content-length']);
  // One that says that it is too large is refused before it is read.
  const read =
    length <= SMALL_BYTES || length > maxBytes
      ? req
      : Object.assign(await copyOf(req, maxBytes), { headers: req.headers, body: undefined, bytes: 0 });
  await new Promise<void>((resolve, reject) => {
    const next = (error?: Error) => (error === undefined ? resolve() : reject(asSvcError(error)));
    void parse(read as unknown as Request, res as Response, next as NextFunction);
  });
  req.body = read.body;
  return read.bytes ?? 0;
}

/** A body up to this size is small whatever its pieces are. */
const SMALL_BYTES = 16_384;

function copyOf(req: IncomingMessage, maxBytes: number): Promise<Readable> {
  const whole = new Collected();
  return new Promise((resolve, reject) => {
    const done = (): void => {
      req.off('data', add).off('end', done).off('close', brokenOff);
      resolve(Readable.from([whole.join()], { objectMode: false }));
    };
    const add = (piece: Buffer): void => {
      whole.add(piece);
      if (whole.bytes > maxBytes) {
        done();
        req.resume();
      }
    };
    const brokenOff = (): void => reject(new SvcError('invalid_request', { detail: 'the body broke off' }));
    req.on('data', add).once('end', done).once('close', brokenOff);
    if (req.destroyed) brokenOff();
  });
}
