import type { StopSignal } from '../bounds/stop-signal.ts';
import type { Caller } from '../access/caller.ts';
import type { CredentialWatch } from '../access/credential-watch.ts';
import type { HoldWhile, Waiter } from '../bounds/shares.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import type { Resource } from '../policy/model/resource.ts';
import type { ProviderShares } from '../storage/provider-shares.ts';
import { shapes, type OperationName } from '../wire/operations.ts';
import { SMALL_BYTES, Takings, type HeldMemory, type Taken } from './held-memory.ts';
import { LastingWaiter } from './lasting-waiter.ts';
import { kinds, type AnyOperation, type Hold } from './operation.ts';
import type { PermittedStorage } from './services.ts';

const MIB = 2 ** 20;

/** What a use of storage holds in memory, about, for a client that is slow. Changes hold nothing but their input. */
const USUAL_BYTES: Readonly<Record<keyof ProviderShares, number>> = {
  transfers: MIB / 2,
  scans: 2 * MIB,
  questions: 0,
  shortQuestions: 0,
};
/** Storage may take many minutes for these. */
const LONG: ReadonlySet<OperationName> = new Set(['object/copy', 'object/delete', 'object/restore', 'upload/complete']);
/** These ask policy, but not storage. */
const WITHOUT_STORAGE: ReadonlySet<OperationName> = new Set(['object/activity', 'object/presign', 'transfer/create']);
/** These wait for what is shared elsewhere, and their answers are short. */
const SHORT: ReadonlySet<OperationName> = new Set(['audit/list', 'provider/health']);

export type ShareTaker = {
  readonly operation: AnyOperation;
  readonly input: unknown;
  readonly caller: Caller;
  readonly targets: readonly Permitted<Resource>[];
  readonly storage: PermittedStorage;
  /** Aborts when the client disconnects. Read only when somebody has to wait. */
  readonly attempt: { readonly signal: StopSignal };
  readonly watch: CredentialWatch;
};

/**
 * Runs an operation with the memory and the connections that it holds until its client has the answer, so that one person cannot take them from everybody. The
 * body of the request is not read before. Connections are given back when storage has answered, unless the answer is a stream.
 *
 * @throws {SvcError} `rate_limited`, `overloaded`; `payload_too_large`: no amount would do.
 */
export async function withShares<O, T>(
  memory: HeldMemory,
  { operation, input, caller, targets, storage, attempt, watch }: ShareTaker,
  run: (hold: HoldWhile) => Promise<O>,
  answer: (output: O, hold: Hold) => Promise<T>,
): Promise<T> {
  const held = memory.sharesFor(caller);
  const use = useOf(operation, targets);
  const takings = new Takings(caller, attempt);
  const waiter = new LastingWaiter(watch, caller, attempt);
  const hold = async (bytes: number, other?: Waiter) => {
    const taken = await takings.takeAll(held, bytes, other);
    return () => takings.keep(taken, 0);
  };
  try {
    const built = mayBeLong(operation) ? [await takings.take(memory.answers, 1, waiter)] : [];
    const connected: Taken[] = [];
    if (use !== undefined) {
      const { bytes = USUAL_BYTES[use], connections = 1 } = operation.holds?.(input as never) ?? {};
      if (bytes > 0) await takings.takeAll(held, bytes, waiter);
      for (const provider of providersOf(input, targets)) {
        const shares = storage.sharesOf(provider)?.[use];
        if (shares !== undefined) connected.push(await takings.take(shares, connections, waiter));
      }
    }
    waiter.leave();
    const passOn = (output: O): Promise<T> => {
      if (use === 'questions' || use === 'shortQuestions') takings.keep(connected, 0);
      const isBuilt = (): undefined => {
        takings.keep(built, 0);
      };
      return answer(output, (bytes) =>
        bytes > SMALL_BYTES ? hold(bytes, { isThere: true, signal: attempt.signal }).then(isBuilt) : isBuilt(),
      );
    };
    return await after(run, hold, passOn);
  } finally {
    waiter.leave();
    takings.giveAllBack();
  }
}

/** Apart from what awaits it: an asynchronous function would keep the output in memory while the client reads the answer. */
function after<O, T>(
  run: (hold: HoldWhile) => Promise<O>,
  hold: HoldWhile,
  passOn: (output: O) => Promise<T>,
): Promise<T> {
  return run(hold).then(passOn);
}

/** Whether the operation transfers bytes of objects, which can take hours. A copy from one provider to another does, and a copy into a part, because they pass through this process. */
export function moves(name: OperationName, targets: readonly Permitted<Resource>[]): boolean {
  const shape: object = shapes[name];
  return (
    name === 'upload/copyPart' ||
    'body' in shape ||
    ('output' in shape && shape.output === 'stream') ||
    targets.some(({ provider }) => provider !== targets[0]!.provider)
  );
}

/** Whether the answer is built of what the service itself keeps, and may have megabytes. */
function mayBeLong({ name, access: { kind } }: AnyOperation): boolean {
  return (kind === 'admin' || (kind === 'interactive' && kinds[name].kind === 'read')) && !SHORT.has(name);
}

/** Only an operation that asks policy reaches storage. */
function useOf(
  { name, access }: AnyOperation,
  targets: readonly Permitted<Resource>[],
): keyof ProviderShares | undefined {
  if (access.kind !== 'policy' || WITHOUT_STORAGE.has(name)) return undefined;
  if ('line' in shapes[name]) return 'scans';
  if (moves(name, targets)) return 'transfers';
  return LONG.has(name) ? 'questions' : 'shortQuestions';
}

function providersOf(input: unknown, targets: readonly Permitted<Resource>[]): Iterable<string> {
  const { provider } = input as { readonly provider?: string };
  if (provider !== undefined && targets.every((target) => target.provider === provider)) return [provider];
  return new Set([...(provider === undefined ? [] : [provider]), ...targets.map((target) => target.provider)]);
}
