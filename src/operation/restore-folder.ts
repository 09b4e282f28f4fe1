import { authorize, permits, permittedBeneath } from '../access/authorize.ts';
import { personIdOf } from '../access/caller.ts';
import { auditedPart } from '../audit/audited.ts';
import { codeOf } from '../errors/svc-error.ts';
import type { AtomicAction } from '../policy/model/action.ts';
import { readKeeping } from '../storage/bucket-info.ts';
import { decodeCursor, encodeCursor } from '../storage/cursor.ts';
import { walkHistories } from '../storage/key-history.ts';
import { copyVersion, deleteOver, isAlready } from '../storage/object-restore.ts';
import type { Opened } from '../storage/provider.ts';
import { suppressUnhandledRejection } from '../storage/suppress-unhandled-rejection.ts';
import type { OperationInput, OperationLine } from '../wire/operations.ts';
import type { RestoreCounts, RestoreEntry } from '../wire/restore-folder.ts';
import { finishAfterDisconnect } from './finish-after-disconnect.ts';
import { operation, type Lines, type Performance } from './operation.ts';
import { requiredMoment } from './required-moment.ts';
import { planRestore, type RestoreStep, type RestoreTerms } from './restore-plan.ts';

type Restoring = Performance<OperationInput<'object/restoreFolder'>>;
type Line = OperationLine<'object/restoreFolder'>;
type Planned = Exclude<RestoreStep, { change: 'unchanged' }>;
/** When a request begins no further key, and how many entries it has at most. */
type Bounds = { readonly limitMs: number; readonly most: number };

const BOUNDS_OF_LINES: Bounds = { limitMs: 20_000, most: Infinity };
const BOUNDS_OF_PAGE: Bounds = { limitMs: 5_000, most: 1_000 };
/** How many keys are changed at once. A person may use 16 connections for long work; the others are left for what they do meanwhile. */
const AT_ONCE = 12;
const DAY_MS = 86_400_000;
/** The next key would fail in the same way. */
const ENDS_ALL: readonly unknown[] = [undefined, 'audit_unavailable', 'overloaded', 'rate_limited', 'session_required'];

/**
 * Brings everything beneath a prefix back to a moment, or only plans it. It asks policy for each key: `objects:versions` to look at it, `objects:restore` and
 * `objects:write` to bring content back, `objects:delete` to delete what did not exist then.
 */
export const restoreFolder = operation({
  name: 'object/restoreFolder',
  access: { kind: 'policy', asks: () => [], each: 'objects:versions' },
  intends: true,
  run: async (performance) => {
    const lines = (await Array.fromAsync(restoreLines(performance, BOUNDS_OF_PAGE))).flat();
    return {
      plannedAt: lines.find(({ plannedAt }) => plannedAt !== undefined)!.plannedAt!,
      entries: lines.flatMap(({ entry }) => entry ?? []),
      counts: lines.findLast(({ counts }) => counts !== undefined)!.counts!,
      nextCursor: lines.at(-1)?.nextCursor ?? null,
    };
  },
  lines: (performance) => restoreLines(performance, BOUNDS_OF_LINES),
});

async function* restoreLines(performance: Restoring, { limitMs, most }: Bounds): Lines<'object/restoreFolder'> {
  const { input, caller, storage, services, trail, signal, hold } = performance;
  const { provider, bucket, prefix = '', dryRun = false, cursor } = input;
  const scope = services.targets.beneath(provider, bucket, prefix);
  const at = requiredMoment('at', input.at);
  const unmodifiedSince =
    input.ifUnmodifiedSince === undefined ? Infinity : requiredMoment('ifUnmodifiedSince', input.ifUnmodifiedSince);
  const began = Date.now();
  // Some storage gives times in whole seconds.
  const plannedAt = new Date(began - (began % 1000)).toISOString();
  const place = permittedBeneath(caller, 'objects:versions', scope);
  if (dryRun) trail.isOnly('object/listVersions');
  trail.about({ provider, bucket, prefix });
  if (!dryRun) await trail.intend();
  const sums = new Sums();
  if (place === undefined) {
    yield [{ plannedAt }, sums.line(), { done: true }];
    return;
  }
  const opened = storage.open(place);
  const query = { question: JSON.stringify(['restore', at, dryRun]) };
  const start = cursor === undefined ? '' : decodeCursor(opened, cursor, query);
  const terms = await termsOf(performance, opened, unmodifiedSince);
  yield [{ plannedAt }];
  let after = start;
  let entries = 0;
  let isCut = false;
  // A request comes further than its cursor, however slow storage is.
  const isOver = () => after !== start && (entries >= most || Date.now() - began >= limitMs);
  const planned: Line[] = [];
  const begun: Promise<RestoreEntry>[] = [];
  try {
    for await (const page of walkHistories(opened, { grants: caller.effective, signal, hold }, at, start)) {
      for (const history of page.histories) {
        signal.throwIfAborted();
        const step = planRestore(history, terms);
        after = step.key;
        if (step.change === 'unchanged') sums.addUnchanged(step);
        else {
          entries += 1;
          if (dryRun) planned.push(sums.add(entryOf(step)));
          else begun.push(suppressUnhandledRejection(carryOut(performance, step)));
          if (begun.length >= AT_ONCE) yield [sums.add(await begun.shift()!)];
        }
        if (isOver()) break;
      }
      isCut = isOver();
      if (isCut) break;
      after = page.after;
      yield [...planned.splice(0), sums.line()];
    }
    while (begun.length > 0) yield [sums.add(await begun.shift()!)];
  } finally {
    await Promise.allSettled(begun);
  }
  yield [...planned, sums.line(), isCut ? { nextCursor: encodeCursor(opened, after, query) } : { done: true }];
}

async function termsOf(
  { input: { provider, bucket }, caller, services, signal }: Restoring,
  place: Opened<{ provider: string; bucket: string; prefix: string }>,
  unmodifiedSince: number,
): Promise<RestoreTerms> {
  const { versioning, keptDays } = await readKeeping(place, { signal });
  const may =
    (...actions: AtomicAction[]) =>
    (key: string) =>
      actions.every((action) => permits(caller, action, services.targets.object(provider, bucket, key)));
  return {
    versioning,
    keptSince: keptDays === null ? -Infinity : Date.now() - keptDays * DAY_MS,
    unmodifiedSince,
    mayRestore: may('objects:restore', 'objects:write'),
    mayDelete: may('objects:delete'),
  };
}

/**
 * Carries out the plan for a key, with audit lines of its own. A failure is told in its entry.
 *
 * @throws what ends the whole run, such as `audit_unavailable`.
 */
async function carryOut(performance: Restoring, step: Planned): Promise<RestoreEntry> {
  if (step.change === 'leave') return entryOf(step);
  const { input, caller, storage, services, trail, signal } = performance;
  const resource = services.targets.object(input.provider, input.bucket, step.key);
  let isMade = async (): Promise<boolean> => false;
  try {
    const { questions } = storage.sharesOf(input.provider)!;
    await questions.use(personIdOf(caller), 1, { signal }, () =>
      auditedPart(trail, async (part) => {
        const actions =
          step.change === 'restore' ? (['objects:restore', 'objects:write'] as const) : (['objects:delete'] as const);
        const [target] = authorize(
          caller,
          actions.map((action) => ({ action, resource })),
          part,
        );
        part.ofVersion(step.change === 'restore' ? step.version.version : step.over.version);
        await part.intend();
        const object = storage.open(target!);
        const wanted = step.change === 'restore' ? step.version : undefined;
        isMade = () => isAlready(object, wanted, { signal });
        await finishAfterDisconnect(signal, (options) =>
          step.change === 'restore'
            ? copyVersion(object, step.version, { ...options, over: step.over })
            : deleteOver(object, step.over, options),
        );
      }),
    );
    return entryOf(step);
  } catch (error) {
    const code = codeOf(error);
    if (ENDS_ALL.includes(code)) throw error;
    // A proxy sends a request again whose instance has ended. What that one has begun may come to its end after this listing.
    if (code === 'precondition_failed' && (await isMade().catch(() => false))) return entryOf(step);
    const why = code === 'precondition_failed' ? 'changed' : code!;
    return { key: step.key, change: 'leave', version: null, size: step.over.size, why };
  }
}

function entryOf(step: Planned): RestoreEntry {
  const { key, change, over } = step;
  return {
    key,
    change,
    version: change === 'restore' ? step.version.version : null,
    size: change === 'restore' ? step.version.size : over.size,
    why: change === 'leave' ? step.why : null,
  };
}

/** Adds up what was done, or would be. */
class Sums {
  readonly #sums = {
    restore: { objects: 0, bytes: 0 },
    delete: { objects: 0, bytes: 0 },
    leave: { objects: 0, bytes: 0 },
    unchanged: { objects: 0, bytes: 0 },
  } satisfies RestoreCounts;

  /** @returns the line of the entry. */
  add(entry: RestoreEntry): Line {
    this.#add(entry.change, entry.size);
    return { entry };
  }

  addUnchanged({ over }: RestoreStep): void {
    if (!over.isDeleteMarker) this.#add('unchanged', over.size);
  }

  #add(change: keyof RestoreCounts, size: number): void {
    this.#sums[change].objects += 1;
    this.#sums[change].bytes += size;
  }

  line(): Line {
    return { counts: structuredClone(this.#sums) };
  }
}
