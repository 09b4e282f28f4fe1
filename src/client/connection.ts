import type { Readable } from 'node:stream';
import type { Agent, Dispatcher } from 'undici';
import type { RpcMethodName, RpcParams, RpcResult } from '../wire/rpc.ts';
import { ClientFailure } from './client-failure.ts';
import type { Failure } from '../transfer/failure.ts';
import type { Pace } from './pace.ts';
import { failureOfProxy, jsonOf, refusalOf, unreachable } from './service-failure.ts';

type RpcAnswer = {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message?: string; readonly data?: Readonly<Record<string, unknown>> } | null;
};

/** `retryAfter` is the header of that name; empty when there is none. */
export type ServiceAnswer = { readonly status: number; readonly text: string; readonly retryAfter: string };

/** Methods that change nothing. */
export const QUESTION = /\/(?:get|head|info|list\w*|search|tags)$/;
/** Another answer to a question that fails later would take as long. */
const SOON_MS = 5_000;
/** A page of 1,000 keys of 1,024 characters, each escaped, has some 6 MiB. */
const MAX_ANSWER_BYTES = 64 * 1_048_576;

/** A request to a service or with a ticket. A time limit is in ms; without one it is the default of undici. */
export type ServiceRequest = Pick<Dispatcher.RequestOptions, 'headersTimeout' | 'bodyTimeout'> & {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Readable | Buffer | string | null;
  readonly signal?: AbortSignal | null;
};

let agent: Promise<Agent> | undefined;

/** A service, and the credential for it. */
export class Connection {
  /** Without a slash at the end. */
  readonly server: string;
  readonly credential: string | undefined;
  /** The pace of transfers; undefined for as fast as possible. */
  readonly pace: Pace | undefined;
  /** Is told each failure after which something is tried again, and the path that it is about. */
  readonly onRetry: ((failure: Failure, path?: string) => void) | undefined;

  constructor(server: string, credential: string | undefined, pace?: Pace, onRetry?: Connection['onRetry']) {
    this.server = server;
    this.credential = credential;
    this.pace = pace;
    this.onRetry = onRetry;
  }

  /** The same connection for work on one path, which is told with each failure. */
  about(path: string): Connection {
    return new Connection(this.server, this.credential, this.pace, (failure) => this.onRetry?.(failure, path));
  }

  /**
   * Calls a JSON-RPC method. A question that soon fails because no answer arrives is asked once more at once: a proxy that has lost an instance asks another one then.
   *
   * @throws {SvcError} when the service refuses; {@link ClientFailure} when it cannot be reached.
   */
  async call<M extends RpcMethodName>(method: M, params: RpcParams<M>): Promise<RpcResult<M>> {
    const begun = performance.now();
    try {
      return await this.#callOnce(method, params);
    } catch (error) {
      const isSoon = performance.now() - begun < SOON_MS;
      if (!isSoon || !QUESTION.test(method) || !(error instanceof ClientFailure) || error.code !== 'unreachable')
        throw error;
      return this.#callOnce(method, params);
    }
  }

  /**
   * Calls a JSON-RPC method several times in one message. The calls are performed one after the other, and each has an outcome of its own.
   *
   * @throws {ClientFailure} when the service cannot be reached.
   */
  async callEach<M extends RpcMethodName>(
    method: M,
    each: readonly RpcParams<M>[],
  ): Promise<PromiseSettledResult<RpcResult<M>>[]> {
    if (each.length === 1) return Promise.allSettled([this.#callOnce(method, each[0]!)]);
    const response = await this.#send(each.map((params, id) => ({ jsonrpc: '2.0', id, method, params })));
    const answers = jsonOf(response.text);
    const answerTo = (id: number): unknown =>
      Array.isArray(answers) ? (answers as (RpcAnswer | null)[]).find((answer) => answer?.id === id) : answers;
    return Promise.allSettled(each.map(async (_, id) => this.#resultOf<M>(answerTo(id), response)));
  }

  async #callOnce<M extends RpcMethodName>(method: M, params: RpcParams<M>): Promise<RpcResult<M>> {
    const response = await this.#send({ jsonrpc: '2.0', id: 1, method, params });
    return this.#resultOf<M>(jsonOf(response.text), response);
  }

  #send(message: object): Promise<ServiceAnswer> {
    return this.post('/rpc', 'application/json', JSON.stringify(message));
  }

  #resultOf<M extends RpcMethodName>(answer: unknown, { status, retryAfter }: ServiceAnswer): RpcResult<M> {
    const { result, error } = (answer ?? {}) as RpcAnswer;
    const refusal = refusalOf(error?.data, retryAfter);
    if (refusal !== undefined) throw refusal;
    // A proxy may answer in JSON too, with an error of its own.
    if (status < 300 && error?.message !== undefined) throw new ClientFailure(error.message);
    if (status >= 300 || result === undefined || result === null) throw this.notOurs(status, '/rpc', retryAfter);
    return result as RpcResult<M>;
  }

  /** Posts to a path of the service with the credential. */
  async post(path: string, contentType?: string, body = ''): Promise<ServiceAnswer> {
    const headers = {
      accept: 'application/json',
      ...(contentType !== undefined && { 'content-type': contentType }),
    };
    // The answer to a large copy comes when the copy is done, so only the service limits the time. A lost service is noticed by TCP.
    const response = await this.request(path, { method: 'POST', headers, body, headersTimeout: 0 });
    try {
      const text = (await bytesOf(response.body)).toString();
      return { status: response.statusCode, text, retryAfter: headerOf(response, 'retry-after') };
    } catch (error) {
      throw error instanceof ClientFailure ? error : unreachable(this.server, error);
    }
  }

  /** Makes a request to a path of the service with the credential. Redirects are not followed, because the credential is for this server only. */
  async request(path: string, { headers, ...request }: ServiceRequest): Promise<Dispatcher.ResponseData> {
    const credential = this.credential === undefined ? {} : { authorization: `Bearer ${this.credential}` };
    const response = await exchange(this.server + path, { ...request, headers: { ...headers, ...credential } });
    if (response.statusCode < 300 || response.statusCode >= 400) return response;
    response.body.destroy();
    throw new ClientFailure(
      `${this.server} redirects to ${headerOf(response, 'location') || 'another place'}; give the address that people open with \`--server\``,
    );
  }

  /** The failure of an answer that no service has made. */
  notOurs(status: number, path: '/rpc' | '/api', retryAfter: string): Error {
    return (
      failureOfProxy(this.server, status, retryAfter) ??
      new ClientFailure(
        `${this.server} answered ${status} and not as svc does; check the address, and whether \`${path}\` is passed on by the proxy`,
      )
    );
  }
}

/** Loads what makes requests, at the first call. */
export function loadAgent(): Promise<Agent> {
  return (agent ??= import('undici').then(({ Agent }) => new Agent({ allowH2: false })));
}

/** Makes a request on a connection that is kept. @throws {ClientFailure} when no answer arrives. */
export async function exchange(url: string, request: ServiceRequest): Promise<Dispatcher.ResponseData> {
  const { origin } = new URL(url);
  try {
    // The path stays as it is: `URL` would resolve the dots in it.
    const path = url.slice(url.indexOf('/', 'https://'.length));
    const response = await (await loadAgent()).request({ ...request, origin, path });
    // An answer that is thrown away must not end the process.
    response.body.on('error', () => undefined);
    return response;
  } catch (error) {
    throw unreachable(origin, error);
  }
}

/** The body of an answer that is held whole. @throws {ClientFailure} when it is longer than any answer of the service. */
export async function bytesOf(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  // An end before the last chunk destroys the body.
  for await (const chunk of body) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES)
      throw new ClientFailure(
        `the service answers with more than ${MAX_ANSWER_BYTES / 1_048_576} MiB; check the address`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** One header of an answer; empty when there is none. */
export function headerOf({ headers }: Pick<Dispatcher.ResponseData, 'headers'>, name: string): string {
  const value = headers[name];
  return Array.isArray(value) ? (value[0] ?? '') : (value ?? '');
}
