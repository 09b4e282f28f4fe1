import { codeOf, SvcError } from '../errors/svc-error.ts';
import type { StorageProvider } from './provider.ts';
import { S3Fault } from './s3/fault.ts';

/** The result of the last check of a provider. */
export type Health = {
  readonly name: string;
  /** Whether storage answered at all. */
  readonly reachable: boolean;
  /** What is wrong, for administrators; null when nothing is. */
  readonly reason: string | null;
  readonly tookMs: number;
  /** Milliseconds since the epoch. */
  readonly checkedAt: number;
};

/** The time limit of a check. */
const DEADLINE_MS = 5_000;
/** How long the result of a check is reused. */
const KEPT_MS = 5_000;

export type HealthParts = {
  readonly providers: () => readonly StorageProvider[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

/** Checks whether storage providers answer. However many people ask, each provider is checked at most once every {@link KEPT_MS}. */
export class StorageHealth {
  readonly #parts: HealthParts;
  #checking: Promise<readonly Health[]> | undefined;
  #checkedAt = 0;

  constructor(parts: HealthParts) {
    this.#parts = parts;
  }

  /** The health of each provider, in the order of the configuration. Takes {@link DEADLINE_MS} at most. */
  check(): Promise<readonly Health[]> {
    const now = this.#parts.now();
    if (this.#checking === undefined || now - this.#checkedAt >= KEPT_MS) {
      this.#checkedAt = now;
      this.#checking = Promise.all(this.#parts.providers().map((provider) => healthOf(provider, now)));
    }
    return this.#checking;
  }
}

async function healthOf(provider: StorageProvider, checkedAt: number): Promise<Health> {
  const start = performance.now();
  const fault = await ask(provider).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { name: provider.name, ...outcomeOf(fault), tookMs: Math.round(performance.now() - start), checkedAt };
}

/** Sends the smallest request that shows whether storage accepts the credentials. It changes nothing. */
async function ask({ s3, buckets: [bucket] = [] }: StorageProvider): Promise<void> {
  if (bucket === undefined)
    await s3.ask({ method: 'GET', query: { 'max-buckets': '1' } }, 'ListAllMyBucketsResult', {
      deadlineMs: DEADLINE_MS,
    });
  else {
    await s3.send({ method: 'HEAD', bucket }, { deadlineMs: DEADLINE_MS }).catch((error: unknown) => {
      if (codeOf(error) !== 'not_found') throw error;
      throw new SvcError('not_found', {
        detail: `the bucket \`${bucket}\`, which the configuration names, does not exist`,
        cause: (error as SvcError).cause,
      });
    });
  }
}

function outcomeOf(fault: unknown): Pick<Health, 'reachable' | 'reason'> {
  if (fault === undefined) return { reachable: true, reason: null };
  if (!(fault instanceof SvcError))
    return { reachable: false, reason: 'the check failed; the log of the service has more' };
  return { reachable: fault.cause instanceof S3Fault, reason: fault.detail ?? fault.message };
}
