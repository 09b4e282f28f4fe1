import { createSecureContext } from 'node:tls';
import { Agent, buildConnector, EnvHttpProxyAgent, type Dispatcher } from 'undici';
import { everyWayInTime, inTime } from '../../bounds/in-time.ts';
import { lookup, lookupBeneath } from '../../bounds/lookup.ts';
import type { S3Options } from './options.ts';
import { SLICE_BYTES } from './wire-body.ts';

/**
 * How many sockets the process has to one provider for questions and for bodies. They are separate, so that slow downloads never delay a listing. There are more
 * for questions than people may have under way, because a large copy asks for four parts at once, and a listing under many rules for several pages.
 */
const QUESTION_SOCKETS = 256;
export const BODY_SOCKETS = 512;
/** How long an idle socket is kept: shorter than servers keep it, so that a body, which cannot be sent twice, is not sent on a closing connection. */
const IDLE_SOCKET_MS = 4000;

/** The connections to a provider. */
export class Connections {
  readonly questions: Dispatcher;
  readonly bodies: Dispatcher;

  constructor(options: S3Options) {
    this.questions = agentFor(options, QUESTION_SOCKETS);
    this.bodies = agentFor(options, BODY_SOCKETS);
  }

  /** Closes every connection, including those in use. */
  close(): void {
    void this.questions.destroy();
    void this.bodies.destroy();
  }
}

function agentFor({ endpoint, ca, proxy, connectTimeoutMs }: S3Options, connections: number): Dispatcher {
  // The TLS context is made once, because parsing all authorities for each connection takes too long.
  // Only outgoing data may be buffered in large amounts, because undici would join buffered incoming data by copying it.
  const connect = {
    lookup: lookupBeneath(new URL(endpoint).hostname, connectTimeoutMs),
    timeout: connectTimeoutMs,
    highWaterMark: undefined,
    writableHighWaterMark: SLICE_BYTES,
    ...(ca !== undefined && { secureContext: createSecureContext({ ca: [...ca] }) }),
  };
  const options = {
    connections,
    pipelining: 1,
    keepAliveTimeout: IDLE_SOCKET_MS,
    keepAliveMaxTimeout: IDLE_SOCKET_MS,
  };
  const proxyUrl = endpoint.startsWith('https:') ? proxy?.https : proxy?.http;
  if (proxy === undefined || proxyUrl === undefined)
    return new Agent({ ...options, connect: inTime(buildConnector(connect), connectTimeoutMs) });
  return new EnvHttpProxyAgent({
    ...everyWayInTime(connectTimeoutMs, options),
    connect: buildConnector(connect),
    requestTls: connect,
    proxyTls: { lookup, timeout: connectTimeoutMs },
    proxyTunnel: false,
    httpProxy: proxyUrl,
    httpsProxy: proxyUrl,
    noProxy: proxy.except,
  });
}
