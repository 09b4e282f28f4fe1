import { errors, Pool, type buildConnector } from 'undici';
import { lookup, lookupsOf } from './lookup.ts';

/** Ends connecting in time. The timers of undici do so up to 0.8 seconds late; its own limit then closes the connection that is given up here. */
export function inTime(connector: buildConnector.connector, connectMs: number): buildConnector.connector {
  return (options, done) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      const isLookedUp = lookupsOf(options.hostname).some((lookup) => begun.includes(lookup));
      done(tooSlow(options, connectMs, isLookedUp), null);
    }, connectMs);
    connector(options, (...result: Parameters<buildConnector.Callback>) => {
      clearTimeout(timer);
      if (isLate) result[1]?.destroy();
      else done(...result);
    });
    // Those that begin later are for other connections.
    const begun = lookupsOf(options.hostname);
  };
}

function tooSlow({ host, hostname }: buildConnector.Options, connectMs: number, isLookedUp: boolean): Error {
  // The code of a lookup that ends without an answer, which takes longer than connecting may take.
  return isLookedUp
    ? Object.assign(new Error(`no name server answers for ${hostname} within ${connectMs} ms`), { code: 'EAI_AGAIN' })
    : new errors.ConnectTimeoutError(`no connection to ${host ?? hostname} within ${connectMs} ms`);
}

/**
 * For an agent with proxies: ends connecting in time on every way. Otherwise undici waits five minutes for a proxy that does not answer. A proxy is asked by HTTP/1.1,
 * because undici connects again and again to one that chooses HTTP/2.
 */
export function everyWayInTime(connectMs: number, options: Pool.Options) {
  return {
    factory: (origin: string | URL, given: object) =>
      new Pool(origin, {
        ...options,
        connect: inTime((given as { connect: buildConnector.connector }).connect, connectMs),
      }),
    clientFactory: (proxy: URL, given: object) =>
      new Pool(proxy, { ...given, headersTimeout: connectMs, allowH2: false }),
    proxyTls: { lookup, timeout: connectMs, allowH2: false },
  };
}
