import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** The address at which browsers reach the service. */
export type PagePlace = {
  readonly publicOrigin: string;
  /** Empty, or for example `/files`. */
  readonly basePath: string;
  /** Without sign-in, people may open the service under any name of the machine. */
  readonly authEnabled: boolean;
};

/**
 * The headers of the web UI and the reference.
 *
 * Scripts may run from one folder only and never inline, because stored objects share this origin. Styles may be inline, because the component library sets
 * them. A PDF is shown from a `blob:` URL, whose document inherits this policy.
 *
 * @param scripts - the folder, such as `/assets/`.
 */
export function pageHeaders(place: PagePlace, scripts = '/assets/'): RequestHandler {
  const source = (req: IncomingMessage) => scriptSource(req.headers.host, place, scripts);
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: [source],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'blob:', 'data:'],
        mediaSrc: ["'self'", 'blob:'],
        fontSrc: ["'self'", 'data:'],
        connectSrc: ["'self'"],
        frameSrc: ["'self'", 'blob:'],
        objectSrc: ["'none'"],
        workerSrc: [source],
        baseUri: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: place.publicOrigin.startsWith('https:')
      ? { maxAge: 31_536_000, includeSubDomains: false }
      : false,
    crossOriginEmbedderPolicy: false,
    crossOriginOpenerPolicy: { policy: 'same-origin-allow-popups' },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  });
}

/** Hosts that a Content-Security-Policy can name. It has no syntax for IPv6 addresses. */
const NAMEABLE_HOST = /^[a-z0-9.-]+(?::\d{1,5})?$/i;

function scriptSource(
  host: string | undefined,
  { publicOrigin, basePath, authEnabled }: PagePlace,
  folder: string,
): string {
  const { protocol, host: publicHost } = new URL(publicOrigin);
  const named = authEnabled || host === undefined ? publicHost : host;
  return NAMEABLE_HOST.test(named) ? `${protocol}//${named}${basePath}${folder}` : "'self'";
}
