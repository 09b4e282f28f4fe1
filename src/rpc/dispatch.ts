import { catalogue } from '../errors/catalogue.ts';
import { SvcError, codeOf } from '../errors/svc-error.ts';
import type { Audit } from '../log/audit.ts';
import type { Logger } from '../log/logger.ts';
import type { Caller } from '../access/caller.ts';
import { refuseFaults } from '../access/invalid.ts';
import { compileFaults, type WireFault } from '../wire/fault.ts';
import { MAX_BATCH, rpcSchemas, type RpcMethodName } from '../wire/rpc.ts';
import type { RpcContext, RpcMethods } from './method.ts';

export const MAX_MESSAGE_BYTES = 1_048_576;

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;

type Id = string | number | null;
export type RpcError = { readonly code: number; readonly message: string; readonly data?: Readonly<Record<string, unknown>> };
export type RpcResponse = { readonly jsonrpc: '2.0'; readonly id: Id } & ({ readonly result: unknown } | { readonly error: RpcError });

export type DispatchParts = { readonly methods: RpcMethods; readonly audit: Audit; readonly log: Logger };

/** A row that is ready to be called with what a client sent. */
type Ready = {
  readonly name: string;
  readonly interactive: boolean;
  readonly changes: boolean;
  readonly maxMessageBytes: number;
  readonly faultsOf: (params: unknown) => WireFault[];
  readonly call: (params: unknown, context: RpcContext) => unknown;
};

/** Answers one message of a caller: a request, a notification or a batch of both (JSON-RPC 2.0). */
export class Dispatch {
  readonly #methods: ReadonlyMap<string, Ready>;
  readonly #parts: DispatchParts;

  constructor(parts: DispatchParts) {
    this.#parts = parts;
    this.#methods = new Map(Object.entries(parts.methods).map(([name, row]) => [name, ready(name as RpcMethodName, row)]));
  }

  /** @returns undefined when there is nothing to answer: the message held notifications alone. */
  async answer(text: string, context: RpcContext): Promise<RpcResponse | RpcResponse[] | undefined> {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      return refusal(null, PARSE_ERROR, 'the message is not JSON');
    }
    const bytes = Buffer.byteLength(text);
    if (!Array.isArray(message)) return this.#answerOne(message, bytes, context);
    if (message.length === 0) return refusal(null, INVALID_REQUEST, 'the batch is empty');
    if (message.length > MAX_BATCH) return refusal(null, INVALID_REQUEST, `a batch holds at most ${MAX_BATCH} requests`);
    const answers: RpcResponse[] = [];
    // One after the other: what a batch changes, the rest of it sees.
    for (const item of message as unknown[]) {
      const answer = await this.#answerOne(item, bytes, context);
      if (answer !== undefined) answers.push(answer);
    }
    return answers.length === 0 ? undefined : answers;
  }

  /** @param bytes - of the whole message: how many of them belong to one request of a batch is not known. */
  async #answerOne(message: unknown, bytes: number, context: RpcContext): Promise<RpcResponse | undefined> {
    const request = readRequest(message);
    if (request === undefined) return refusal(null, INVALID_REQUEST, 'not a JSON-RPC 2.0 request');
    const { id = null } = request;
    const isNotification = request.id === undefined;
    const method = this.#methods.get(request.method);
    if (method === undefined) return isNotification ? undefined : refusal(id, METHOD_NOT_FOUND, `there is no method \`${request.method.slice(0, 100)}\``);
    try {
      if (method.interactive && context.caller.kind === 'apiKey') throw new SvcError('interactive_session_required', { detail: 'an API key cannot manage API keys; sign in' });
      if (bytes > method.maxMessageBytes) throw new SvcError('payload_too_large', { detail: `a message with \`${method.name}\` has at most ${method.maxMessageBytes} bytes` });
      const params = request.params ?? {};
      refuseFaults(method.faultsOf(params));
      const result = await method.call(params, context);
      this.#note(method, request.params, context.caller, 'done');
      return isNotification ? undefined : { jsonrpc: '2.0', id, result };
    } catch (error) {
      if (codeOf(error) === 'access_denied') this.#note({ name: method.name, changes: true }, request.params, context.caller, 'denied');
      if (catalogue[codeOf(error) ?? 'internal'].status >= 500) this.#parts.log.error(`rpc ${method.name} failed`, { cause: error });
      return isNotification ? undefined : { jsonrpc: '2.0', id, error: rpcErrorOf(error) };
    }
  }

  #note({ name, changes }: Pick<Ready, 'name' | 'changes'>, params: unknown, caller: Caller, outcome: 'done' | 'denied'): void {
    if (!changes) return;
    const resource = resourceText(params);
    this.#parts.audit({
      action: name,
      outcome,
      issuer: caller.identity.issuer,
      subject: caller.identity.subject,
      name: caller.name,
      via: caller.session?.kind ?? caller.kind,
      ...(resource === '' ? {} : { resource }),
    });
  }
}

function ready(name: RpcMethodName, row: NonNullable<RpcMethods[RpcMethodName]>): Ready {
  return {
    name,
    interactive: row.interactive === true,
    changes: row.changes === true,
    maxMessageBytes: row.maxMessageBytes ?? MAX_MESSAGE_BYTES,
    faultsOf: compileFaults(rpcSchemas[name].params, 'params'),
    call: row.call as Ready['call'],
  };
}

/** The error object: the catalogue's code for programs, its `code` and members in `data`. Foreign errors tell nothing. */
export function rpcErrorOf(error: unknown): RpcError {
  const known = codeOf(error) === undefined ? new SvcError('internal') : (error as SvcError);
  const { rpc, title } = catalogue[known.code];
  return { code: rpc, message: title, data: { code: known.code, ...(known.detail === undefined ? {} : { detail: known.detail }), ...known.members } };
}

export function refusal(id: Id, code: number, message: string): RpcResponse {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

export function errorResponse(error: unknown): RpcResponse {
  return { jsonrpc: '2.0', id: null, error: rpcErrorOf(error) };
}

type Request = { readonly id?: Id; readonly method: string; readonly params?: unknown };

function readRequest(message: unknown): Request | undefined {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return undefined;
  const { jsonrpc, id, method, params } = message as Record<string, unknown>;
  const idFits = id === undefined || id === null || typeof id === 'string' || typeof id === 'number';
  const paramsFit = params === undefined || (typeof params === 'object' && params !== null);
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !idFits || !paramsFit) return undefined;
  return { method, ...(id === undefined ? {} : { id }), ...(params === undefined ? {} : { params }) };
}

/** Whom it was about, for the audit: names, never values. */
function resourceText(params: unknown): string {
  if (typeof params !== 'object' || params === null) return '';
  const { provider, bucket, name, key, keys, id } = params as Record<string, unknown>;
  const parts = [provider, bucket ?? name, key ?? (Array.isArray(keys) ? `(${keys.length} keys)` : undefined), provider === undefined ? id : undefined];
  return parts.filter((part) => typeof part === 'string').join('/');
}
