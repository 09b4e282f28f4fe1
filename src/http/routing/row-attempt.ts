import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../access/caller.ts';
import type { Origin } from '../../audit/record.ts';
import type { Trail } from '../../audit/trail.ts';
import { cutOff } from '../../bounds/send-body.ts';
import { LeaveSignal } from '../../bounds/stop-signal.ts';
import type { AnyOutput, Hold, Lines } from '../../operation/operation.ts';
import type { Attempt } from '../../operation/perform.ts';
import type { ReadBody } from './body.ts';
import type { Call } from './call.ts';
import { callerOf, type RequestCallerParts } from './request-caller.ts';
import { sendLines } from './lines.ts';
import type { RowInput } from './row-input.ts';
import type { Content, Row } from './row.ts';
import { send } from './send.ts';

export type RowAttemptParts = RequestCallerParts & {
  readonly row: Row;
  readonly input: RowInput;
  readonly maxBodyBytes: number;
  readonly replyOf: (output: AnyOutput, input: never) => Content;
};

/**
 * A request for the operation of a row. It is a class, because V8 keeps a hidden class for each object literal with a getter until the next full collection.
 */
export class RowAttempt implements Attempt<void> {
  readonly #parts: RowAttemptParts;
  readonly #call: Call;
  readonly #readBody: ReadBody | undefined;
  #input: unknown;
  #bytes: number | undefined;
  #signal: LeaveSignal | undefined;

  constructor(parts: RowAttemptParts, call: Call, readBody?: ReadBody) {
    this.#parts = parts;
    this.#call = call;
    this.#readBody = readBody;
  }

  get origin(): Origin {
    return { requestId: this.#call.requestId, address: this.#call.address, face: 'http' };
  }

  get body(): IncomingMessage {
    return this.#call.req;
  }

  /** Created only when an operation needs it, because most operations answer at once. */
  get signal(): LeaveSignal {
    return (this.#signal ??= new LeaveSignal(this.#call.res));
  }

  identify(trail: Trail): Promise<Caller | undefined> {
    return callerOf(this.#parts.row.path, this.#call, this.#parts, trail);
  }

  async read(): Promise<unknown> {
    this.#bytes = await this.#readBody?.(this.#call.req, this.#call.res);
    this.#input = this.inputOf(this.#call);
    return this.#input;
  }

  protected inputOf(call: Call): object {
    return this.#parts.input.of(call);
  }

  /** The size of a compressed body is not known before it is read. */
  get inputBytes(): number {
    const { maxBodyBytes } = this.#parts;
    const { 'content-length': length, 'content-encoding': encoding } = this.#call.req.headers;
    if (this.#bytes !== undefined || this.#readBody === undefined) return this.#bytes ?? 0;
    return length === undefined || encoding !== undefined ? maxBodyBytes : Math.min(Number(length), maxBodyBytes);
  }

  locate(member: readonly string[]): readonly string[] {
    return this.#parts.input.locate(member);
  }

  get inLines(): boolean {
    return this.#parts.row.lines === true;
  }

  /** Not asynchronous: it would keep the output in memory while the client reads the answer. */
  answer(output: AnyOutput, trail: Trail, hold: Hold): Promise<void> {
    const sent = this.inLines
      ? sendLines(this.#call, this.#parts.row.operation.name, output as Lines)
      : this.#reply(output, trail, hold);
    return sent.then((isSent) => {
      if (!isSent) trail.failed('client_gone');
    });
  }

  #reply(output: AnyOutput, trail: Trail, hold: Hold): Promise<boolean> {
    const reply = this.#parts.replyOf(output, this.#input as never);
    if ('bytes' in reply) trail.moved(reply.bytes.length);
    else if ('stream' in reply) reply.stream.on('data', (chunk: Buffer) => trail.moved(chunk.length));
    return send(this.#call, reply, hold);
  }

  cut(): void {
    cutOff(this.#call.res);
  }
}
