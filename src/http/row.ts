import type { Readable } from 'node:stream';
import type { Request } from 'express';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { AnyOperation, Operation, Output } from '../operation/operation.ts';
import type { LinedName, OperationInput, OperationName } from '../wire/operations.ts';
import type { WireSchema } from '../wire/schema.ts';
import type { RequestHeader, ResponseHeader } from './openapi/headers.ts';

export type Method = 'get' | 'post' | 'put' | 'delete';

export type Reply =
  /** `reads`: a POST that only reads, as a GET does, and answers no credential. */
  | { readonly status: number; readonly json?: object; readonly reads?: boolean; readonly headers?: Readonly<Record<string, string>> }
  | { readonly status: number; readonly stream: Readable; readonly headers: Readonly<Record<string, string>> }
  | { readonly redirect: string };

export type Answer = {
  readonly description: string;
  /** `application/json` when left out. */
  readonly mediaType?: string;
  /** The schema of the body, when it is not the operation's output. */
  readonly schema?: WireSchema;
  /** Headers in addition to those that every response of this status has. */
  readonly headers?: readonly ResponseHeader[];
};

type Member<N extends OperationName> = keyof OperationInput<N> & string;
/** A header whose value becomes a member of the input. `Content-Type` and `Content-Length` belong to HTTP itself and are not documented. */
export type HeaderSource = RequestHeader | 'If-None-Match: *' | 'Content-Type' | 'Content-Length';

/**
 * A row says which operation a method and a path perform, where each member of the input comes from, and what is answered.
 *
 * A member that the path names comes from the path. Beneath `/api` every member has its snake_case name.
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
  /** The members that a JSON body holds; `stream` when the operation reads the body itself. */
  readonly body?: readonly Member<N>[] | 'stream';
  /** Members that this route requires although the operation does not. */
  readonly needs?: readonly Member<N>[];
  /** A POST that only reads, because its question is too long for an address. */
  readonly reads?: true;
  /** Reads members that depend on the HTTP method. */
  readonly read?: (req: Request) => Partial<OperationInput<N>>;
  /** The answer goes out in lines of JSON while the operation goes on. */
  readonly lines?: N extends LinedName ? true : never;
  /** The limit of a JSON body; 64 KiB when left out. */
  readonly maxBodyBytes?: number;
  /** The answers by status. `problems` names the problem documents. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** Problems of this row, in addition to those that every row of its kind can answer. */
  readonly problems?: readonly ErrorCode[];
  /** Makes the reply from the output; by default it is JSON with the status that `answers` names. */
  readonly reply?: (output: Output<N>, input: OperationInput<N>) => Reply;
};

/** A row of any operation, for tables of rows. */
export type Row = Omit<RowOf<never>, 'operation' | 'query' | 'headers' | 'body' | 'needs' | 'lines' | 'read' | 'reply'> & {
  readonly operation: AnyOperation;
  readonly query?: readonly string[];
  readonly headers?: Readonly<Record<string, HeaderSource>>;
  readonly body?: readonly string[] | 'stream';
  readonly needs?: readonly string[];
  readonly lines?: true;
  readonly read?: (req: Request) => object;
  readonly reply?: (output: never, input: never) => Reply;
};

export function row<N extends OperationName>(value: RowOf<NoInfer<N>> & { readonly operation: Operation<N> }): Row {
  return value as unknown as Row;
}
