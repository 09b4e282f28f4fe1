import type { Request, Response } from 'express';
import type { Caller } from '../../access/caller.ts';
import type { Origin } from '../../audit/record.ts';
import type { Trail } from '../../audit/trail.ts';
import { abortWhenGone } from '../../bounds/client-gone.ts';
import type { AnyOutput, Lines } from '../../operation/operation.ts';
import type { Attempt } from '../../operation/perform.ts';
import type { ReadBody } from './body.ts';
import { callerOf, type RequestCallerParts } from './request-caller.ts';
import { sendLines } from './lines.ts';
import { requestIdOf } from './request-id.ts';
import type { RowInput } from './row-input.ts';
import type { Reply, Row } from './row.ts';
import { send } from './send.ts';

export type RowAttemptParts = RequestCallerParts & {
  readonly row: Row;
  readonly input: RowInput;
  readonly readBody?: ReadBody | undefined;
  readonly maxBodyBytes: number;
  readonly replyOf: (output: AnyOutput, input: never, req: Request) => Reply;
};

/**
 * A request for the operation of a row. It is a class, because V8 keeps a hidden class for each object literal with a getter until the next full collection.
 */
export class RowAttempt implements Attempt<void> {
  readonly #parts: RowAttemptParts;
  readonly #req: Request;
  readonly #res: Response;
  #input: unknown;

  constructor(parts: RowAttemptParts, req: Request, res: Response) {
    this.#parts = parts;
    this.#req = req;
    this.#res = res;
  }

  get origin(): Origin {
    return { requestId: requestIdOf(this.#res), address: this.#req.ip, face: 'http' };
  }

  get body(): Request {
    return this.#req;
  }

  /** Created only when an operation needs it, because most operations answer at once. */
  get signal(): AbortSignal {
    const away = new AbortController();
    abortWhenGone(this.#res, away);
    return away.signal;
  }

  identify(trail: Trail): Promise<Caller | undefined> {
    return callerOf(this.#parts.row.path, this.#req, this.#parts, trail);
  }

  async read(): Promise<unknown> {
    await this.#parts.readBody?.(this.#req, this.#res);
    this.#input = this.inputOf(this.#req);
    return this.#input;
  }

  protected inputOf(req: Request): object {
    return this.#parts.input.of(req);
  }

  /** The size of a compressed body is not known before it is read. */
  get inputBytes(): number {
    const { readBody, maxBodyBytes } = this.#parts;
    const { 'content-length': length, 'content-encoding': encoding } = this.#req.headers;
    if (readBody === undefined) return 0;
    return length === undefined || encoding !== undefined ? maxBodyBytes : Math.min(Number(length), maxBodyBytes);
  }

  locate(member: readonly string[]): readonly string[] {
    return this.#parts.input.locate(member);
  }

  get inLines(): boolean {
    return this.#parts.row.lines === true;
  }

  async answer(output: AnyOutput, trail: Trail): Promise<void> {
    if (
      !(await (this.inLines
        ? sendLines(this.#req, this.#res, this.#parts.row.operation.name, output as Lines)
        : this.#reply(output, trail)))
    )
      trail.failed('client_gone');
  }

  #reply(output: AnyOutput, trail: Trail): Promise<boolean> {
    const reply = this.#parts.replyOf(output, this.#input as never, this.#req);
    if ('stream' in reply) reply.stream.on('data', (chunk: Buffer) => trail.moved(chunk.length));
    return send(this.#req, this.#res, reply);
  }

  cut(): void {
    this.#res.destroy();
  }
}
