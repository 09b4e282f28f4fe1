import { createSecureContext } from 'node:tls';
import { Agent, buildConnector, EnvHttpProxyAgent, type Dispatcher } from 'undici';
import { everyWayInTime, inTime } from '../../bounds/in-time.ts';
import { lookupBeneath } from '../../bounds/lookup.ts';
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

const MOST_HOSTS = 256;

/** The connections to a provider. */
export class Connections {
  readonly questions: Renewed;
  readonly bodies: Renewed;

  constructor(options: S3Options) {
    this.questions = new Renewed(agentsFor(options, QUESTION_SOCKETS));
    this.bodies = new Renewed(agentsFor(options, BODY_SOCKETS));
  }

  /** Closes every connection, including those in use. */
  close(): void {
    this.questions.destroy();
    this.bodies.destroy();
  }
}

/**
 * An agent that is made anew after many hosts. The names of buckets are in them, which people invent, and undici keeps for ever what it has made for each host behind a
 * proxy.
 */
class Renewed {
  readonly #make: () => Dispatcher;
  /** The last one is in use. The others end with their last request. */
  readonly #agents: Dispatcher[];
  readonly #hosts = new Set<string>();

  constructor(make: () => Dispatcher) {
    this.#make = make;
    this.#agents = [make()];
  }

  dispatch(...[options, handler]: Parameters<Dispatcher['dispatch']>): void {
    this.#hosts.add(String(options.origin));
    if (this.#hosts.size > MOST_HOSTS) {
      this.#hosts.clear();
      const before = this.#agents.at(-1)!;
      this.#agents.push(this.#make());
      void before.close().then(() => this.#agents.splice(this.#agents.indexOf(before), 1));
    }
    this.#agents.at(-1)!.dispatch(options, handler);
  }

  destroy(): void {
    for (const agent of this.#agents) void agent.destroy();
  }
}

/** Makes agents that are alike. */
function agentsFor({ endpoint, ca, proxy, connectTimeoutMs }: S3Options, connections: number): () => Dispatcher {
  // The TLS context is made once, because parsing all authorities for each connection takes too long.
  // Only outgoing data may be buffered in large amounts, because undici would join buffered incoming data by copying it.
  const connect = {
    lookup: lookupBeneath(new URL(endpoint).hostname, connectTimeoutMs),
    timeout: connectTimeoutMs,
    highWaterMark: undefined,
    writableHighWaterMark: SLICE_BYTES,
    allowH2: false,
    ...(ca !== undefined && { secureContext: createSecureContext({ ca: [...ca] }) }),
  };
  const options = {
    connections,
    pipelining: 1,
    keepAliveTimeout: IDLE_SOCKET_MS,
    keepAliveMaxTimeout: IDLE_SOCKET_MS,
    allowH2: false,
  };
  const connector = buildConnector(connect);
  const proxyUrl = endpoint.startsWith('https:') ? proxy?.https : proxy?.http;
  if (proxy === undefined || proxyUrl === undefined)
    return () => new Agent({ ...options, connect: inTime(connector, connectTimeoutMs) });
  return () =>
    new EnvHttpProxyAgent({
      ...everyWayInTime(connectTimeoutMs, options),
      connect: connector,
      requestTls: connect,
      proxyTunnel: false,
      httpProxy: proxyUrl,
      httpsProxy: proxyUrl,
      noProxy: proxy.except,
    });
}
