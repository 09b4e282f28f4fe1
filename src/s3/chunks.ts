import { createHash, createHmac, timingSafeEqual, type Hash } from 'node:crypto';
import { s3Fault } from './fault.ts';
import { sha256, type Verified } from './signature.ts';

const NOTHING_HASHED = sha256('');
const MAX_LINE_BYTES = 8_192;
const MAX_TRAILERS = 4;
/** The smallest chunk that is signed, but for the last two. Each costs two hashes. */
const MIN_SIGNED_BYTES = 8_192;
const CRLF = Buffer.from('\r\n');

/** A chunk, or what follows the last one. */
type Step = 'size' | 'data' | 'data-end' | 'trailer' | 'over';

/**
 * Takes the framing of `aws-chunked` off a body, and verifies the signature of each chunk and of the trailers.
 *
 * A chunk may not be longer than what is left of the announced length.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html
 */
export class ChunkDecoder {
  readonly trailers = new Map<string, string>();
  readonly #verified: Verified | undefined;
  /** The body's bytes that have not come yet. */
  #bytesLeft: number;
  #step: Step = 'size';
  #line: Buffer = Buffer.alloc(0);
  #chunkLeft = 0;
  #isSmall = false;
  #hash: Hash | undefined;
  #signature = '';
  #last: string;

  /** @param verified - the signature of the request; undefined for chunks without signatures. @param bytes - the announced length of the body. */
  constructor(bytes: number, verified: Verified | undefined) {
    this.#bytesLeft = bytes;
    this.#verified = verified;
    this.#last = verified?.signature ?? '';
  }

  /** The parts of the body in these bytes. @throws {SvcError} a fault of S3. */
  decode(bytes: Buffer): Buffer[] {
    const body: Buffer[] = [];
    let at = 0;
    while (at < bytes.length) {
      if (this.#step === 'over') throw malformed('something follows the last chunk');
      if (this.#step === 'data') {
        const taken = bytes.subarray(at, at + this.#chunkLeft);
        this.#take(taken);
        body.push(taken);
        at += taken.length;
        continue;
      }
      const end = bytes.indexOf(0x0a, at);
      const piece = bytes.subarray(at, end === -1 ? bytes.length : end + 1);
      if (this.#line.length + piece.length > MAX_LINE_BYTES) throw malformed('a line between the chunks is too long');
      this.#line = this.#line.length === 0 ? Buffer.from(piece) : Buffer.concat([this.#line, piece]);
      at += piece.length;
      if (end === -1) break;
      if (!this.#line.subarray(-2).equals(CRLF)) throw malformed('a line between the chunks does not end with CRLF');
      const line = this.#line.toString('latin1', 0, this.#line.length - 2);
      this.#line = Buffer.alloc(0);
      this.#read(line);
    }
    return body;
  }

  /** @throws {SvcError} `IncompleteBody`: the body broke off. */
  end(): void {
    if (this.#step !== 'over') throw s3Fault('IncompleteBody', 'the body ended before its last chunk');
  }

  #read(line: string): void {
    switch (this.#step) {
      case 'size':
        this.#beginChunk(line);
        return;
      case 'data-end':
        if (line !== '') throw malformed('a chunk is longer than its size');
        this.#endChunk();
        this.#step = 'size';
        return;
      default:
        if (line === '') this.#endTrailers();
        else this.#readTrailer(line);
    }
  }

  #beginChunk(line: string): void {
    const [, size, signature] =
      (this.#verified === undefined
        ? /^([0-9a-f]{1,10})$/i
        : /^([0-9a-f]{1,10});chunk-signature=([0-9a-f]{64})$/i
      ).exec(line) ?? [];
    if (size === undefined) throw malformed('a chunk does not begin with its size and its signature');
    const bytes = Number.parseInt(size, 16);
    if (bytes > this.#bytesLeft)
      throw s3Fault('IncompleteBody', 'the chunks hold more bytes than `x-amz-decoded-content-length`');
    this.#signature = signature ?? '';
    if (this.#verified !== undefined) this.#hash = createHash('sha256');
    if (bytes === 0) {
      if (this.#bytesLeft > 0)
        throw s3Fault('IncompleteBody', 'the chunks hold fewer bytes than `x-amz-decoded-content-length`');
      this.#endChunk();
      this.#step = 'trailer';
      return;
    }
    if (this.#verified !== undefined && this.#isSmall)
      throw s3Fault('InvalidChunkSizeError', `a chunk that is not the last has less than ${MIN_SIGNED_BYTES} bytes`);
    this.#isSmall = bytes < MIN_SIGNED_BYTES;
    this.#chunkLeft = bytes;
    this.#step = 'data';
  }

  #take(bytes: Buffer): void {
    this.#hash?.update(bytes);
    this.#chunkLeft -= bytes.length;
    this.#bytesLeft -= bytes.length;
    if (this.#chunkLeft === 0) this.#step = 'data-end';
  }

  #endChunk(): void {
    if (this.#hash === undefined) return;
    this.#verify('AWS4-HMAC-SHA256-PAYLOAD', `${NOTHING_HASHED}\n${this.#hash.digest('hex')}`, this.#signature);
    this.#hash = undefined;
  }

  #readTrailer(line: string): void {
    const at = line.indexOf(':');
    const name = line.slice(0, at).trim().toLowerCase();
    if (at < 1 || this.trailers.has(name) || this.trailers.size === MAX_TRAILERS)
      throw malformed('a trailer is not `name:value`, or is there twice');
    this.trailers.set(name, line.slice(at + 1).trim());
  }

  #endTrailers(): void {
    this.#step = 'over';
    const signature = this.trailers.get('x-amz-trailer-signature');
    this.trailers.delete('x-amz-trailer-signature');
    if (this.#verified === undefined || this.trailers.size === 0) return;
    const canonical = [...this.trailers].map(([name, value]) => `${name}:${value}\n`).join('');
    this.#verify('AWS4-HMAC-SHA256-TRAILER', sha256(canonical, 'latin1'), signature ?? '');
  }

  #verify(algorithm: string, hashed: string, given: string): void {
    const { key, stamp, scope } = this.#verified!;
    const expected = createHmac('sha256', key)
      .update(`${algorithm}\n${stamp}\n${scope}\n${this.#last}\n${hashed}`)
      .digest();
    if (!/^[0-9a-f]{64}$/i.test(given) || !timingSafeEqual(expected, Buffer.from(given, 'hex')))
      throw s3Fault(
        'SignatureDoesNotMatch',
        'the signature of a chunk, or of the trailer, is not the one of its bytes',
      );
    this.#last = expected.toString('hex');
  }
}

function malformed(detail: string): Error {
  return s3Fault('IncompleteBody', detail);
}
