import { dropBody } from '../bounds/drop-body.ts';
import type { HoldWhile } from '../bounds/shares.ts';
import type { StopSignal } from '../bounds/stop-signal.ts';
import type { Readable } from 'node:stream';
import { admit } from '../access/admit.ts';
import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import type { CredentialWatch } from '../access/credential-watch.ts';
import type { WatchedFolders } from '../access/folder-watches.ts';
import { refuseFaults } from '../access/invalid.ts';
import { whoOf } from '../access/who.ts';
import { audited } from '../audit/audited.ts';
import type { Audit, Origin } from '../audit/record.ts';
import type { Trail } from '../audit/trail.ts';
import { codeOf } from '../errors/svc-error.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import type { Resource } from '../policy/model/resource.ts';
import { wholeBody, type ClientBody, type Framing } from '../storage/incoming-body.ts';
import { compileFaults, type Locate } from '../wire/fault.ts';
import { shapes, type OperationName } from '../wire/operations.ts';
import { HeldMemory, type HoldingWork, type MemoryWaiter } from './held-memory.ts';
import { kinds, type AnyOperation, type AnyOutput, type Hold, type Performance } from './operation.ts';
import type { PermittedStorage, Services } from './services.ts';
import { moves, withShares } from './with-shares.ts';

/** A request for an operation, as a face passes it on. */
export interface Attempt<R> {
  readonly origin: Origin;
  /** The bytes of the request, verified. */
  readonly body: Readable;
  /** What came, for a face that takes more than the bytes themselves. */
  readonly raw?: Readable;
  readonly framing?: Framing;
  /** Aborts when the client disconnects. */
  readonly signal: StopSignal;
  /** Whether to answer in lines when the operation supports it. */
  readonly inLines?: boolean;
  /** The caller who opened the connection. The audit names them if their session ends before this request. */
  readonly known?: Caller;
  /** The folders that the client watches, for faces that can tell it of changes. */
  readonly watched?: WatchedFolders | undefined;
  /** Identifies the caller; undefined without a valid credential. Called once, before the input is read. */
  identify(trail: Trail): Promise<Caller | undefined>;
  /** Reads the input, which is not checked yet. */
  read(): Promise<unknown>;
  /** How many bytes the input may hold until its answer, and how many it does hold when it has been read; none when it was in memory before. */
  readonly inputBytes?: number;
  readonly locate: Locate;
  /** Sends the output to the client; else the operation has failed. `hold` takes the memory of an answer that is not a stream until the client has it. */
  answer(output: AnyOutput, trail: Trail, hold: Hold): Promise<R>;
  /** Destroys the connection. If the transfer ended normally, the client could take it for complete. */
  cut(): void;
}

export type PerformParts = {
  readonly audit: Audit;
  readonly watch: CredentialWatch;
  /** `providers` gives the current ones. */ readonly storage: { readonly providers: PermittedStorage };
  readonly services: Services;
};

/** Performs operations. Every face performs operations through this class, and storage is reached in no other way. */
export class Performer {
  readonly #parts: PerformParts;
  readonly #memory = new HeldMemory();

  constructor(parts: PerformParts) {
    this.#parts = parts;
  }

  get services(): Services {
    return this.#parts.services;
  }

  /**
   * Identifies the caller, checks the input, asks policy, runs the operation and sends the answer, in this order. Writes one audit line for the request, and
   * for a change another one before it begins.
   *
   * @throws {SvcError} `audit_unavailable`, `session_required`, `interactive_session_required`, `admin_required`, `invalid_request`, `access_denied`, and what
   *   the operation throws; `rate_limited` and `overloaded` when the person, or all people together, have too much under way.
   */
  perform<R>(operation: AnyOperation, attempt: Attempt<R>): Promise<R> {
    const { audit, watch, services } = this.#parts;
    return audited(audit, operation.name, attempt.origin, async (trail) => {
      if (attempt.known !== undefined) trail.by(whoOf(attempt.known));
      try {
        const { access } = operation;
        const caller = admit(access.kind, await attempt.identify(trail), trail);
        // Read in the same turn of the event loop as the grants, so that a configuration reload during the request changes neither.
        const storage = this.#parts.storage.providers;
        return await this.hold(caller, attempt.inputBytes ?? 0, attempt, async (keep) => {
          const input = await attempt.read();
          keep(attempt.inputBytes ?? 0);
          if (!('body' in shapes[operation.name])) dropBody(attempt.raw ?? attempt.body);
          refuseFaults(faultsOf(operation.name)(input, (member) => attempt.locate(member)));
          const asks = access.kind === 'policy' ? access.asks(input as never, services.targets) : [];
          const targets = authorize(caller, asks, trail);
          operation.about?.(input as never, trail, caller);
          const inLines = attempt.inLines === true && operation.lines !== undefined;
          const run = (inLines ? operation.lines : operation.run) as unknown as (
            performance: Performance<unknown>,
          ) => Promise<AnyOutput> | AnyOutput;
          const isChange = kinds[operation.name].kind === 'change';
          const begin = async (hold: HoldWhile) => {
            await (isChange && operation.intends !== true ? trail.intend() : trail.ready());
            const output = await run(
              new Performing(input, caller, targets, trail, attempt, { storage, services, hold }),
            );
            // The client learns of a change only after its audit line is on the disk. One that answers in lines writes a line for each of its parts while it runs.
            if (isChange && !inLines) await trail.write();
            return output;
          };
          let leave = (): void => undefined;
          const end = (output: AnyOutput, hold: Hold) =>
            attempt
              .answer(output, trail, (bytes) =>
                // What has been changed is always told.
                hold(isChange ? 0 : bytes)?.then(() => {
                  leave = cutAtEnd(watch, caller, { trail, cut: () => attempt.cut() });
                }),
              )
              .finally(() => leave());
          const taker = { operation, input, caller, targets, storage, attempt, watch };
          const whole = () => withShares(this.#memory, taker, begin, end);
          return await (inLines || moves(operation.name, targets)
            ? whileCallerLasts(watch, caller, { trail, cut: () => attempt.cut() }, whole)
            : whole());
        });
      } catch (error) {
        throw reasonOf(error, attempt, trail);
      }
    });
  }

  /**
   * Runs work that holds memory for a caller, such as its input.
   * @throws {SvcError} `rate_limited`, `overloaded`.
   */
  hold<T>(caller: Caller, bytes: number, waiter: MemoryWaiter, work: HoldingWork<T>): Promise<T> {
    return this.#memory.hold(caller, bytes, waiter, work);
  }
}

/** The error to report. After an abort this is the reason of the abort, whatever error storage threw. */
function reasonOf(error: unknown, attempt: Attempt<unknown>, trail: Trail): unknown {
  if (attempt.known === undefined) return error;
  const abort: unknown = attempt.signal.reason;
  const reason = codeOf(abort) === undefined ? error : abort;
  if (codeOf(reason) === 'session_required') trail.failed('session_ended');
  return reason;
}

const checks = new Map<OperationName, ReturnType<typeof compileFaults>>();

/** Compiles a schema when it is first needed, because that takes a millisecond and most schemas are not needed in the first seconds. */
function faultsOf(name: OperationName): ReturnType<typeof compileFaults> {
  let check = checks.get(name);
  if (check === undefined) checks.set(name, (check = compileFaults(shapes[name].input)));
  return check;
}

type Cut = { readonly trail: Trail; readonly cut: () => void };

/** Cuts a request off when the session or key with which it began ends. @returns a function that ends the watch. */
function cutAtEnd(watch: CredentialWatch, caller: Caller, { trail, cut }: Cut): () => void {
  return watch.watch(caller, (why) => {
    trail.failed(`session_${why}`);
    cut();
  });
}

/** Runs work that may take long, and cuts it off when the session or key with which it began ends. */
async function whileCallerLasts<T>(
  watch: CredentialWatch,
  caller: Caller,
  cut: Cut,
  work: () => Promise<T>,
): Promise<T> {
  const leave = cutAtEnd(watch, caller, cut);
  try {
    return await work();
  } finally {
    leave();
  }
}

type PerformingParts = { readonly storage: PermittedStorage; readonly services: Services; readonly hold: HoldWhile };

/** A class, because V8 keeps a hidden class for each object literal with a getter until the next full collection. */
class Performing implements Performance<unknown> {
  readonly input: unknown;
  readonly caller: Caller;
  readonly targets: readonly Permitted<Resource>[];
  readonly trail: Trail;
  readonly #attempt: Attempt<unknown>;
  readonly #parts: PerformingParts;

  constructor(
    input: unknown,
    caller: Caller,
    targets: readonly Permitted<Resource>[],
    trail: Trail,
    attempt: Attempt<unknown>,
    parts: PerformingParts,
  ) {
    this.input = input;
    this.caller = caller;
    this.targets = targets;
    this.trail = trail;
    this.#attempt = attempt;
    this.#parts = parts;
  }

  get storage(): PermittedStorage {
    return this.#parts.storage;
  }

  get services(): Services {
    return this.#parts.services;
  }

  get hold(): HoldWhile {
    return this.#parts.hold;
  }

  get watched(): WatchedFolders | undefined {
    return this.#attempt.watched;
  }

  get body(): Readable {
    const { body } = this.#attempt;
    // Otherwise adding the listener would make the stream flow.
    body.pause();
    body.on('data', (chunk: Buffer) => this.trail.moved(chunk.length));
    return body;
  }

  async whole(...[bytes, options]: Parameters<ClientBody['whole']>): Promise<Buffer> {
    const { raw, framing } = this.#attempt;
    if (raw === undefined) return wholeBody(this.body, bytes, options);
    const whole = await wholeBody(raw, bytes, options, framing);
    this.trail.moved(whole.length);
    return whole;
  }

  get signal(): StopSignal {
    return this.#attempt.signal;
  }
}
