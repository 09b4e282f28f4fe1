import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import type { Route } from '../../../src/http/routing/route.ts';
import { routes as s3Routes } from '../../../src/s3/routes.ts';
import type { S3Route } from '../../../src/s3/route.ts';
import { RPC_METHODS, rpcSchemas, type RpcMethodName } from '../../../src/wire/rpc.ts';
import type { WireSchema } from '../../../src/wire/schema.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { startGreedyStorage, type GreedyStorage, type Mood } from '../../support/greedy-storage.ts';
import { heldBytes } from '../../support/held-bytes.ts';
import { largestOf, sizeOf, smaller } from '../../support/largest.ts';
import { needsOneProcess } from '../../support/one-process.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { RpcClient } from '../../support/rpc-client.ts';
import { startS3Face, type S3Face, type S3Key } from '../../support/s3-face.ts';
import { signed } from '../../support/s3-signer.ts';

/** Requests of each row, and rows at a time. */
const REQUESTS = 50;
const ROWS = 4;
const SOCKETS = 32;
const MOST_BYTES = 150e6;

/** What no schema says; members that are undefined are left out, because they go with few others. */
const KNOWN = {
  provider: 'greedy',
  bucket: 'files',
  id: 'x',
  action: 'objects:get',
  prefix: `${'k'.repeat(1_000)}/`,
  to: { key: 'k'.repeat(1_000) },
  cursor: undefined,
  version: undefined,
  keep: undefined,
  tag: undefined,
};
/** These end the session of the test. */
const ENDING = /logout|session\/end|session\/revoke|sessions\/revoke|suspend/;

const KEYS = Array.from({ length: 1_000 }, (_, i) => String(i).padEnd(1_000, 'k'));
/** The largest bodies in XML, by the name of the call. */
const XML: Readonly<Record<string, string>> = {
  DeleteObjects: `<Delete>${KEYS.map((key) => `<Object><Key>${key}</Key></Object>`).join('')}</Delete>`,
  CompleteMultipartUpload: `<CompleteMultipartUpload>${Array.from({ length: 10_000 }, (_, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>"${'e'.repeat(32)}"</ETag></Part>`).join('')}</CompleteMultipartUpload>`,
};
/** The values of the parameters that choose a call. */
const CHOOSING: Readonly<Record<string, string>> = { 'list-type': '2', partNumber: '1', uploadId: 'x' };
const OTHER_XML = `<Any>${'<x/>'.repeat(500_000)}</Any>`;
/** A body that a row does not take. */
const UNASKED = Buffer.alloc(320_000, ' ');
const CONTENT = Buffer.alloc(2 ** 20, 'svc');

type Sent = {
  readonly origin: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};
/** A row of a face, and the largest request for it. */
type Row = {
  readonly name: string;
  readonly sent: () => Promise<Sent>;
  /** A request can be sent once. */ readonly isOnce?: true;
};
/** The members of an input, by their part of the request. */
type Input = Record<string, Record<string, unknown>>;

let face: S3Face;
let storage: GreedyStorage;
let bearer: string;
let key: S3Key;
let answered = 0;
const sockets: Socket[] = [];

beforeAll(async () => {
  storage = await startGreedyStorage();
  face = await startS3Face({
    isUnwatched: true,
    config: ({ providers }) => ({
      providers: [
        ...(providers as object[]),
        {
          name: 'greedy',
          type: 's3',
          endpoint: storage.url,
          path_style: true,
          timeout_seconds: 300,
          credentials: { access_key_id: 'x', secret_access_key: 'x' },
        },
      ],
    }),
  });
  bearer = (await signInDesktop(face.app, 'ada')).access_token;
  key = await face.key('ada', { provider: 'greedy' });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await face.app.close();
  await storage.close();
});

it.each<Mood>(['stalling', 'large'])(
  'whatever one person asks of %s storage, in whatever way, and reads no answer: it holds less than 150 MB',
  async (mood) => {
    needsOneProcess('the memory is that of this process');
    const rows = [
      ...face.app.rows.map(ofRoute),
      ...RPC_METHODS.map(ofMethod),
      ...s3Routes.map(ofCall),
      ofTicket('download'),
      ofTicket('upload'),
      ofTicket('upload', { upload: { id: 'x', part: 1 } }),
    ].filter(({ name }) => !ENDING.test(name));
    const groups = Array.from({ length: Math.ceil(rows.length / ROWS) }, (_, i) =>
      rows.slice(i * ROWS, (i + 1) * ROWS),
    );
    const tooMuch: string[] = [];
    for (const group of groups) {
      storage.calm();
      const requests = await Promise.all(group.map(requestsOf));
      const held = await heldBy(mood, () => {
        for (let i = 0; i < REQUESTS; i += 1) for (const sent of requests) send(sent[i % sent.length]!, i);
      });
      if (held > MOST_BYTES) tooMuch.push(`${(held / 1e6).toFixed(0)} MB: ${group.map(({ name }) => name).join(', ')}`);
    }
    expect(tooMuch).toEqual([]);
    // Whoever is signed out holds nothing.
    await RpcClient.bearer(face.app.origin, bearer).call('session/get', {});
  },
  600_000,
);

it.each<Mood>(['stalling', 'large'])(
  'messages by all WebSockets of a person hold as little: %s storage',
  async (mood) => {
    needsOneProcess('the memory is that of this process');
    storage.calm();
    const methods = RPC_METHODS.filter((name) => !ENDING.test(name)).map(ofMethod);
    const messages = (await Promise.all(methods.map(({ sent }) => sent()))).map(({ body }) => body.toString());
    const open = Array.from({ length: SOCKETS }, () => {
      const socket = new WebSocket(`${face.app.origin.replace('http', 'ws')}/rpc`, {
        headers: { authorization: `Bearer ${bearer}`, origin: face.app.origin },
      });
      socket.on('error', () => undefined);
      socket.once('upgrade', ({ socket: stream }: { readonly socket: Socket }) => sockets.push(stream));
      return socket;
    });
    await Promise.all(open.map((socket) => once(socket, 'open')));
    const held = await heldBy(mood, () => {
      for (const [i, socket] of open.entries()) {
        socket.pause();
        for (const at of messages.keys()) socket.send(messages[(at + i) % messages.length]!, { binary: false });
      }
    });
    expect(held).toBeLessThan(MOST_BYTES);
  },
);

/** How much the process grows while requests are under way. */
async function heldBy(mood: Mood, ask: () => void): Promise<number> {
  await settled();
  const before = heldBytes();
  storage.mood = mood;
  ask();
  await settled();
  const held = heldBytes() - before;
  for (const socket of sockets.splice(0)) socket.destroy();
  storage.calm();
  await settled();
  return held;
}

/** Resolves when nothing moves any more. */
async function settled(): Promise<void> {
  const now = (): number =>
    sockets.reduce(
      (sum, { bytesRead, bytesWritten, writableLength }) => sum + bytesRead + bytesWritten - writableLength,
      storage.moved + answered,
    );
  for (let [last, same] = [-1, 0]; same < 3;) {
    await wait(50);
    const next = now();
    same = next === last ? same + 1 : 0;
    last = next;
  }
}

/** Sends a request, and reads no further than the beginning of its answer. */
function send({ origin, method, path, headers, body }: Sent, i: number): void {
  const socket = connect({ port: Number(new URL(origin).port), host: '127.0.0.1' });
  sockets.push(socket);
  socket
    .on('error', () => undefined)
    .once('data', () => {
      answered += 1;
      socket.pause();
    });
  // The endpoint for S3 takes no body without a length.
  const isChunked = i % 2 === 1 && origin !== face.endpoint;
  const length = isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body.length) };
  const lines = Object.entries({ ...headers, ...length }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(
    `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${isChunked ? `${body.length.toString(16)}\r\n` : ''}`,
  );
  socket.write(body);
  if (isChunked) socket.write('\r\n0\r\n\r\n');
}

async function requestsOf({ sent, isOnce }: Row): Promise<readonly Sent[]> {
  const requests: Sent[] = [];
  for (let i = 0; i < (isOnce === true ? REQUESTS : 1); i += 1) requests.push(await sent());
  return requests;
}

function ofRoute({ method, path, params, query, body, bodyType }: Route): Row {
  const { origin, host } = new URL(face.app.origin);
  const input = { path: membersOf(params), query: membersOf(query), body: membersOf(body) };
  const request = (given: Input): Sent => {
    const target = path.replace(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent((given['path']![name] as string | undefined) ?? 'x'),
    );
    const search = new URLSearchParams(given['query'] as Record<string, string>).toString();
    const isForm = bodyType === 'application/x-www-form-urlencoded';
    const text = isForm
      ? new URLSearchParams(given['body'] as Record<string, string>).toString()
      : JSON.stringify(given['body']);
    return {
      origin,
      method: method.toUpperCase(),
      path: search === '' ? target : `${target}?${search}`,
      headers: {
        host,
        authorization: `Bearer ${bearer}`,
        ...(typeof body === 'object' && { 'content-type': bodyType }),
      },
      body: typeof body === 'object' ? Buffer.from(text) : body === 'stream' ? CONTENT : UNASKED,
    };
  };
  return { name: `${method} ${path}`, sent: () => taken(input, request) };
}

function ofMethod(method: RpcMethodName): Row {
  const { origin, host } = new URL(face.app.origin);
  const headers = { host, authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
  const request = ({ params }: Input): Sent => ({
    origin,
    method: 'POST',
    path: '/rpc',
    headers,
    body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })),
  });
  return { name: `rpc ${method}`, sent: () => taken({ params: membersOf(rpcSchemas[method].params) }, request) };
}

function ofCall({ name, method, level, selectedBy, selectedByHeader, body }: S3Route): Row {
  const { origin, host } = new URL(face.endpoint);
  const place = { service: '/', bucket: '/files', object: `/files/${'k'.repeat(1_000)}` }[level];
  const query = selectedBy.map((each) => `${each}=${CHOOSING[each] ?? ''}`).join('&');
  const target = query === '' ? place : `${place}?${query}`;
  const more: Record<string, string> = selectedByHeader === undefined ? {} : { [selectedByHeader]: '/files/x' };
  const headers = signed({ method, target, key, host, headers: more, payloadHash: 'UNSIGNED-PAYLOAD' });
  const xml = Buffer.from(XML[name] ?? OTHER_XML);
  const sent = { origin, method, path: target, headers, body: { none: UNASKED, stream: CONTENT, xml }[body] };
  return { name: `s3 ${name}`, sent: () => Promise.resolve(sent) };
}

function ofTicket(direction: 'download' | 'upload', more: object = {}): Row {
  const rpc = RpcClient.bearer(face.app.origin, bearer);
  const place = { provider: 'greedy', bucket: 'files', key: 'k' };
  const sent = async (): Promise<Sent> => {
    const { url, method } = await rpc.call('transfer/create', { ...place, direction, ...more });
    const { host, origin, pathname } = new URL(url);
    return { origin, method, path: pathname, headers: { host }, body: direction === 'upload' ? CONTENT : UNASKED };
  };
  return {
    name: `ticket ${direction} ${Object.keys(more).join()}`,
    sent,
    ...(direction === 'upload' && { isOnce: true }),
  };
}

function membersOf(schema: WireSchema | 'stream' | undefined): Record<string, unknown> {
  return typeof schema === 'object' ? (largestOf(schema, '', KNOWN) as Record<string, unknown>) : {};
}

/** The largest request that the service takes: the member that it refuses gets smaller until it does, or else the largest. */
async function taken(input: Input, request: (input: Input) => Sent): Promise<Sent> {
  for (;;) {
    const sent = request(input);
    const refused = refusedIn(await rawRequest(sent.origin, sent.path, sent));
    const members = Object.entries(input).flatMap(([part, of]) =>
      Object.keys(of).flatMap((name) => (['provider', 'bucket'].includes(name) ? [] : [[part, name] as const])),
    );
    const found =
      members.find(([, name]) => refused?.split('.').includes(name)) ??
      members.toSorted(([p, a], [q, b]) => sizeOf(input[q]![b]) - sizeOf(input[p]![a]))[0];
    if (refused === undefined || found === undefined) return sent;
    const [part, name] = found;
    const half = smaller(input[part]![name]);
    if (half === undefined) Reflect.deleteProperty(input[part]!, name);
    else input[part]![name] = half;
  }
}

type Refusal = { readonly code?: string; readonly errors?: readonly { readonly path: string }[] };

/** Where the input is not as it should be; undefined when it is. */
function refusedIn(answer: Awaited<ReturnType<typeof rawRequest>>): string | undefined {
  if ([413, 414, 431, 501].includes(answer.status)) return '';
  if (![200, 400].includes(answer.status) || !/json$|json;/.test(answer.headers['content-type'] ?? ''))
    return undefined;
  const told = answer.json() as Refusal & { readonly error?: { readonly data?: Refusal } };
  const { code = '', errors = [] } = told.error?.data ?? told;
  return ['invalid_request', 'payload_too_large', 'not_supported'].includes(code) ? (errors[0]?.path ?? '') : undefined;
}
