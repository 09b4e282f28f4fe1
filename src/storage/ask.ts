import type { StorageProvider } from './provider.ts';
import { tooSlow } from './stall-clock.ts';
import { storageError } from './storage-error.ts';

/** The deadline for work that storage does by itself, such as joining parts or copying. Within it, storage must still send something every `idleTimeoutMs`. */
export const LONG_WORK_MS = 15 * 60_000;

export type AskOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the answer, retries included; by default the time to connect and the time to stay silent, added. */
  readonly deadlineMs?: number;
};

/**
 * Asks storage one question, with a deadline around all of it.
 *
 * @throws {SvcError} the fault that storage answered with; when the client went away, the reason of `signal`.
 */
export async function ask<T>(provider: StorageProvider, options: AskOptions | undefined, send: (options: { abortSignal: AbortSignal }) => Promise<T>): Promise<T> {
  const client = options?.signal;
  const deadline = AbortSignal.timeout(options?.deadlineMs ?? provider.connectTimeoutMs + provider.idleTimeoutMs);
  const abortSignal = client === undefined ? deadline : AbortSignal.any([client, deadline]);
  try {
    return await send({ abortSignal });
  } catch (error) {
    client?.throwIfAborted();
    if (deadline.aborted) throw tooSlow(provider.name);
    throw storageError(provider.name, error);
  }
}
