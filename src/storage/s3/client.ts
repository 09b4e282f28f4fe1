import { Readable } from 'node:stream';
import { hash } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, EnvHttpProxyAgent, type Dispatcher } from 'undici';
import { SvcError } from '../../errors/svc-error.ts';
import { ownTurn } from '../own-turn.ts';
import { StallClock } from '../stall-clock.ts';
import { networkCodeOf, storageError } from '../storage-error.ts';
import { operationOf, outcomeOf, type CallOutcome, type S3Call } from './call.ts';
import { credentialSource, type CredentialSource } from './credentials.ts';
import { Exchange, type RawAnswer } from './exchange.ts';
import { S3Fault, type Headers } from './fault.ts';
import type { S3Options } from './options.ts';
import type { S3Request } from './request.ts';
import { pathOf, queryOf, Signer, UNSIGNED_PAYLOAD, type Credentials, type LinkOptions } from './signature.ts';
import { readXml, XmlFault, type XmlAnswer } from './xml.ts';

export type SendOptions = {
  /** Aborts when the client disconnects. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the answer, including retries; by default the connect timeout plus the idle timeout. */
  readonly deadlineMs?: number;
  /** Watches a body that waits for its sender, instead of the deadline. */
  readonly clock?: StallClock;
};

/** The answer to a request that S3 carried out: its status is 200 to 206, or 304. */
export type Answer = { readonly status: number; readonly headers: Headers; readonly body: Buffer };

/**
 * How many sockets the process has to one provider for questions and for bodies. They are separate, so that slow downloads never delay a listing. There are more
 * for questions than people may have under way, because a large copy asks for four parts at once, and a listing under many rules for several pages.
 */
const QUESTION_SOCKETS = 256;
export const BODY_SOCKETS = 512;
/** How long an idle socket is kept: shorter than servers keep it, so that a body, which cannot be sent twice, is not sent on a closing connection. */
const IDLE_SOCKET_MS = 4000;
/** Larger bodies are not hashed, because that would delay other requests. */
const MAX_HASHED_BYTES = 1_048_576;
/** The size of the slices in which a body is sent. As much may wait for the network. */
const SLICE_BYTES = 262_144;
const MAX_ATTEMPTS = 3;
/** The deadline for long work of storage, such as joining parts or copying. Within it, storage must still send something every `idleTimeoutMs`. */
export const LONG_WORK_MS = 15 * 60_000;
const FIRST_PAUSE_MS = 100;
/** Faults of storage that are often gone at the next attempt. */
const PASSING_STATUSES: readonly number[] = [429, 500, 502, 503, 504];
const PASSING_CODES: readonly string[] = ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'UND_ERR_SOCKET'];
/** Without this, undici closes the connection after each HEAD. */
const KEEP = { reset: false };
const EMPTY_HASH = hash('sha256', '', 'hex');

/** `wholeUpTo`: a body with more bytes than this is returned as a stream. */
type Expected = { readonly root?: string; readonly wholeUpTo?: number };
type Prepared = { readonly origin: string; readonly host: string; readonly path: string; readonly query: string };

/** Talks to one S3 provider: signs and sends requests, retries, limits the time and size of answers, and turns faults into {@link SvcError}s. */
export class S3Client {
  readonly #name: string;
  readonly #buckets: readonly string[];
  readonly #endpoint: Endpoint;
  readonly #signer: Signer;
  readonly #credentials: CredentialSource;
  readonly #questions: Dispatcher;
  readonly #bodies: Dispatcher;
  readonly #idleMs: number;
  readonly #deadlineMs: number;
  readonly #onCall: ((call: S3Call) => void) | undefined;

  /** @param onCall - called for each request that was sent, when it is over. */
  constructor(options: S3Options, onCall?: (call: S3Call) => void) {
    this.#name = options.name;
    this.#buckets = options.buckets ?? [];
    this.#endpoint = endpointOf(options);
    this.#signer = new Signer(options.region);
    this.#credentials = credentialSource(options.credentials);
    this.#questions = agentFor(options, QUESTION_SOCKETS);
    this.#bodies = agentFor(options, BODY_SOCKETS);
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
  async ask(request: S3Request, root: string, options: SendOptions = {}): Promise<XmlAnswer> {
    return (await this.#send(request, { ...options, root })).xml!;
  }

  /**
   * Opens an object. The body is read only as fast as it is consumed, and ends with an error when storage stalls or disconnects. It is a buffer for a 304, or
   * when the answer announces at most `wholeUpTo` bytes.
   */
  open(request: S3Request, signal: AbortSignal | undefined, wholeUpTo = -1): Promise<RawAnswer> {
    const clock = new StallClock(this.#idleMs);
    clock.waitForStorage();
    return this.#send(request, { signal, clock, wholeUpTo });
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
    const { origin, host, path, query } = this.#place(request);
    // Storage counts from the full second that the link names.
    const now = Math.floor(Date.now() / 1000) * 1000;
    const url = `${origin}${path}?${this.#signer.signQuery({ method: request.method, host, path, query }, options, credentials, now)}`;
    return { url, endsAt: Math.min(now + options.expiresIn * 1000, credentials.expiration?.getTime() ?? Infinity) };
  }

  /** Sends a request with a link only, without credentials. */
  async useLink(link: string, method: S3Request['method'], headers: Readonly<Record<string, string>>): Promise<Answer> {
    const { origin, host, pathname, search } = new URL(link);
    const exchange = new Exchange();
    const timer = setTimeout(() => exchange.abort(tooSlow()), this.#deadlineMs);
    try {
      this.#questions.dispatch(
        { origin, path: pathname + search, method, headers: { host, 'content-length': '0', ...headers } },
        exchange,
      );
      return (await exchange.answer) as Answer;
    } catch (error) {
      throw storageError(this.#name, error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes every connection, including those in use. */
  close(): void {
    void this.#questions.destroy();
    void this.#bodies.destroy();
  }

  async #send(
    request: S3Request,
    { signal, deadlineMs = this.#deadlineMs, clock, root, wholeUpTo }: SendOptions & Expected,
  ): Promise<RawAnswer & { readonly xml?: XmlAnswer | undefined }> {
    signal?.throwIfAborted();
    const since = performance.now();
    let outcome: CallOutcome = 'ok';
    let exchange: Exchange | undefined;
    let stopped: { readonly reason: unknown } | undefined;
    let pause: AbortController | undefined;
    const stop = (reason: unknown): void => {
      stopped ??= { reason };
      exchange?.abort(reason);
      pause?.abort();
    };
    const leave = (): void => stop(signal?.reason);
    signal?.addEventListener('abort', leave, { once: true });
    const faultOf = (error: unknown): Error =>
      stopped === undefined
        ? storageError(
            this.#name,
            error,
            this.#buckets.find((bucket) => bucket === request.bucket),
          )
        : (stopped.reason as Error);
    const onSlow = (): void => stop(storageError(this.#name, tooSlow()));
    const timer = clock === undefined ? setTimeout(onSlow, deadlineMs) : undefined;
    clock?.whenSlow(onSlow);
    const { body } = request;
    const isStream = body !== undefined && !Buffer.isBuffer(body);
    // If the request ended normally, an incomplete body could be stored as the whole. When the exchange is over, undici aborts the body itself.
    if (isStream) body.once('error', (error) => exchange?.isOver === true || stop(error));
    let opened: Readable | undefined;
    try {
      const place = this.#place(request);
      for (let attempt = 1; ; attempt++) {
        exchange = new Exchange({ stream: wholeUpTo === undefined ? undefined : clock, wholeUpTo, faultOf });
        if (stopped !== undefined) exchange.abort(stopped.reason);
        const isLast = attempt === MAX_ATTEMPTS || isStream;
        try {
          const source = this.#credentials();
          // A configured access key is used at once, because another turn of the event loop costs time. Other credentials may never arrive; the exchange can be
          // stopped meanwhile.
          const credentials =
            source instanceof Promise ? ((await Promise.race([source, exchange.answer])) as Credentials) : source;
          const sent = this.#dispatch(request, place, credentials, exchange, clock === undefined ? this.#idleMs : 0);
          const answer = await exchange.answer;
          if (answer.status < 300 && sent instanceof Readable && !sent.readableEnded)
            throw unavailable(this.#name, 'answered before it had the whole body; try again');
          if (!Buffer.isBuffer(answer.body)) {
            opened = answer.body;
            return answer;
          }
          if (root === undefined && isDone(answer)) return answer;
          const turn = answer.body.length > LARGE_ANSWER_BYTES ? ownTurn : undefined;
          await turn?.();
          const text = answer.body.toString();
          await turn?.();
          const xml = this.#read(answer, text, root, attempt);
          // Whoever asked works through the answer as long as it took to read.
          await turn?.();
          return { ...answer, xml };
        } catch (error) {
          if (isLast || stopped !== undefined || !isPassing(error)) throw error;
        }
        pause = new AbortController();
        await wait(Math.random() * FIRST_PAUSE_MS * 2 ** (attempt - 1), undefined, { signal: pause.signal });
      }
    } catch (error) {
      const fault = faultOf(error);
      outcome = outcomeOf(fault, signal);
      throw fault;
    } finally {
      this.#onCall?.({
        provider: this.#name,
        operation: operationOf(request),
        outcome,
        seconds: (performance.now() - since) / 1000,
      });
      clearTimeout(timer);
      const end = (): void => {
        clock?.stop();
        signal?.removeEventListener('abort', leave);
      };
      if (opened === undefined) end();
      else opened.once('close', end);
      if (isStream) body.destroy();
    }
  }

  /** @returns the body as it is sent. */
  #dispatch(
    { method, headers = {}, body }: S3Request,
    { origin, host, path, query }: Prepared,
    credentials: Credentials,
    exchange: Exchange,
    idleMs: number,
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
    (isBody ? this.#bodies : this.#questions).dispatch(
      {
        origin,
        path: target,
        method,
        headers: sent,
        body: wireBody,
        headersTimeout: idleMs,
        bodyTimeout: idleMs,
        ...(method === 'HEAD' && KEEP),
      },
      exchange,
    );
    return wireBody;
  }

  /** Where a request goes: `endpoint/bucket/key` or, when the bucket's name can be part of a host name, `bucket.endpoint/key`. */
  #place({ bucket, key, query }: S3Request): Prepared {
    const { protocol, host, base, mayPrefix } = this.#endpoint;
    const asHost = bucket !== undefined && mayPrefix && isHostLabel(bucket, protocol);
    const rest = key === undefined ? '' : pathOf(key);
    const place = asHost ? `${bucket}.${host}` : host;
    return {
      origin: `${protocol}//${place}`,
      host: place,
      path: bucket === undefined || asHost ? base + rest : `${base}${bucket}${key === undefined ? '' : `/${rest}`}`,
      query: query === undefined ? '' : queryOf(query),
    };
  }

  /**
   * Reads an answer in XML.
   *
   * @throws {S3Fault} for an error answer of storage.
   */
  #read(answer: RawAnswer, text: string, root: string | undefined, attempts: number): XmlAnswer {
    const { status, headers } = answer;
    const xml = xmlOf(text);
    const type = headers['content-type']?.split(';', 1)[0] ?? '';
    const foreign = (): SvcError =>
      unavailable(
        this.#name,
        `does not answer as S3 does (${status}${type === '' ? '' : `, ${type}`}); check \`endpoint\``,
      );
    // S3 names what is missing, except in the answer to a HEAD.
    if (status === 404 && root !== undefined && xml?.root !== 'Error') throw foreign();
    if (!isDone(answer))
      throw new S3Fault(status, headers, text === '' ? undefined : xml?.root === 'Error' ? xml.fields : {}, attempts);
    // Storage may begin the answer to long work with the status 200 and end it with an error.
    if (xml?.root === 'Error') throw new S3Fault(503, headers, xml.fields, attempts);
    if (xml !== undefined && xml.root === root) return xml;
    if (type !== '' && !type.endsWith('xml')) throw foreign();
    throw unavailable(
      this.#name,
      `answered something else than ${root?.startsWith('List') ? 'a list' : `a \`${root}\``}; is its \`endpoint\` the address of S3?`,
    );
  }
}

/** Sends a large body in slices, because undici counts the time without headers from the last slice that the network took. */
function wireBodyOf(body: Buffer | Readable | undefined): Buffer | Readable | null {
  if (!Buffer.isBuffer(body) || body.length <= SLICE_BYTES) return body ?? null;
  return Readable.from(
    Array.from({ length: Math.ceil(body.length / SLICE_BYTES) }, (_, i) =>
      body.subarray(i * SLICE_BYTES, (i + 1) * SLICE_BYTES),
    ),
    { highWaterMark: 1 },
  );
}

function payloadHashOf(body: Buffer | Readable | undefined): string {
  if (body === undefined) return EMPTY_HASH;
  return Buffer.isBuffer(body) && body.length <= MAX_HASHED_BYTES ? hash('sha256', body, 'hex') : UNSIGNED_PAYLOAD;
}

/** A larger answer is read in several turns of the event loop: to make its text, and to parse it, takes more than a few milliseconds each. */
const LARGE_ANSWER_BYTES = 524_288;

function isDone({ status }: RawAnswer): boolean {
  return (status >= 200 && status < 300) || status === 304;
}

function xmlOf(text: string): XmlAnswer | undefined {
  try {
    return readXml(text);
  } catch (error) {
    if (error instanceof XmlFault) return undefined;
    throw error;
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof S3Fault
    ? PASSING_STATUSES.includes(error.status)
    : PASSING_CODES.includes(networkCodeOf(error));
}

/** The error when storage takes longer to answer than the configuration allows. */
function tooSlow(): Error {
  return new DOMException('storage is too slow', 'TimeoutError');
}

function unavailable(provider: string, what: string): SvcError {
  return new SvcError('storage_unavailable', { detail: `storage provider \`${provider}\` ${what}` });
}

/** `base` ends with a slash. `mayPrefix`: whether a bucket's name may become part of the host name. */
type Endpoint = {
  readonly protocol: string;
  readonly host: string;
  readonly base: string;
  readonly mayPrefix: boolean;
};

function endpointOf({ endpoint, pathStyle }: S3Options): Endpoint {
  const { protocol, host, hostname, pathname } = new URL(endpoint);
  const isAddress = /^[\d.]+$/.test(hostname) || hostname.startsWith('[');
  return {
    protocol,
    host,
    base: pathname.endsWith('/') ? pathname : `${pathname}/`,
    mayPrefix: !pathStyle && !isAddress,
  };
}

/** A certificate for `*.endpoint` does not cover names with dots. */
function isHostLabel(bucket: string, protocol: string): boolean {
  return /^[a-z0-9][a-z0-9.-]*[a-z0-9]$/.test(bucket) && (protocol === 'http:' || !bucket.includes('.'));
}

function agentFor({ endpoint, ca, proxy, connectTimeoutMs }: S3Options, connections: number): Dispatcher {
  // The TLS context is made once, because parsing all authorities for each connection takes too long.
  // Only outgoing data may be buffered in large amounts, because undici would join buffered incoming data by copying it.
  const connect = {
    timeout: connectTimeoutMs,
    highWaterMark: undefined,
    writableHighWaterMark: SLICE_BYTES,
    ...(ca !== undefined && { secureContext: createSecureContext({ ca: [...ca] }) }),
  };
  const options = {
    connect,
    connections,
    pipelining: 1,
    keepAliveTimeout: IDLE_SOCKET_MS,
    keepAliveMaxTimeout: IDLE_SOCKET_MS,
  };
  const proxyUrl = endpoint.startsWith('https:') ? proxy?.https : proxy?.http;
  if (proxy === undefined || proxyUrl === undefined) return new Agent(options);
  return new EnvHttpProxyAgent({
    ...options,
    requestTls: connect,
    proxyTls: { timeout: connectTimeoutMs },
    proxyTunnel: false,
    httpProxy: proxyUrl,
    httpsProxy: proxyUrl,
    noProxy: proxy.except,
  });
}
