import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import accepts from 'accepts';

/** The better encoding comes first. */
const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];
type Compressed = { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer };

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Bytes. A shorter answer fits in one packet anyway. */
export const WORTH_IT = 1_024;
/** Caches must not give an answer that may be compressed to every client. */
export const VARY = { Vary: 'Accept-Encoding' };
/** Higher levels make a listing hardly smaller and take much longer. */
const BROTLI_LEVEL = 5;
const GZIP_LEVEL = 6;

/**
 * Compresses the body of an answer that contains no credential, if the client supports it.
 *
 * The size of a compressed answer reveals something about its content to somebody who chooses a part of it and can observe the traffic (BREACH). Therefore,
 * answers to requests that another site causes are never compressed.
 *
 * @returns the headers that say so, with the body.
 */
export async function compressed(req: IncomingMessage, body: Buffer): Promise<Compressed> {
  const encoding = body.length < WORTH_IT || !isOwnRequest(req) ? undefined : encodingFor(req);
  return encoded(body, encoding);
}

/** Compresses a body that is the same for everybody, once for each encoding, however many clients do not read it. */
export function compressedOnce(body: () => Buffer): (req: IncomingMessage) => Promise<Compressed> {
  const made = new Map<Encoding | undefined, Promise<Compressed>>();
  return (req) => {
    const encoding = encodingFor(req);
    const answer = made.get(encoding) ?? encoded(body(), encoding);
    made.set(encoding, answer);
    return answer;
  };
}

async function encoded(body: Buffer, encoding: Encoding | undefined): Promise<Compressed> {
  if (encoding === undefined) return { headers: VARY, body };
  const smaller = encoding === 'gzip' ? gzipped(body, { level: GZIP_LEVEL }) : brotli(body, brotliOptions(body.length));
  return { headers: { ...VARY, 'Content-Encoding': encoding }, body: await smaller };
}

function brotliOptions(bytes: number): { params: Record<number, number> } {
  return {
    params: {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes,
    },
  };
}

/** The best of the available encodings that the client accepts. The client's order is ignored, because browsers name gzip first. */
export function encodingFor(
  req: IncomingMessage,
  isThere: (encoding: Encoding) => boolean = () => true,
): Encoding | undefined {
  if (req.headers['accept-encoding'] === undefined) return undefined;
  return ENCODINGS.find((each) => isThere(each) && accepts(req).encodings(each) !== false);
}

/** Browsers report the origin of a request in a header that no page can change. Other clients send no such header, and nobody else controls their requests. */
function isOwnRequest(req: IncomingMessage): boolean {
  const site = req.headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}
