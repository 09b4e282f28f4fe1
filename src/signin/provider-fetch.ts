import { createSecureContext, TLSSocket } from 'node:tls';
import { Agent, buildConnector, EnvHttpProxyAgent, request, type Dispatcher } from 'undici';
import { everyWayInTime, inTime } from '../bounds/in-time.ts';
import { lookup } from '../bounds/lookup.ts';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import { tlsFault } from '../errors/tls-fault.ts';
import { withoutNull } from './claims.ts';

/** Limits for the time and the size of the provider's answers. */
export type ProviderLimits = {
  /** Milliseconds to connect, including TLS. */
  readonly connectMs: number;
  /** Milliseconds for one request, from the start to the last byte. */
  readonly totalMs: number;
  /** Bytes of the body, as they arrive. */
  readonly maxBytes: number;
};

/** How the provider is reached. */
export type ProviderRoute = {
  /** All trusted certificates, in PEM; Node's own when left out. */
  readonly ca?: readonly string[] | undefined;
  /** URL of the proxy for HTTPS, and a comma-separated list of hosts that are reached directly. Plain HTTP is used on loopback only. */
  readonly proxy?: { readonly https: string | undefined; readonly except: string } | undefined;
};

/** @see spec "Limits" */
export const PROVIDER_LIMITS: ProviderLimits = { connectMs: 5_000, totalMs: 15_000, maxBytes: 1024 * 1024 };

const NULL_BODY_STATUSES: readonly number[] = [204, 205, 304];

/** The options of `fetch` that openid-client and jose use. */
export type FetchOptions = {
  readonly method: string;
  readonly headers: Headers | Record<string, string>;
  readonly body?: unknown;
};

/**
 * Makes all requests to the identity provider, limited in time and size. It follows no redirects. Connections are not reused, because a sign-in must not fail
 * when an idle one was just closed.
 */
export class ProviderFetch {
  readonly #limits: ProviderLimits;
  readonly #agent: Dispatcher;
  /** When certificates end, by host. Discovery may name several hosts. */
  readonly #certificateEnds = new Map<string, number>();

  constructor(limits: ProviderLimits, route: ProviderRoute = {}) {
    this.#limits = limits;
    this.#agent = agentFor(limits, route, (host, endsAt) => this.#certificateEnds.set(host, endsAt));
  }

  /** The earliest end of the last seen certificates, in milliseconds since the epoch; undefined while none was seen. A proxy hides them. */
  get certificateEndsAt(): number | undefined {
    return this.#certificateEnds.size === 0 ? undefined : Math.min(...this.#certificateEnds.values());
  }

  /** @throws {SvcError} `identity_provider_unavailable`, `identity_provider_timeout` */
  readonly fetch = async (url: string, options: FetchOptions): Promise<Response> => {
    const place = placeOf(url);
    try {
      const response = await request(url, {
        dispatcher: this.#agent,
        method: options.method,
        headers: { ...Object.fromEntries(new Headers(options.headers)), 'accept-encoding': 'identity' },
        body: bodyOf(options.body),
        signal: AbortSignal.timeout(this.#limits.totalMs),
      });
      // The stream of a body that is not read to the end fails, and nobody awaits that error.
      response.body.on('error', () => undefined);
      try {
        refuseRedirect(place, response.statusCode, response.headers['location']);
        refuseEncoding(place, response.headers['content-encoding']);
        const body = await this.#read(place, response.body);
        return toResponse(response, understood(place, response.headers['content-type'], body));
      } finally {
        response.body.destroy();
      }
    } catch (error) {
      throw codeOf(error) === undefined ? unreachable(place, error) : error;
    }
  };

  /**
   * Gets the address to which a page redirects, without following it.
   *
   * @throws {SvcError} `identity_provider_unavailable`, `identity_provider_timeout`
   */
  async redirect(url: string): Promise<{ readonly status: number; readonly location: string | undefined }> {
    try {
      const response = await request(url, {
        dispatcher: this.#agent,
        headers: { accept: 'text/html' },
        signal: AbortSignal.timeout(this.#limits.totalMs),
      });
      response.body.on('error', () => undefined).destroy();
      const { location } = response.headers;
      return { status: response.statusCode, location: typeof location === 'string' ? location : undefined };
    } catch (error) {
      throw unreachable(placeOf(url), error);
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #read(place: string, body: AsyncIterable<Buffer>): Promise<Buffer> {
    // Copied at once, because pieces may be so small that each takes two hundred times its bytes.
    const room = Buffer.allocUnsafeSlow(this.#limits.maxBytes);
    let bytes = 0;
    for await (const chunk of body) {
      if (bytes + chunk.length > room.length)
        throw unavailable(`${place} answered with more than ${this.#limits.maxBytes} bytes`);
      bytes += chunk.copy(room, bytes);
    }
    return room.subarray(0, bytes);
  }
}

/** Called with the end of the certificate of a new connection. */
type OnCertificate = (host: string, endsAt: number) => void;

function agentFor(
  { connectMs }: ProviderLimits,
  { ca, proxy }: ProviderRoute,
  onCertificate: OnCertificate,
): Dispatcher {
  const connect = {
    lookup,
    timeout: connectMs,
    allowH2: false,
    ...(ca !== undefined && { secureContext: createSecureContext({ ca: [...ca] }) }),
  };
  if (proxy?.https === undefined)
    return new Agent({
      connect: inTime(noting(buildConnector(connect), onCertificate), connectMs),
      pipelining: 0,
      allowH2: false,
    });
  // An empty text keeps undici from reading the environment.
  return new EnvHttpProxyAgent({
    ...everyWayInTime(connectMs, { pipelining: 0, allowH2: false }),
    connect: noting(buildConnector(connect), onCertificate),
    requestTls: connect,
    httpProxy: '',
    httpsProxy: proxy.https,
    noProxy: proxy.except,
  });
}

function noting(connector: buildConnector.connector, onCertificate: OnCertificate): buildConnector.connector {
  return (options, done) => {
    connector(options, (...result: Parameters<buildConnector.Callback>) => {
      const endsAt = result[1] instanceof TLSSocket ? Date.parse(result[1].getPeerCertificate().valid_to) : Number.NaN;
      if (!Number.isNaN(endsAt)) onCertificate(options.hostname, endsAt);
      done(...result);
    });
  };
}

function refuseRedirect(place: string, status: number, location: string | string[] | undefined): void {
  if (status < 300 || status > 399) return;
  const target = typeof location === 'string' && URL.canParse(location) ? ` to \`${placeOf(location)}\`` : '';
  throw unavailable(
    `${place} answers with a redirect${target}, which is not followed; set \`auth.oidc.issuer\` to the final address`,
  );
}

/** Accepts only `identity`, because a compressed body could grow without limit when it is unpacked. */
function refuseEncoding(place: string, encoding: string | string[] | undefined): void {
  if (encoding === undefined || encoding === 'identity') return;
  throw unavailable(`${place} answers with a compressed body although it was asked not to`);
}

/**
 * A body of JSON without members that are `null`, because some providers write so what they do not have. It is parsed here, because a later parser could not
 * distinguish a broken answer from a broken token in it.
 */
function understood(place: string, type: string | string[] | undefined, body: Buffer): Buffer {
  if (typeof type !== 'string' || !/^application\/(?:jwk-set\+)?json\b/i.test(type)) return body;
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return body;
    return Buffer.from(JSON.stringify(withoutNull(parsed)));
  } catch {
    throw unavailable(`${place} answers with something that is not JSON`);
  }
}

function toResponse({ statusCode, headers }: Dispatcher.ResponseData, body: Buffer): Response {
  const copied = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const item of Array.isArray(value) ? value : [value ?? '']) copied.append(name, item);
  }
  return new Response(NULL_BODY_STATUSES.includes(statusCode) ? null : new Uint8Array(body), {
    status: statusCode,
    headers: copied,
  });
}

function bodyOf(body: unknown): string | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string' || body instanceof URLSearchParams) return String(body);
  throw new TypeError('only text and forms are sent to the identity provider');
}

function unreachable(place: string, error: unknown): SvcError {
  const { name = 'Error', code = name } = error as { readonly name?: string; readonly code?: string };
  const cause = new Error(`${place}: ${code}`);
  if (name === 'TimeoutError' || name === 'ConnectTimeoutError') {
    return new SvcError('identity_provider_timeout', {
      detail: `${place} gave no answer in time; try again in a moment`,
      retryAfterSeconds: 5,
      cause,
    });
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return unavailable(
      `${place} cannot be reached: its host name does not resolve (${code}); check \`auth.oidc.issuer\` and the name server`,
      cause,
    );
  const tls = tlsFault(code, { authority: '`auth.oidc.tls.ca_file`', address: '`auth.oidc.issuer`' });
  return unavailable(`${place} ${tls ?? `cannot be reached (${code}); try again in a moment`}`, cause);
}

function unavailable(detail: string, cause?: Error): SvcError {
  return new SvcError('identity_provider_unavailable', { detail, retryAfterSeconds: 5, ...(cause && { cause }) });
}

/** Origin and path of a URL. The query is left out because it could contain a secret. */
function placeOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
