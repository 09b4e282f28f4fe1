import { servicePath } from '../base.ts';

let ahead: { readonly body: string; readonly answer: Promise<Response> } | undefined;

/** The body of a request that calls several methods. */
export function rpcBody(methods: readonly string[], params: readonly unknown[]): string {
  return JSON.stringify(methods.map((method, id) => ({ jsonrpc: '2.0', id, method, params: params[id] })));
}

/** Sends a request while the code that waits for its answer is still on its way. */
export function sendAhead(body: string): void {
  const answer = send(body, null);
  // Who takes it is told.
  answer.catch(() => undefined);
  ahead = { body, answer };
}

/** Sends a request, unless it was sent ahead. */
export function sendRpc(body: string, signal: AbortSignal | null): Promise<Response> {
  const sent = ahead;
  ahead = undefined;
  return sent?.body === body ? sent.answer : send(body, signal);
}

function send(body: string, signal: AbortSignal | null): Promise<Response> {
  const headers = { 'accept': 'application/json', 'content-type': 'application/json' };
  return fetch(servicePath('rpc'), { method: 'POST', credentials: 'same-origin', redirect: 'error', headers, body, signal });
}
