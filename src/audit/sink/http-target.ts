import { createHmac } from 'node:crypto';
import { Agent, buildConnector, EnvHttpProxyAgent, request, type Dispatcher } from 'undici';
import { everyWayInTime } from '../../bounds/in-time.ts';
import { lookup } from '../../bounds/lookup.ts';
import type { HttpTargetOptions } from './sink-options.ts';
import { DeliveryError, type LineRange, type Target } from './target.ts';

const MAX_ANSWER_BYTES = 65_536;
const ANSWER_MS = 1_000;
/** The longest pause that a receiver may ask for. */
const LONGEST_PAUSE_MS = 600_000;
const LINE_END = Buffer.from('\n');

/**
 * Sends lines as the body of a POST, unchanged. Any answer but 2xx means that they were not taken; redirects are not followed. Connections are not reused,
 * because an idle one may be closed at that moment.
 */
export class HttpTarget implements Target {
  readonly #options: HttpTargetOptions;
  readonly #timeoutMs: number;
  readonly #dispatcher: Dispatcher;

  constructor(options: HttpTargetOptions, timeoutMs: number) {
    this.#options = options;
    this.#timeoutMs = timeoutMs;
    const {
      tls: { ca, cert, key },
      proxy,
    } = options;
    const connect = {
      lookup,
      timeout: timeoutMs,
      allowH2: false,
      ...(ca !== undefined && { ca: [...ca] }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
    };
    this.#dispatcher =
      proxy === undefined
        ? new Agent({ connect, pipelining: 0, allowH2: false })
        : new EnvHttpProxyAgent({
            ...everyWayInTime(timeoutMs, { pipelining: 0, allowH2: false }),
            connect: buildConnector(connect),
            requestTls: connect,
            httpProxy: proxy.http ?? '',
            httpsProxy: proxy.https ?? '',
            noProxy: proxy.except,
          });
  }

  async send(lines: readonly Buffer[], { instance, first, last }: LineRange): Promise<void> {
    const content = Buffer.concat(lines.flatMap((line) => [line, LINE_END]));
    const { signingSecret } = this.#options;
    const { statusCode, headers, body } = await request(this.#options.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-ndjson',
        'svc-audit-instance': instance,
        'svc-audit-lines': `${first}-${last}`,
        ...(signingSecret !== undefined && { 'svc-audit-signature': signatureOf(content, signingSecret, Date.now()) }),
        ...this.#options.headers,
      },
      body: content,
      dispatcher: this.#dispatcher,
      signal: AbortSignal.timeout(this.#timeoutMs),
    });
    // The content of the answer is not used, and its end is not awaited for long.
    await body.dump({ limit: MAX_ANSWER_BYTES, signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => undefined);
    if (statusCode >= 200 && statusCode < 300) return;
    throw new DeliveryError(statusCode, retryAfterIn(headers['retry-after'], Date.now()));
  }

  close(): Promise<void> {
    return this.#dispatcher.destroy();
  }
}

/** The time in seconds since the epoch, and the HMAC of the time, a dot and the body, so that a receiver can refuse requests of others and old ones. */
function signatureOf(body: Buffer, secret: string, now: number): string {
  const time = String(Math.floor(now / 1_000));
  return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')}`;
}

/** Reads a number of seconds or a date (RFC 9110 section 10.2.3). Returns milliseconds, at most {@link LONGEST_PAUSE_MS}. */
function retryAfterIn(header: string | string[] | undefined, now: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), LONGEST_PAUSE_MS);
}
