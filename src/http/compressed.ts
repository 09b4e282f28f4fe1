import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** The better one comes first. */
const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Bytes; a shorter answer fits in one packet anyway. */
const WORTH_IT = 1_024;
/** From these levels on, a listing becomes little smaller and takes much longer. */
const BROTLI_LEVEL = 5;
const GZIP_LEVEL = 6;

/**
 * The body of an answer that holds no credential, compressed where the client reads that. Sets the headers that say so.
 *
 * The size of a compressed answer tells something about its content to whoever chooses a part of it and sees the bytes pass (BREACH). What another site makes a browser ask for is therefore never
 * compressed.
 */
export async function compressed(req: Request, res: Response, body: Buffer): Promise<Buffer> {
  res.vary('Accept-Encoding');
  if (body.length < WORTH_IT || !isOwnRequest(req)) return body;
  const encoding = encodingFor(req);
  if (encoding === undefined) return body;
  res.setHeader('Content-Encoding', encoding);
  if (encoding === 'gzip') return gzipped(body, { level: GZIP_LEVEL });
  return brotli(body, { params: { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT, [constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL, [constants.BROTLI_PARAM_SIZE_HINT]: body.length } });
}

/** The best encoding that the client reads, among those that are there. Browsers name gzip first, out of habit. */
export function encodingFor(req: Request, isThere: (encoding: Encoding) => boolean = () => true): Encoding | undefined {
  return ENCODINGS.find((each) => isThere(each) && req.acceptsEncodings(each) !== false);
}

/** Browsers say where a request comes from, and no page can change it. Other clients say nothing, and nobody else chooses what they ask for. */
function isOwnRequest(req: Request): boolean {
  const site = req.headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}
