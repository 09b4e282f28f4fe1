import type { Readable } from 'node:stream';
import type { Request } from 'express';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { AnyOperation, Operation, Output } from '../operation/operation.ts';
import type { OperationInput, OperationName } from '../wire/operations.ts';
import type { WireSchema } from '../wire/schema.ts';
import type { RequestHeader, ResponseHeader } from './openapi/headers.ts';

export type Method = 'get' | 'post' | 'put' | 'delete';

export type Reply =
  | { readonly status: number; readonly json?: object; readonly headers?: Readonly<Record<string, string>> }
  | { readonly status: number; readonly stream: Readable; readonly headers: Readonly<Record<string, string>> }
  | { readonly redirect: string };

export type Answer = {
  readonly description: string;
  /** JSON of the operation's output when left out. */
  readonly mediaType?: string;
  /** Where it is not the operation's output. */
  readonly schema?: WireSchema;
  /** Beside those that come with the status. */
  readonly headers?: readonly ResponseHeader[];
};

type Member<N extends OperationName> = keyof OperationInput<N> & string;
/** A header whose value becomes a member. Those that are not documented belong to HTTP itself. */
export type HeaderSource = RequestHeader | 'If-None-Match: *' | 'Content-Type' | 'Content-Length';

/**
 * A route is a row: which operation a method and a path perform, where each member of its input comes from, and what the answer is.
 *
 * Members that stand in the path come from there. Beneath `/api` every member has its snake_case name.
 */
export type RowOf<N extends OperationName> = {
  readonly method: Method;
  /** Express form, such as `/api/providers/:provider`. */
  readonly path: string;
  readonly operation: Operation<N>;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly query?: readonly Member<N>[];
  readonly headers?: Readonly<Partial<Record<Member<N>, HeaderSource>>>;
  /** Members of a JSON object; `stream` when the body is the operation's own. */
  readonly body?: readonly Member<N>[] | 'stream';
  /** Members that this route requires, where the operation takes one of several. */
  readonly needs?: readonly Member<N>[];
  /** Members that the method itself decides. */
  readonly read?: (req: Request) => Partial<OperationInput<N>>;
  /** Of a JSON body; 64 KiB when left out. */
  readonly maxBodyBytes?: number;
  /** What it answers, by status; its problem documents are named by `problems`. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** Problems of this row, beside those that every row of its kind can answer. */
  readonly problems?: readonly ErrorCode[];
  /** By default the output as JSON, with the status that `answers` names. */
  readonly reply?: (output: Output<N>, input: OperationInput<N>) => Reply;
};

/** A row among others, whose types the table no longer knows. */
export type Row = Omit<RowOf<never>, 'operation' | 'query' | 'headers' | 'body' | 'needs' | 'read' | 'reply'> & {
  readonly operation: AnyOperation;
  readonly query?: readonly string[];
  readonly headers?: Readonly<Record<string, HeaderSource>>;
  readonly body?: readonly string[] | 'stream';
  readonly needs?: readonly string[];
  readonly read?: (req: Request) => object;
  readonly reply?: (output: never, input: never) => Reply;
};

export function row<N extends OperationName>(value: RowOf<NoInfer<N>> & { readonly operation: Operation<N> }): Row {
  return value as unknown as Row;
}
