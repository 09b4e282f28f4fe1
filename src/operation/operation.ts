import type { HoldWhile } from '../bounds/shares.ts';
import type { StopSignal } from '../bounds/stop-signal.ts';
import type { Readable } from 'node:stream';
import type { Ask } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import type { WatchedFolders } from '../access/folder-watches.ts';
import { operations, type Kind } from '../audit/operations.ts';
import type { Trail } from '../audit/trail.ts';
import type { AtomicAction } from '../policy/model/action.ts';
import type { Targets } from '../access/target.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import type { ClientBody } from '../storage/incoming-body.ts';
import type {
  LinedName,
  OperationInput,
  OperationLine,
  OperationName,
  OperationOutput,
  StreamedName,
} from '../wire/operations.ts';
import type { PermittedStorage, Services } from './services.ts';

/**
 * Who may perform an operation. The member is required, so an operation without a check does not compile.
 *
 * - `open`: anybody.
 * - `session`: a caller with a session or an API key.
 * - `interactive`: a person with a session; an API key is refused.
 * - `admin`: a person with the admin role.
 * - `policy`: every question of `asks` must be allowed; `run` gets the resources in the same order, as `targets`.
 *   `each` names the action that `run` asks about each single resource, when the caller may get part of the result.
 */
export type Access<I, T extends readonly Ask[]> =
  | { readonly kind: 'open' }
  | { readonly kind: 'session' }
  | { readonly kind: 'interactive' }
  | { readonly kind: 'admin' }
  | { readonly kind: 'policy'; readonly asks: (input: I, at: Targets) => T; readonly each?: AtomicAction };

/**
 * Takes more bytes of memory, which are given back when the client has the answer. The turn to build an answer ends with the first call, also with 0 bytes.
 *
 * @returns what to wait for; undefined for an answer so short that it takes none.
 * @throws {SvcError} `rate_limited`, `overloaded`.
 */
export type Hold = (bytes: number) => Promise<void> | undefined;

/** The argument of `run`. Storage opens only resources that policy allowed. */
export type Performance<I, T extends readonly Ask[] = readonly Ask[]> = ClientBody & {
  readonly input: I;
  readonly caller: Caller;
  readonly targets: { readonly [K in keyof T]: Permitted<T[K]['resource']> };
  readonly storage: PermittedStorage;
  readonly services: Services;
  /** Takes more memory until it is given back, or the client has the answer, for operations that learn what they need while they run. */
  readonly hold: HoldWhile;
  /** Aborts when the client disconnects, and when the session or key with which the operation began ends. */
  readonly signal: StopSignal;
  /** Collects the audit record. */
  readonly trail: Trail;
  /** The folders that the client watches; undefined unless the request came on a socket. */
  readonly watched: WatchedFolders | undefined;
};

/** An answer of bytes. `headers` are the object's headers from storage, under their HTTP names in lower case. */
export type Streamed = {
  readonly status: 200 | 206 | 304;
  readonly headers: Readonly<Record<string, string>>;
  /** A small body is whole. Undefined for a 304, and when only the headers were asked for. */
  readonly body: Readable | Buffer | undefined;
};

/** An answer in lines that are sent while the operation runs. Each step yields the lines that are known by then, which may be none. */
export type Lines<N extends LinedName = LinedName> = AsyncGenerator<readonly OperationLine<N>[], void, void>;

export type Output<N extends OperationName> = N extends StreamedName ? Streamed : OperationOutput<N>;

/** One thing that the service can do. Every face maps names and bytes to operations, and decides nothing itself. */
export type Operation<N extends OperationName = OperationName, T extends readonly Ask[] = readonly Ask[]> = {
  readonly name: N;
  readonly access: Access<OperationInput<N>, T>;
  /** The maximum size of the message or body that carries the input; by default the limit of any message. */
  readonly maxInputBytes?: number;
  /** Tells the audit, before anything is done, what the input names that policy is not asked about. */
  readonly about?: (input: OperationInput<N>, trail: Trail, caller: Caller) => void;
  /** Whether `run` calls `trail.intend` itself, because only `run` finds out what will change. */
  readonly intends?: true;
  readonly run: (performance: Performance<OperationInput<N>, T>) => Promise<Output<N>> | Output<N>;
  /**
   * What the operation holds until its client has the answer, where that is not the usual: bytes of memory, and connections to each provider.
   *
   * @throws {SvcError} `payload_too_large`.
   */
  readonly holds?: (input: OperationInput<N>) => { readonly bytes?: number; readonly connections?: number };
  /** Answers in lines instead of one output, for faces that can send them. */
  readonly lines?: N extends LinedName ? (performance: Performance<OperationInput<N>, T>) => Lines<N> : never;
};

export type AnyOutput = Output<OperationName> | Lines;

/** An operation of any type, for tables. `perform` checks the input before `run` gets it. */
export type AnyOperation = { readonly [N in OperationName]: Operation<N> }[OperationName];

/** What the audit knows of each operation. An operation without a line in `src/audit/operations.ts` does not compile. */
export const kinds: Readonly<Record<OperationName, { readonly kind: Kind }>> = operations;

export function operation<N extends OperationName, const T extends readonly Ask[] = readonly []>(
  value: Operation<N, T>,
): Operation<N> {
  return value as unknown as Operation<N>;
}
