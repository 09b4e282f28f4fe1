import type { Caller } from '../access/caller.ts';
import type { CredentialWatch } from '../access/credential-watch.ts';
import type { Waiter } from '../bounds/shares.ts';
import { eitherSignal, type StopSignal } from '../bounds/stop-signal.ts';
import { SvcError } from '../errors/svc-error.ts';

/** Waits for its turn as long as it takes, but no longer than its session or key lasts. Most requests do not wait, so nothing is watched before `signal` is read. */
export class LastingWaiter implements Waiter {
  readonly #watch: CredentialWatch;
  readonly #caller: Caller;
  readonly #attempt: { readonly signal: StopSignal };
  #signal: AbortSignal | undefined;
  #leave = (): void => undefined;

  constructor(watch: CredentialWatch, caller: Caller, attempt: { readonly signal: StopSignal }) {
    this.#watch = watch;
    this.#caller = caller;
    this.#attempt = attempt;
  }

  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const ended = new AbortController();
      this.#signal = eitherSignal(this.#attempt.signal, ended.signal);
      this.#leave = this.#watch.watch(this.#caller, () => ended.abort(new SvcError('session_required')));
    }
    return this.#signal;
  }

  /** Ends the watch: what has begun is not stopped. */
  leave(): void {
    this.#leave();
  }
}
