import type { Readable } from 'node:stream';
import { admit } from '../access/admit.ts';
import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import type { CredentialWatch } from '../access/credential-watch.ts';
import { refuseFaults } from '../access/invalid.ts';
import { whoOf } from '../access/who.ts';
import { audited } from '../audit/audited.ts';
import type { Audit, Origin } from '../audit/record.ts';
import type { Trail } from '../audit/trail.ts';
import { codeOf } from '../errors/svc-error.ts';
import type { Permitted } from '../policy/permitted.ts';
import type { Resource } from '../policy/resource.ts';
import { compileFaults, type Locate } from '../wire/fault.ts';
import { shapes, type OperationName } from '../wire/operations.ts';
import type { AnyOperation, AnyOutput, Performance } from './operation.ts';
import type { PermittedStorage, Services } from './services.ts';

/** One request for an operation, as a face brings it. */
export interface Attempt<R> {
  readonly origin: Origin;
  /** The bytes that came along. */
  readonly body: Readable;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  /** Who opened the connection that the request came by, for the audit of a request that comes after their session has ended. */
  readonly known?: Caller;
  /** Who asks; undefined for somebody who is not known. Asked once, before anything of the request is read. */
  identify(): Promise<Caller | undefined>;
  /** The input, not yet checked. */
  read(): Promise<unknown>;
  readonly locate: Locate;
  /** Gives the output to the client. What fails here fails the operation. */
  answer(output: AnyOutput, trail: Trail): Promise<R>;
  /** Ends the connection at once: a transfer in good order could be taken for whole. */
  cut(): void;
}

export type PerformParts = { readonly audit: Audit; readonly watch: CredentialWatch; readonly storage: PermittedStorage; readonly services: Services };

/** Performs operations for whoever asks. Every face comes through here, and storage is reached in no other way. */
export class Performer {
  readonly #parts: PerformParts;

  constructor(parts: PerformParts) {
    this.#parts = parts;
  }

  get services(): Services {
    return this.#parts.services;
  }

  /**
   * Caller, input, policy, the operation itself, the answer: in this order, and one line of the audit for all of it.
   *
   * @throws {SvcError} `session_required`, `interactive_session_required`, `admin_required`, `invalid_request`, `access_denied`, and what the operation throws.
   */
  perform<R>(operation: AnyOperation, attempt: Attempt<R>): Promise<R> {
    const { audit, watch, services } = this.#parts;
    return audited(audit, operation.name, attempt.origin, async (trail) => {
      if (attempt.known !== undefined) trail.by(whoOf(attempt.known));
      try {
        const { access } = operation;
        const caller = admit(access.kind, await attempt.identify(), trail);
        const input = await attempt.read();
        refuseFaults(faultsOf(operation.name)(input, (member) => attempt.locate(member)));
        const asks = access.kind === 'policy' ? access.asks(input as never, services.targets) : [];
        const targets = authorize(caller, asks, trail);
        const run = operation.run as unknown as (performance: Performance<unknown>) => Promise<AnyOutput> | AnyOutput;
        const work = async () => attempt.answer(await run(new Performing(input, caller, targets, trail, attempt, this.#parts)), trail);
        return await (moves(operation.name) ? whileCallerLasts(watch, caller, { trail, cut: () => attempt.cut() }, work) : work());
      } catch (error) {
        throw reasonOf(error, attempt, trail);
      }
    });
  }
}

/** Whatever storage makes of an abort: the reason of the abort is what happened. */
function reasonOf(error: unknown, attempt: Attempt<unknown>, trail: Trail): unknown {
  if (attempt.known === undefined) return error;
  const abort: unknown = attempt.signal.reason;
  const reason = codeOf(abort) === undefined ? error : abort;
  if (codeOf(reason) === 'session_required') trail.failed('session_ended');
  return reason;
}

const checks = new Map<OperationName, ReturnType<typeof compileFaults>>();

/** Compiled when it is first needed: a schema costs a millisecond, and most are not used in the first seconds. */
function faultsOf(name: OperationName): ReturnType<typeof compileFaults> {
  let check = checks.get(name);
  if (check === undefined) checks.set(name, (check = compileFaults(shapes[name].input)));
  return check;
}

/** Whether bytes of objects travel, which can take hours. */
function moves(name: OperationName): boolean {
  const shape: object = shapes[name];
  return 'body' in shape || ('output' in shape && shape.output === 'stream');
}

/** A transfer ends with the session or key that it began with. */
async function whileCallerLasts<T>(watch: CredentialWatch, caller: Caller, { trail, cut }: { readonly trail: Trail; readonly cut: () => void }, work: () => Promise<T>): Promise<T> {
  const leave = watch.watch(caller, (why) => {
    trail.failed(`session_${why}`);
    cut();
  });
  try {
    return await work();
  } finally {
    leave();
  }
}

/** A class, since a literal with a getter makes the engine keep a shape for every request until its next full collection. */
class Performing implements Performance<unknown> {
  readonly input: unknown;
  readonly caller: Caller;
  readonly targets: readonly Permitted<Resource>[];
  readonly trail: Trail;
  readonly #attempt: Attempt<unknown>;
  readonly #parts: PerformParts;

  constructor(input: unknown, caller: Caller, targets: readonly Permitted<Resource>[], trail: Trail, attempt: Attempt<unknown>, parts: PerformParts) {
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

  get body(): Readable {
    return this.#attempt.body;
  }

  get signal(): AbortSignal {
    return this.#attempt.signal;
  }
}
