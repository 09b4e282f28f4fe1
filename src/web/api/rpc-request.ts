import { servicePath } from '../base.ts';
import { keepPrefetched, takePrefetched, WAIT_MS } from './prefetch.ts';

/** The body of a JSON-RPC batch request. */
export function rpcBody(methods: readonly string[], params: readonly unknown[]): string {
  return JSON.stringify(methods.map((method, id) => ({ jsonrpc: '2.0', id, method, params: params[id] })));
}

/** Sends a request before the code that uses its answer is loaded. */
export function prefetchRpc(body: string): void {
  keepPrefetched(body, send(body, AbortSignal.timeout(WAIT_MS)));
}

/** Sends a request, unless it was sent ahead. */
export function sendRpc(body: string, signal: AbortSignal | null): Promise<Response> {
  return takePrefetched(body) ?? send(body, signal);
}

function send(body: string, signal: AbortSignal | null): Promise<Response> {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  return fetch(servicePath('rpc'), {
    method: 'POST',
    credentials: 'same-origin',
    redirect: 'error',
    headers,
    body,
    signal,
  });
}
