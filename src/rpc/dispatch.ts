import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { Caller } from '../access/caller.ts';
import type { WatchedFolders } from '../access/folder-watches.ts';
import type { Origin } from '../audit/record.ts';
import { jsonBytes } from '../bounds/json-bytes.ts';
import { jsonExcess } from '../bounds/json-excess.ts';
import { SvcError, codeOf, isFault } from '../errors/svc-error.ts';
import type { Logger } from '../log/logger.ts';
import type { AnyOperation, AnyOutput } from '../operation/operation.ts';
import type { Attempt, Performer } from '../operation/perform.ts';
import { MAX_BATCH } from '../wire/batch.ts';
import { rpcErrorOf, type RpcError } from './rpc-error.ts';
import { paramsOf, readRequest, type Id, type RpcRequest } from './rpc-request.ts';

export const MAX_MESSAGE_BYTES = 1_048_576;
/** The size limit for the answers of a batch. Later calls of the batch are refused. */
const MAX_ANSWER_BYTES = 4 * 1_048_576;

const LIST_BEGINS = Buffer.from('[');
const LIST_GOES_ON = Buffer.from(',');
const LIST_ENDS = Buffer.from(']');

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;

/** The reserved method that answers the OpenRPC document. */
const DISCOVER = 'rpc.discover';

type Outcome = { readonly result: unknown } | { readonly error: RpcError };
export type RpcResponse = { readonly jsonrpc: '2.0'; readonly id: Id } & Outcome;

/** The caller of a message, and its origin. */
export type RpcContext = {
  readonly caller: Caller;
  /** Aborts when the client disconnects, and with `session_required` when its session or key ends. */
  readonly signal: AbortSignal;
  readonly origin: Origin;
  /** Identifies the caller again, for later calls of the same message; undefined when their session or key has ended. */
  readonly again: () => Promise<Caller | undefined>;
  /** The folders that the client watches; undefined when it has no socket. */
  readonly watched?: WatchedFolders;
};

export type DispatchParts = {
  readonly methods: ReadonlyMap<string, AnyOperation>;
  readonly performer: Performer;
  readonly log: Logger;
  readonly version: string;
};

/** The message that contained a call. */
type Arrival = {
  readonly context: RpcContext;
  /** The size of the whole message, because the size of a single call in a batch is not known. */
  readonly bytes: number;
  /** Whether the batch contained earlier calls, so that the caller may have signed out since. */
  readonly later: boolean;
};

/** Answers one message of a caller: a request, a notification or a batch of both (JSON-RPC 2.0). */
export class Dispatch {
  readonly #parts: DispatchParts;
  #document: object | undefined;

  constructor(parts: DispatchParts) {
    this.#parts = parts;
  }

  /**
   * Answers one message, and counts the answer as memory of its person until the client has it.
   *
   * @param send - resolves when the client has the answer, which is JSON in UTF-8; it is undefined when the message only contained notifications.
   * @throws {SvcError} `rate_limited`, `overloaded`.
   */
  async serve(text: string, context: RpcContext, send: (answer: Buffer | undefined) => Promise<void>): Promise<void> {
    const { performer } = this.#parts;
    const ofBatch = /^\s*\[/.test(text) ? MAX_ANSWER_BYTES : 0;
    await performer.hold(context.caller, ofBatch, context, async () => {
      const answer = await this.answer(text, context);
      const more = (answer?.length ?? 0) - ofBatch;
      const { signal } = context;
      await performer.hold(context.caller, more, { signal, isThere: true }, () => send(answer));
    });
  }

  /** @returns JSON in UTF-8; undefined when the message only contained notifications. */
  async answer(text: string, context: RpcContext): Promise<Buffer | undefined> {
    const excess = jsonExcess(text);
    if (excess !== undefined) return jsonBytes(refusal(null, INVALID_REQUEST, `the message ${excess}`));
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      return jsonBytes(refusal(null, PARSE_ERROR, 'the message is not JSON'));
    }
    // Parsing a large message takes long, so let other requests run.
    await turn();
    const bytes = Buffer.byteLength(text);
    if (!Array.isArray(message)) return this.#answerOne(message, { context, bytes, later: false });
    if (message.length === 0) return jsonBytes(refusal(null, INVALID_REQUEST, 'the batch is empty'));
    if (message.length > MAX_BATCH)
      return jsonBytes(refusal(null, INVALID_REQUEST, `a batch holds at most ${MAX_BATCH} requests`));
    return this.#answerBatch(message as unknown[], bytes, context);
  }

  async #answerBatch(batch: readonly unknown[], bytes: number, context: RpcContext): Promise<Buffer | undefined> {
    const answers: Buffer[] = [];
    let answered = 0;
    // Calls are performed one after the other, so that each sees the changes of those before it.
    for (const [at, item] of batch.entries()) {
      const answer = await (answered > MAX_ANSWER_BYTES
        ? tooMuch(item)
        : this.#answerOne(item, { context, bytes, later: at > 0 }));
      if (answer !== undefined) {
        answers.push(answers.length === 0 ? LIST_BEGINS : LIST_GOES_ON, answer);
        answered += answer.length;
      }
      // Let other requests run, even when this call did not wait for anything.
      await turn();
    }
    return answers.length === 0 ? undefined : Buffer.concat([...answers, LIST_ENDS]);
  }

  /** What every caller may know of the methods. */
  async #describe(): Promise<object> {
    const { methods, version } = this.#parts;
    return (this.#document ??= (await import('./openrpc.ts')).openrpcOf(methods.keys(), version));
  }

  async #answerOne(message: unknown, arrival: Arrival): Promise<Buffer | undefined> {
    const request = readRequest(message);
    if (request === undefined) return jsonBytes(refusal(null, INVALID_REQUEST, 'not a JSON-RPC 2.0 request'));
    const { id } = request;
    if (request.method === DISCOVER) return bytesOf(id, { result: await this.#describe() });
    const method = this.#parts.methods.get(request.method);
    if (method === undefined)
      return id === undefined
        ? undefined
        : jsonBytes(refusal(id, METHOD_NOT_FOUND, `there is no method \`${request.method.slice(0, 100)}\``));
    try {
      return await this.#parts.performer.perform(method, new RpcAttempt(method, request, arrival));
    } catch (error) {
      // When the client disconnects, its running calls are aborted; that is not an error.
      const mustLog =
        isFault(codeOf(error) ?? 'internal') &&
        !arrival.context.signal.aborted &&
        (error as Partial<SvcError>).isLogged !== true;
      if (mustLog) this.#parts.log.error(`rpc ${method.name} failed`, { cause: error });
      return bytesOf(id, { error: rpcErrorOf(error) });
    }
  }
}

const NO_BODY = Readable.from([]);

/** One call of a message, made by the current caller. */
class RpcAttempt implements Attempt<Buffer | undefined> {
  readonly origin: Origin;
  readonly body = NO_BODY;
  readonly known: Caller;
  readonly #operation: AnyOperation;
  readonly #request: RpcRequest;
  readonly #arrival: Arrival;

  constructor(operation: AnyOperation, request: RpcRequest, arrival: Arrival) {
    this.origin = arrival.context.origin;
    this.known = arrival.context.caller;
    this.#operation = operation;
    this.#request = request;
    this.#arrival = arrival;
  }

  get signal(): AbortSignal {
    return this.#arrival.context.signal;
  }

  get watched(): WatchedFolders | undefined {
    return this.#arrival.context.watched;
  }

  async identify(): Promise<Caller | undefined> {
    const { context, later } = this.#arrival;
    const caller = later && !context.signal.aborted ? await context.again() : context.caller;
    if (caller === undefined) throw sessionEnded();
    return caller;
  }

  read(): Promise<unknown> {
    const { maxInputBytes = MAX_MESSAGE_BYTES, name } = this.#operation;
    this.signal.throwIfAborted();
    if (this.#arrival.bytes > maxInputBytes)
      throw new SvcError('payload_too_large', {
        detail: `a message with \`${name}\` has at most ${maxInputBytes} bytes`,
      });
    return Promise.resolve(paramsOf(this.#request));
  }

  locate(member: readonly string[]): readonly string[] {
    return ['params', ...member];
  }

  /** The output stays in memory until its bytes are made, so the operation lasts as long. */
  answer(output: AnyOutput): Promise<Buffer | undefined> {
    return bytesOf(this.#request.id, { result: output });
  }

  cut(): void {
    // Messages never carry the bytes of objects, so there is nothing to cut off.
  }
}

/** The error that aborts calls when their session or key has ended. */
export function sessionEnded(): SvcError {
  return new SvcError('session_required', { detail: 'the session or key has ended; sign in again' });
}

/** The error answer to an invalid message, with an error number of JSON-RPC itself. */
function refusal(id: Id, code: number, message: string): RpcResponse {
  return {
    jsonrpc: '2.0',
    id,
    error: { code, message, data: { code: code === METHOD_NOT_FOUND ? 'method_not_allowed' : 'invalid_request' } },
  };
}

function tooMuch(message: unknown): Promise<Buffer | undefined> {
  const { id } = readRequest(message) ?? { id: null };
  const error = new SvcError('payload_too_large', {
    detail: `the answers of a batch have at most ${MAX_ANSWER_BYTES} bytes; ask for this in another`,
  });
  return bytesOf(id, { error: rpcErrorOf(error) });
}

/** A notification is not answered. */
async function bytesOf(id: Id | undefined, outcome: Outcome): Promise<Buffer | undefined> {
  return id === undefined ? undefined : jsonBytes({ jsonrpc: '2.0', id, ...outcome });
}

export function errorResponse(error: unknown): RpcResponse {
  return { jsonrpc: '2.0', id: null, error: rpcErrorOf(error) };
}
