import type { IncomingHttpHeaders } from 'node:http';
import { SvcError } from '../errors/svc-error.ts';
import { readCredentials } from './credentials.ts';

export type OriginOptions = {
  readonly authEnabled: boolean;
  /** The scheme, host and port that people type. */
  readonly publicOrigin: string;
  /** The port, when the service listens on loopback. */
  readonly loopbackPort: number | undefined;
};

/** A `Host` that means this machine, whatever a name server says. */
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::(\d{1,5}))?$/i;

/** Values of `Sec-Fetch-Dest` for scripts, styles and other files that a document runs or is styled with. */
const PARTS_OF_DOCUMENTS: ReadonlySet<string> = new Set([
  'script',
  'style',
  'worker',
  'sharedworker',
  'serviceworker',
  'audioworklet',
  'paintworklet',
  'xslt',
  'object',
  'embed',
]);

/**
 * Distinguishes requests of our own pages from those of other sites. Every check throws `origin_mismatch`.
 *
 * Without sign-in everybody may do everything, so every request is checked as if it had the cookie.
 */
export class OriginCheck {
  readonly #options: OriginOptions;
  readonly #publicHost: string;

  constructor(options: OriginOptions) {
    this.#options = options;
    this.#publicHost = new URL(options.publicOrigin).host;
  }

  /** Checks every request and every WebSocket: if it has the cookie and an `Origin`, the origin must be ours. */
  admit(headers: IncomingHttpHeaders): void {
    const { authEnabled, publicOrigin } = this.#options;
    if (!authEnabled) this.#admitWithoutSignIn(headers);
    else if (
      headers.origin !== undefined &&
      headers.origin !== publicOrigin &&
      readCredentials(headers).cookie !== undefined
    )
      throw foreign();
  }

  /** Checks requests with a ticket, and changes beneath `/api` with the cookie: the browser must not say that another site made the request. */
  refuseOthers(headers: IncomingHttpHeaders): void {
    const { origin, 'sec-fetch-site': site } = headers;
    if (site === 'cross-site' || site === 'same-site') throw foreign();
    if (origin !== undefined) this.require(headers);
  }

  /** Checks every WebSocket, and changes with the cookie outside of `/api`: `Origin` must be present. */
  require(headers: IncomingHttpHeaders): void {
    const { authEnabled, publicOrigin } = this.#options;
    if (authEnabled && headers.origin !== publicOrigin) throw foreign();
  }

  /** An attacker can make any name resolve to loopback (DNS rebinding), so a service on loopback answers only to loopback addresses and its public host. */
  #admitWithoutSignIn({ host = '', origin }: IncomingHttpHeaders): void {
    const { loopbackPort, publicOrigin } = this.#options;
    const isLoopback = loopbackPort !== undefined && isLoopbackAt(host, loopbackPort);
    if (loopbackPort !== undefined && !isLoopback && host.toLowerCase() !== this.#publicHost) {
      throw foreign(
        'without sign-in, a service on loopback answers only on loopback addresses; behind a proxy, set `auth.public_origin`',
      );
    }
    if (origin === undefined || origin === publicOrigin || (isLoopback && origin === `http://${host}`)) return;
    throw foreign(
      'the request comes from another origin than this service; `auth.public_origin` must be the address that people open',
    );
  }
}

/** Refuses to serve an object as a script, style or similar part of a document: stored objects share this origin and must not run in it. */
export function refuseAsPartOfDocument(headers: IncomingHttpHeaders): void {
  const destination = headers['sec-fetch-dest'];
  if (typeof destination === 'string' && PARTS_OF_DOCUMENTS.has(destination))
    throw foreign(`this service does not serve content as \`${destination}\``);
}

function isLoopbackAt(host: string, port: number): boolean {
  const match = LOOPBACK_HOST.exec(host);
  return match !== null && Number(match[1] ?? 80) === port;
}

function foreign(detail = 'the request comes from another origin than this service'): SvcError {
  return new SvcError('origin_mismatch', { detail });
}
