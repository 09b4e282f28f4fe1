import { Transform, type Readable, type TransformCallback } from 'node:stream';
import { Collected, ROOM_BYTES } from '../bounds/collected.ts';
import { UNSIGNED_PAYLOAD } from '../sigv4/sigv4.ts';
import { beginChecksum, isChecksum, ofHash, readDigest, type Checksum } from './checksum.ts';
import { ChunkDecoder } from './chunks.ts';
import { s3Fault, type S3FaultCode } from './fault.ts';
import type { S3Request } from './request.ts';
import type { Verified } from './signature.ts';

const SIGNED_CHUNKS = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD';
const SIGNED_CHUNKS_AND_TRAILER = `${SIGNED_CHUNKS}-TRAILER`;
const CHUNKS_AND_TRAILER = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
/** The checksum of nothing, which the SDK for JavaScript puts into every link to upload. */
const OF_NOTHING = 'AAAAAA==';

/** What a request says of its body. */
export type PayloadForm = {
  /** Bytes, without the framing of chunks. */
  readonly size: number;
  readonly chunks: 'none' | 'signed' | 'unsigned';
  /** The name of the checksum in the trailer. */
  readonly trailer: string | undefined;
  /** What the body has to have, by the name of its header. */
  readonly digests: readonly Expected[];
};

type Expected = { readonly name: string; readonly digest: Buffer; readonly fault: S3FaultCode };

/**
 * Reads what a request says of its body.
 *
 * @throws {SvcError} a fault of S3.
 */
export function readForm(request: S3Request, payloadHash: string): PayloadForm {
  const digests = digestsOf(request, payloadHash);
  const isChunked = payloadHash.startsWith('STREAMING-');
  if (isChunked && ![SIGNED_CHUNKS, SIGNED_CHUNKS_AND_TRAILER, CHUNKS_AND_TRAILER].includes(payloadHash))
    throw s3Fault('NotImplemented', 'the form of the body that `x-amz-content-sha256` names is not supported');
  const trailer = request.header('x-amz-trailer')?.toLowerCase();
  const hasTrailer = payloadHash.endsWith('-TRAILER');
  if (
    hasTrailer !== (trailer !== undefined) ||
    (trailer !== undefined && (!isChecksum(trailer) || trailer === 'content-md5'))
  )
    throw s3Fault('InvalidRequest', '`x-amz-trailer` names the one checksum of a body with a trailer');
  const sums = digests.filter(({ name }) => name.startsWith('x-amz-checksum-'));
  if (sums.length + (trailer === undefined ? 0 : 1) > 1)
    throw s3Fault('InvalidRequest', 'a request has one checksum, in a header or in its trailer');
  checkNamed(request, sums[0]?.name ?? trailer);
  const size = sizeOf(request, isChunked);
  if (!isChunked && Number(request.header('x-amz-decoded-content-length') ?? size) !== size)
    throw s3Fault('InvalidRequest', '`x-amz-decoded-content-length` is not the length of the body');
  return {
    size,
    chunks: payloadHash === CHUNKS_AND_TRAILER ? 'unsigned' : isChunked ? 'signed' : 'none',
    trailer,
    digests,
  };
}

function digestsOf(request: S3Request, payloadHash: string): Expected[] {
  const digests: Expected[] = [];
  for (const name of request.fieldNames()) {
    if (!isChecksum(name)) {
      if (name.startsWith('x-amz-checksum-') && !DESCRIBING.has(name))
        throw s3Fault('InvalidRequest', `\`${name}\` is no checksum that this service knows`);
      continue;
    }
    const value = request.header(name)!;
    if (request.isQuerySigned && value === OF_NOTHING && name === 'x-amz-checksum-crc32') continue;
    const digest = readDigest(name, value);
    if (digest === undefined)
      throw name === 'content-md5'
        ? s3Fault('InvalidDigest', '`Content-MD5` is no MD5 in base64')
        : s3Fault('InvalidRequest', `\`${name}\` is no such checksum in base64`);
    digests.push({ name, digest, fault: 'BadDigest' });
  }
  if (/^[0-9a-f]{64}$/.test(payloadHash))
    digests.push({ name: 'sha256', digest: Buffer.from(payloadHash, 'hex'), fault: 'XAmzContentSHA256Mismatch' });
  else if (payloadHash !== UNSIGNED_PAYLOAD && !payloadHash.startsWith('STREAMING-'))
    throw s3Fault('InvalidArgument', '`x-amz-content-sha256` is no SHA-256 and no form of a body');
  return digests;
}

/** These say something of checksums, and are none. */
const DESCRIBING = new Set(['x-amz-checksum-algorithm', 'x-amz-checksum-mode', 'x-amz-checksum-type']);

/** @param sum - the name of the checksum that the request has. */
function checkNamed(request: S3Request, sum: string | undefined): void {
  const named = request.header('x-amz-sdk-checksum-algorithm');
  if (named === undefined || sum === undefined || `x-amz-checksum-${named.toLowerCase()}` === sum) return;
  throw s3Fault('InvalidRequest', '`x-amz-sdk-checksum-algorithm` names another checksum than the request has');
}

function sizeOf(request: S3Request, isChunked: boolean): number {
  const length = request.header(isChunked ? 'x-amz-decoded-content-length' : 'content-length');
  if (length === undefined && !isChunked && request.header('transfer-encoding') === undefined) return 0;
  if (length === undefined || !/^\d{1,15}$/.test(length))
    throw s3Fault(
      'MissingContentLength',
      isChunked ? 'a body in chunks needs `x-amz-decoded-content-length`' : 'the request needs `Content-Length`',
    );
  return Number(length);
}

/** Takes the framing off a body, and verifies everything that the request says of it. */
export class Framing {
  readonly #form: PayloadForm;
  readonly #decoder: ChunkDecoder | undefined;
  readonly #sums: readonly (Expected & { readonly sum: Checksum })[];
  readonly #trailing: Checksum | undefined;

  constructor(form: PayloadForm, verified: Verified) {
    this.#form = form;
    if (form.chunks !== 'none')
      this.#decoder = new ChunkDecoder(form.size, form.chunks === 'signed' ? verified : undefined);
    this.#sums = form.digests.map((expected) => ({
      ...expected,
      sum: expected.name === 'sha256' ? ofHash('sha256') : beginChecksum(expected.name),
    }));
    this.#trailing = form.trailer === undefined ? undefined : beginChecksum(form.trailer);
  }

  /** The bytes of the body in what came. @throws {SvcError} a fault of S3. */
  take(bytes: Buffer): Buffer {
    const piece = this.#decoder === undefined ? bytes : Buffer.concat(this.#decoder.decode(bytes));
    if (piece.length === 0) return piece;
    for (const { sum } of this.#sums) sum.update(piece);
    this.#trailing?.update(piece);
    return piece;
  }

  /** Verifies the body when all of it has come. @throws {SvcError} a fault of S3. */
  async end(): Promise<void> {
    this.#decoder?.end();
    for (const { name, digest, fault, sum } of this.#sums)
      if (!digest.equals(await sum.digest())) throw s3Fault(fault, `the body is not the one of its \`${name}\``);
    const { trailer } = this.#form;
    if (this.#decoder === undefined || trailer === undefined) {
      if ((this.#decoder?.trailers.size ?? 0) > 0)
        throw s3Fault('InvalidRequest', 'the body has a trailer that it does not announce');
      return;
    }
    const { trailers } = this.#decoder;
    const digest = readDigest(trailer, trailers.get(trailer) ?? '');
    if (trailers.size !== 1 || digest === undefined || !digest.equals(await this.#trailing!.digest()))
      throw s3Fault('BadDigest', `the body is not the one of the \`${trailer}\` in its trailer`);
  }
}

/**
 * The body of a request without its framing. Its last bytes come only when everything that the request says of it has been verified, so that a body that is
 * wrong is never complete.
 */
export class Payload extends Transform {
  readonly #framing: Framing;
  /** The last piece, or small ones together. */
  #held = new Collected();

  constructor(framing: Framing) {
    super();
    this.#framing = framing;
    // A fault that comes when nobody reads any more must not become an uncaught error.
    this.on('error', () => undefined);
  }

  /** Reads from a request until its end. */
  from(source: Readable): this {
    source.once('error', (error) => this.destroy(error));
    source.once('close', () => {
      if (!source.readableEnded) this.destroy(source.errored ?? s3Fault('IncompleteBody', 'the body broke off'));
    });
    if (source.destroyed) this.destroy(s3Fault('IncompleteBody', 'the body broke off'));
    return source.pipe(this);
  }

  override _transform(bytes: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      this.#take(this.#framing.take(bytes));
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  override _flush(done: TransformCallback): void {
    this.#framing.end().then(
      () => done(null, this.#takeHeld()),
      (error: unknown) => done(error as Error),
    );
  }

  #take(piece: Buffer): void {
    if (piece.length === 0) return;
    if (this.#held.bytes > 0 && this.#held.bytes + piece.length > ROOM_BYTES) this.push(this.#takeHeld());
    this.#held.add(piece);
  }

  #takeHeld(): Buffer | undefined {
    const held = this.#held;
    this.#held = new Collected();
    return held.bytes === 0 ? undefined : held.join();
  }
}
