import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** The better encoding comes first. */
const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Bytes. A shorter answer fits in one packet anyway. */
const WORTH_IT = 1_024;
/** Higher levels make a listing hardly smaller and take much longer. */
const BROTLI_LEVEL = 5;
const GZIP_LEVEL = 6;

/**
 * Compresses the body of an answer that contains no credential, if the client supports it, and sets the headers.
 *
 * The size of a compressed answer reveals something about its content to somebody who chooses a part of it and can observe the traffic (BREACH). Therefore,
 * answers to requests that another site causes are never compressed.
 */
export async function compressed(req: Request, res: Response, body: Buffer): Promise<Buffer> {
  res.vary('Accept-Encoding');
  if (body.length < WORTH_IT || !isOwnRequest(req)) return body;
  const encoding = encodingFor(req);
  if (encoding === undefined) return body;
  res.setHeader('Content-Encoding', encoding);
  if (encoding === 'gzip') return gzipped(body, { level: GZIP_LEVEL });
  return brotli(body, {
    params: {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  });
}

/** The best of the available encodings that the client accepts. The client's order is ignored, because browsers name gzip first. */
export function encodingFor(req: Request, isThere: (encoding: Encoding) => boolean = () => true): Encoding | undefined {
  return ENCODINGS.find((each) => isThere(each) && req.acceptsEncodings(each) !== false);
}

/** Browsers report the origin of a request in a header that no page can change. Other clients send no such header, and nobody else controls their requests. */
function isOwnRequest(req: Request): boolean {
  const site = req.headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}
