// The part of undici that svc uses. The main file of the package also loads `fetch`, WebSocket, caches and mocks, and with them another undici, that of Node:
// a tenth of the start.
import api from 'undici/lib/api/index.js';
import { parseURL } from 'undici/lib/core/util.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import { getGlobalDispatcher } from 'undici/lib/global.js';

export { default as Agent } from 'undici/lib/dispatcher/agent.js';
export { default as EnvHttpProxyAgent } from 'undici/lib/dispatcher/env-http-proxy-agent.js';
export { default as Pool } from 'undici/lib/dispatcher/pool.js';
export { default as buildConnector } from 'undici/lib/core/connect.js';
export { default as errors } from 'undici/lib/core/errors.js';

Object.assign(Dispatcher.prototype, api);

export function request(url, { dispatcher = getGlobalDispatcher(), ...options } = {}) {
  const { origin, pathname, search } = parseURL(url);
  return dispatcher.request({ method: options.body ? 'PUT' : 'GET', ...options, origin, path: pathname + search });
}
