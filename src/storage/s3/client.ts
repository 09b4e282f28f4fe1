import type { HoldWhile } from '../../bounds/shares.ts';
import type { StopSignal } from '../../bounds/stop-signal.ts';
import { Readable } from 'node:stream';
import { SvcError } from '../../errors/svc-error.ts';
import { StallClock } from '../stall-clock.ts';
import { faultBehind, networkCodeOf, storageError } from '../storage-error.ts';
import { operationOf, outcomeOf, type CallOutcome, type S3Call } from './call.ts';
import { Connections } from './connections.ts';
import { credentialSource, type CredentialSource } from './credentials.ts';
import { Endpoint, type Place } from './endpoint.ts';
import { Exchange, memoryForAnswers, type RawAnswer } from './exchange.ts';
import { S3Fault, type Headers } from './fault.ts';
import { LateBodies } from './late-bodies.ts';
import type { S3Options } from './options.ts';
import type { S3Request } from './request.ts';
import { Sending } from './sending.ts';
import { Signer, type Credentials, type LinkOptions } from './signature.ts';
import { payloadHashOf, wireBodyOf } from './wire-body.ts';
import type { Columns } from '../../xml/alike.ts';
import type { XmlAnswer } from '../../xml/xml.ts';
import { AnswerReader, isDone, unavailable, xmlOf } from './xml-answer.ts';

export type SendOptions = {
  /** Aborts when the client disconnects. */
  readonly signal?: StopSignal | undefined;
  /** Milliseconds for the answer, including retries; by default the connect timeout plus the idle timeout. */
  readonly deadlineMs?: number;
  /** Watches a body that waits for its sender, instead of the deadline. */
  readonly clock?: StallClock;
  /** Takes the memory of a long answer while it is read. */
  readonly hold?: HoldWhile | undefined;
};

/** The answer to a request that S3 carried out: its status is 200 to 206, or 304. */
export type Answer = { readonly status: number; readonly headers: Headers; readonly body: Buffer };

const MAX_ATTEMPTS = 3;
/** The deadline for long work of storage, such as joining parts or copying. Within it, storage must still send something every `idleTimeoutMs`. */
export const LONG_WORK_MS = 15 * 60_000;
const FIRST_PAUSE_MS = 100;
/** Faults of storage that are often gone at the next attempt. */
const PASSING_STATUSES: readonly number[] = [408, 429, 500, 502, 503, 504];
const PASSING_CODES: readonly string[] = ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_PRX_CONN'];
/**
 * Names beneath which some storage has its administration, at the address of S3 and with the signatures of S3. `/minio/admin/v3/export-iam` holds the secrets of
 * everybody, and so do `/admin/metadata/…` of Ceph, which also writes them, and `/riak-cs/user/…` of Riak CS.
 */
const OTHER_INTERFACES: ReadonlySet<string> = new Set(['admin', 'auth', 'minio', 'riak-cs', 'rustfs', 'swift']);

/** `root` is the element that an answer in XML must have; elements with `columns` are read as rows. A body with more than `wholeUpTo` bytes is returned as a stream. */
type Expected = SendOptions & Columned & { readonly root?: string; readonly wholeUpTo?: number };
type Columned = { readonly columns?: Columns };
type ReadAnswer = RawAnswer & { readonly xml?: XmlAnswer | undefined };

/**
 * Talks to one S3 provider: signs and sends requests, retries, limits the time and size of answers, and turns faults into {@link SvcError}s. What a request meets on its
 * way is in this one file, in the order in which it meets it.
 */
export class S3Client {
  readonly #name: string;
  readonly #buckets: readonly string[];
  readonly #endpoint: Endpoint;
  readonly #signer: Signer;
  readonly #credentials: CredentialSource;
  readonly #connections: Connections;
  readonly #memory = memoryForAnswers();
  readonly #lateBodies = new LateBodies();
  readonly #idleMs: number;
  readonly #deadlineMs: number;
  readonly #onCall: ((call: S3Call) => void) | undefined;
  /** The buckets to which requests for objects are known to lead. */
  readonly #proven = new Set<string>();

  /** @param onCall - called for each request that was sent, when it is over. */
  constructor(options: S3Options, onCall?: (call: S3Call) => void) {
    this.#name = options.name;
    this.#buckets = options.buckets ?? [];
    this.#endpoint = new Endpoint(options);
    this.#signer = new Signer(options.region);
    this.#credentials = credentialSource(options.credentials);
    this.#connections = new Connections(options);
    this.#idleMs = options.idleTimeoutMs;
    this.#deadlineMs = options.connectTimeoutMs + options.idleTimeoutMs;
    this.#onCall = onCall;
  }

  /**
   * Sends a request and waits for the whole answer.
   *
   * @throws {SvcError} with the fault that storage answered as its `cause`. When the client disconnected, the reason of `signal`.
   */
  async send(request: S3Request, options: SendOptions = {}): Promise<Answer> {
    return (await this.#send(request, options)) as Answer;
  }

  /**
   * Like {@link send}, for an answer in XML with the given root element. An answer without it is a fault, because it would look like an empty list or a
   * finished copy.
   */
  async ask(request: S3Request, root: string, options: SendOptions & Columned = {}): Promise<XmlAnswer> {
    return (await this.#send(request, { ...options, root })).xml!;
  }

  /**
   * Opens an object. The body is read only as fast as it is consumed, and ends with an error when storage stalls or disconnects. It is a buffer for a 304, or
   * when the answer announces at most `wholeUpTo` bytes.
   */
  open(request: S3Request, signal: StopSignal | undefined, wholeUpTo = -1): Promise<RawAnswer> {
    const clock = new StallClock(this.#idleMs);
    clock.waitForStorage();
    return this.#send(request, { signal, clock, wholeUpTo });
  }

  /**
   * Requires that a request for an object leads to its bucket, where the address alone does not say so. Storage lists a bucket, but no other interface; and where it
   * does not read the bucket's name from the host, it lists something else, and would take a key `other/x` for the object `x` of the bucket `other`.
   *
   * @throws {SvcError} `not_found`, `storage_unavailable`
   */
  async requireBucket({ bucket, key }: Pick<S3Request, 'bucket' | 'key'>, signal?: StopSignal): Promise<void> {
    if (bucket === undefined || key === undefined || this.#proven.has(bucket)) return;
    const mayBeOther = OTHER_INTERFACES.has(bucket);
    if (!mayBeOther && !this.#endpoint.isHost(bucket)) return;
    const query = { 'list-type': '2', 'max-keys': '1' };
    await this.ask({ method: 'GET', bucket, query }, 'ListBucketResult', { signal }).catch((error: unknown) => {
      const status = faultBehind(error)?.status ?? 500;
      if (mayBeOther && status < 500)
        throw new SvcError('not_found', { detail: 'there is no such bucket', cause: error });
      // Credentials that may not list may still read.
      if (mayBeOther || status !== 403) throw error;
    });
    this.#proven.add(bucket);
  }

  /**
   * Signs a link without sending anything. `endsAt` is in milliseconds since the epoch; it is earlier than requested when the credentials are known to end
   * earlier.
   */
  async link(request: S3Request, options: LinkOptions): Promise<{ readonly url: string; readonly endsAt: number }> {
    const credentials = await Promise.resolve()
      .then(this.#credentials)
      .catch((error: unknown) => {
        throw storageError(this.#name, error);
      });
    const { origin, host, path, query } = this.#endpoint.placeOf(request);
    // Storage counts from the full second that the link names.
    const now = Math.floor(Date.now() / 1000) * 1000;
    const url = `${origin}${path}?${this.#signer.signQuery({ method: request.method, host, path, query }, options, credentials, now)}`;
    return { url, endsAt: Math.min(now + options.expiresIn * 1000, credentials.expiration?.getTime() ?? Infinity) };
  }

  /** Sends a request with a link only, without credentials. */
  async useLink(link: string, method: S3Request['method'], headers: Readonly<Record<string, string>>): Promise<Answer> {
    const { origin, host, pathname, search } = new URL(link);
    const exchange = new Exchange({ memory: this.#memory });
    const timer = setTimeout(() => exchange.abort(tooSlow()), this.#deadlineMs);
    try {
      this.#connections.questions.dispatch(
        { origin, path: pathname + search, method, headers: { host, 'content-length': '0', ...headers } },
        exchange,
      );
      return (await exchange.answer) as Answer;
    } catch (error) {
      throw storageError(this.#name, error);
    } finally {
      clearTimeout(timer);
      exchange.leave();
    }
  }

  /** Closes every connection, including those in use. */
  close(): void {
    this.#connections.close();
  }

  async #send(request: S3Request, expected: Expected): Promise<ReadAnswer> {
    const { signal, deadlineMs = this.#deadlineMs, clock } = expected;
    signal?.throwIfAborted();
    const since = performance.now();
    const { body } = request;
    const sending = new Sending({
      signal,
      clock,
      deadlineMs,
      faultOf: (error) =>
        storageError(
          this.#name,
          error,
          this.#buckets.find((bucket) => bucket === request.bucket),
        ),
      tooSlow: () => storageError(this.#name, tooSlow()),
    });
    if (body instanceof Readable) sending.stopWith(body);
    let outcome: CallOutcome = 'ok';
    let opened: Readable | undefined;
    try {
      await this.requireBucket(request, signal);
      const place = this.#endpoint.placeOf(request);
      const attempts = body instanceof Readable ? 1 : MAX_ATTEMPTS;
      let mayBeDone = false;
      for (let attempt = 1; ; attempt++) {
        try {
          const answer = await this.#sendOnce(request, place, sending, expected, mayBeDone);
          if (!Buffer.isBuffer(answer.body)) opened = answer.body;
          return answer;
        } catch (error) {
          if (attempt === attempts || sending.isStopped || !isPassing(error)) throw error;
          mayBeDone ||= !isUntouched(error);
        }
        await sending.pause(Math.random() * FIRST_PAUSE_MS * 2 ** (attempt - 1));
      }
    } catch (error) {
      const fault = sending.faultOf(error);
      outcome = outcomeOf(fault, signal);
      throw fault;
    } finally {
      this.#onCall?.({
        provider: this.#name,
        operation: operationOf(request),
        outcome,
        seconds: (performance.now() - since) / 1000,
      });
      sending.end(opened);
      if (body instanceof Readable) body.destroy();
    }
  }

  /** Makes one attempt. */
  async #sendOnce(
    request: S3Request,
    place: Place,
    sending: Sending,
    { clock, root, wholeUpTo, columns, hold }: Expected,
    mayBeDone: boolean,
  ): Promise<ReadAnswer> {
    const stream = wholeUpTo === undefined ? undefined : clock;
    const reader = root === undefined ? undefined : new AnswerReader(columns);
    // By TLS, the end of the handshake waits for an acknowledgement in the same way, and a new connection gains nothing.
    const isClosing = request.method === 'GET' && place.origin.startsWith('http:') && this.#lateBodies.mayClose();
    const exchange = new Exchange({
      memory: this.#memory,
      stream,
      reader,
      hold,
      isHead: request.method === 'HEAD',
      onBody: (ms) => this.#lateBodies.came(ms, isClosing),
      wholeUpTo,
      faultOf: (error) => sending.faultOf(error),
    });
    try {
      sending.begin(exchange);
      const source = this.#credentials();
      // A configured access key is used at once, because another turn of the event loop costs time. Other credentials may never arrive; the exchange can be
      // stopped meanwhile.
      const credentials =
        source instanceof Promise ? ((await Promise.race([source, exchange.answer])) as Credentials) : source;
      const sent = this.#dispatch(request, place, credentials, exchange, {
        idleMs: clock === undefined ? this.#idleMs : 0,
        isClosing,
      });
      const answer = await exchange.answer;
      if (answer.status < 300 && sent instanceof Readable && !sent.readableEnded)
        throw unavailable(this.#name, 'answered before it had the whole body; try again');
      const { body } = answer;
      if (!Buffer.isBuffer(body) || (root === undefined && isDone(answer))) return answer;
      return { ...answer, xml: xmlOf(this.#name, answer, reader ?? AnswerReader.of(body), root, mayBeDone) };
    } finally {
      exchange.leave();
    }
  }

  /** @returns the body as it is sent. */
  #dispatch(
    { method, headers = {}, body }: S3Request,
    { origin, host, path, query }: Place,
    credentials: Credentials,
    exchange: Exchange,
    { idleMs, isClosing }: { readonly idleMs: number; readonly isClosing: boolean },
  ): Buffer | Readable | null {
    const sent: Record<string, string> = {};
    for (const name in headers) {
      const value = headers[name];
      if (value !== undefined) sent[name] = value;
    }
    if (Buffer.isBuffer(body)) sent['content-length'] = String(body.length);
    this.#signer.sign({ method, host, path, query }, sent, payloadHashOf(body), credentials, Date.now());
    const isBody = body !== undefined || (method === 'GET' && idleMs === 0);
    const target = query === '' ? path : `${path}?${query}`;
    const wireBody = wireBodyOf(body);
    (isBody ? this.#connections.bodies : this.#connections.questions).dispatch(
      {
        origin,
        path: target,
        method,
        headers: sent,
        body: wireBody,
        headersTimeout: idleMs,
        bodyTimeout: idleMs,
        // Whether the connection is closed after the answer. Unless told, undici closes it after each HEAD.
        reset: isClosing,
      },
      exchange,
    );
    return wireBody;
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof S3Fault
    ? PASSING_STATUSES.includes(error.status) || error.name === 'RequestTimeout'
    : PASSING_CODES.includes(networkCodeOf(error));
}

/** Whether the request was certainly not carried out: storage was not reached, or says that it has too much to do or did not get the whole request. */
function isUntouched(error: unknown): boolean {
  return error instanceof S3Fault
    ? error.status === 408 || error.status === 429 || ['SlowDown', 'RequestTimeout'].includes(error.name)
    : networkCodeOf(error) === 'ECONNREFUSED';
}

/** The error when storage takes longer to answer than the configuration allows. */
function tooSlow(): Error {
  return new DOMException('storage is too slow', 'TimeoutError');
}
