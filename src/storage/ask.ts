import type { StorageProvider } from './provider.ts';
import { tooSlow } from './stall-clock.ts';
import { storageError } from './storage-error.ts';

/** For what storage does by itself for as long as it takes: joining parts, copying. It has to show life within `idleTimeoutMs` all the same. */
export const LONG_WORK_MS = 15 * 60_000;

export type AskOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds, retries included; by default those to connect and those to stay silent. */
  readonly deadlineMs?: number;
};

/**
 * Asks storage one question, with a deadline around all of it.
 *
 * @throws {SvcError} what storage answered; where the client went away, the reason of `signal`.
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
