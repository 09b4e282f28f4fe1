import type { Readable } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import type { ItemWriter } from '../../bounds/json-bytes.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import type { AnyOperation, Operation, Output } from '../../operation/operation.ts';
import type { LinedName, OperationInput, OperationName } from '../../wire/operations.ts';
import type { WireSchema } from '../../wire/schema.ts';
import type { RequestHeader, ResponseHeader } from './documented-headers.ts';

export type Method = 'get' | 'post' | 'put' | 'delete';

export type Reply =
  /** `reads` marks a POST that only reads, like a GET, and whose answer contains no credential. */
  | {
      readonly status: number;
      readonly json?: object;
      readonly reads?: boolean;
      /** Write the items of members that are lists, which still have the names of the operation. */
      readonly writers?: Readonly<Record<string, ItemWriter>> | undefined;
      /** The answer has a weak ETag of its JSON without `apart`, a text that differs in each answer. */
      readonly tag?: { readonly apart: string | null };
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly status: number; readonly stream: Readable; readonly headers: Readonly<Record<string, string>> }
  | { readonly status: number; readonly bytes: Buffer; readonly headers: Readonly<Record<string, string>> }
  | { readonly redirect: string };
/** A reply of a row of operations. */
export type Content = Exclude<Reply, { readonly redirect: string }>;

export type Answer = {
  readonly description: string;
  /** `application/json` when left out. */
  readonly mediaType?: string;
  /** The schema of the body, if it is not the operation's output. */
  readonly schema?: WireSchema;
  /** Headers in addition to those that every response of this status has. */
  readonly headers?: readonly ResponseHeader[];
};

type Member<N extends OperationName> = keyof OperationInput<N> & string;
/** Headers that are no parameters in the OpenAPI document. The description of a row names those that matter. */
export const UNLISTED_HEADERS = [
  'Content-Type',
  'Content-Length',
  'Content-MD5',
  'If-Match',
  'If-Unmodified-Since',
] as const;
/** A header whose value becomes a member of the input. */
export type HeaderSource = RequestHeader | 'If-None-Match: *' | (typeof UNLISTED_HEADERS)[number];

/**
 * A row says which operation a method and a path perform, where each member of the input comes from, and what is answered.
 *
 * A member that the path names comes from the path. Beneath `/api` every member has its snake_case name.
 */
export type RowOf<N extends OperationName> = {
  readonly method: Method;
  /** A path of Express, such as `/api/providers/:provider`. */
  readonly path: string;
  readonly operation: Operation<N>;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly query?: readonly Member<N>[];
  readonly headers?: Readonly<Partial<Record<Member<N>, HeaderSource>>>;
  /** The members of a JSON body; `stream` when the operation reads the body itself. */
  readonly body?: readonly Member<N>[] | 'stream';
  /** Members that this route requires although the operation does not. */
  readonly needs?: readonly Member<N>[];
  /** The row is found before Express is asked. It moves bytes or lists objects, and has no body of JSON. */
  readonly hot?: true;
  /** A POST that only reads, because its query is too long for a URL. */
  readonly reads?: true;
  /** Reads members that depend on the HTTP method. */
  readonly read?: (req: IncomingMessage) => Partial<OperationInput<N>>;
  /** The answer has a weak ETag of its JSON without the returned text, which differs in each answer. The row documents `If-None-Match` and 304. */
  readonly tagWithout?: (output: Output<N>) => string | null;
  /** Write the items of long lists of the output, with the names of the route, in less time than it takes to rename their members. */
  readonly writers?: Readonly<Record<string, ItemWriter>>;
  /** The answer is sent in lines of JSON while the operation runs. */
  readonly lines?: N extends LinedName ? true : never;
  /** The size limit of a JSON body; 64 KiB when left out. */
  readonly maxBodyBytes?: number;
  /** The answers by status. `problems` adds the problem documents. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** Problems of this row, in addition to those that every row of its kind can answer. */
  readonly problems?: readonly ErrorCode[];
  /** Makes the reply from the output; by default JSON with the status in `answers`. */
  readonly reply?: (output: Output<N>, input: OperationInput<N>) => Content;
};

/** A row of any operation, for tables of rows. */
export type Row = Omit<
  RowOf<never>,
  'operation' | 'query' | 'headers' | 'body' | 'needs' | 'lines' | 'read' | 'reply' | 'tagWithout'
> & {
  readonly operation: AnyOperation;
  readonly query?: readonly string[];
  readonly headers?: Readonly<Record<string, HeaderSource>>;
  readonly body?: readonly string[] | 'stream';
  readonly needs?: readonly string[];
  readonly lines?: true;
  readonly read?: (req: IncomingMessage) => object;
  readonly reply?: (output: never, input: never) => Content;
  readonly tagWithout?: (output: never) => string | null;
};

export function row<N extends OperationName>(value: RowOf<NoInfer<N>> & { readonly operation: Operation<N> }): Row {
  return value as unknown as Row;
}
