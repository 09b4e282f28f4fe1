/** A process beside which an instance is measured: it takes about as long for each request, and shares nothing with any other. */
import { hash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** So many hashes of a kilobyte take about as long as the service takes to say who is signed in. */
const HASHES = 100;
const TEXT = 'x'.repeat(1_024);

export type Ready = { readonly port: number };

const server = createServer((_request, response) => {
  let last = '';
  for (let i = 0; i < HASHES; i += 1) last = hash('sha256', TEXT);
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ last }));
}).listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port } satisfies Ready));
