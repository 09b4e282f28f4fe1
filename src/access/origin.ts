import type { IncomingHttpHeaders } from 'node:http';
import { SvcError } from '../errors/svc-error.ts';
import { readCredentials } from './credentials.ts';

export type OriginOptions = {
  readonly authEnabled: boolean;
  /** Scheme, host and port that people type. */
  readonly publicOrigin: string;
  /** The port, when the service listens on loopback. */
  readonly loopbackPort: number | undefined;
};

/** A `Host` that means this machine whatever a name server says. */
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::(\d{1,5}))?$/i;

/** What a document runs, or takes its looks from, by `Sec-Fetch-Dest`. */
const PARTS_OF_DOCUMENTS: ReadonlySet<string> = new Set(['script', 'style', 'worker', 'sharedworker', 'serviceworker', 'object', 'embed']);

/**
 * Tells our own pages from those of others. Every check throws `origin_mismatch`.
 *
 * Without sign-in everybody may do everything, so every request counts as one with the cookie.
 */
export class OwnOrigin {
  readonly #options: OriginOptions;
  readonly #publicHost: string;

  constructor(options: OriginOptions) {
    this.#options = options;
    this.#publicHost = new URL(options.publicOrigin).host;
  }

  /** Every request, whatever its method and path, and every WebSocket: with the cookie, an `Origin` that is there must be ours. */
  admit(headers: IncomingHttpHeaders): void {
    const { authEnabled, publicOrigin } = this.#options;
    if (!authEnabled) this.#admitWithoutSignIn(headers);
    else if (headers.origin !== undefined && headers.origin !== publicOrigin && readCredentials(headers).cookie !== undefined) throw foreign();
  }

  /** Tickets, and under `/api` what the cookie's requests change: nor may the browser say that another site made the request. */
  refuseOthers(headers: IncomingHttpHeaders): void {
    const { origin, 'sec-fetch-site': site } = headers;
    if (site === 'cross-site' || site === 'same-site') throw foreign();
    if (origin !== undefined) this.require(headers);
  }

  /** Every WebSocket, and elsewhere what the cookie's requests change: `Origin` must be there. */
  require(headers: IncomingHttpHeaders): void {
    const { authEnabled, publicOrigin } = this.#options;
    if (authEnabled && headers.origin !== publicOrigin) throw foreign();
  }

  /** Any name may be made to lead to loopback (DNS rebinding), so only a `Host` is answered there that surely means this service. */
  #admitWithoutSignIn({ host = '', origin }: IncomingHttpHeaders): void {
    const { loopbackPort, publicOrigin } = this.#options;
    const isLoopback = loopbackPort !== undefined && isLoopbackAt(host, loopbackPort);
    if (loopbackPort !== undefined && !isLoopback && host.toLowerCase() !== this.#publicHost) {
      throw foreign('without sign-in, a service on loopback answers to loopback addresses alone; behind a proxy, set `auth.public_origin`');
    }
    if (origin === undefined || origin === publicOrigin || (isLoopback && origin === `http://${host}`)) return;
    throw foreign('the request comes from another origin than this service; `auth.public_origin` is the one that people type');
  }
}

/** What people store lies in this origin too, and must not run in it. */
export function refuseAsPartOfDocument(headers: IncomingHttpHeaders): void {
  const destination = headers['sec-fetch-dest'];
  if (typeof destination === 'string' && PARTS_OF_DOCUMENTS.has(destination)) throw foreign(`nothing here may be loaded as \`${destination}\``);
}

function isLoopbackAt(host: string, port: number): boolean {
  const match = LOOPBACK_HOST.exec(host);
  return match !== null && Number(match[1] ?? 80) === port;
}

function foreign(detail = 'the request comes from another origin than this service'): SvcError {
  return new SvcError('origin_mismatch', { detail });
}
