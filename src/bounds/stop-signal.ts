import type { ServerResponse } from 'node:http';

/** Tells work to stop: an `AbortSignal`, or the {@link LeaveSignal} of a request. */
export type StopSignal = AbortSignal | LeaveSignal;

/** Aborts when a client disconnects before its answer is complete. It does what work needs of an `AbortSignal`, and costs a tenth of one. */
export class LeaveSignal {
  #isAborted = false;
  #reason: unknown;
  #listeners: (() => void)[] = [];
  #whole: AbortController | undefined;

  constructor(res: ServerResponse) {
    if (res.destroyed) this.#abort();
    else
      res.once('close', () => {
        if (!res.writableFinished) this.#abort();
      });
  }

  get aborted(): boolean {
    return this.#isAborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  throwIfAborted(): void {
    if (this.#isAborted) throw this.#reason;
  }

  /** Calls the listener once. */
  addEventListener(_type: 'abort', listener: () => void, _options?: { readonly once: true }): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners = this.#listeners.filter((each) => each !== listener);
  }

  /** The same signal for interfaces that need an `AbortSignal`. */
  get whole(): AbortSignal {
    if (this.#whole === undefined) {
      this.#whole = new AbortController();
      if (this.#isAborted) this.#whole.abort(this.#reason);
    }
    return this.#whole.signal;
  }

  #abort(): void {
    this.#isAborted = true;
    this.#reason = new DOMException('This operation was aborted', 'AbortError');
    this.#whole?.abort(this.#reason);
    for (const listener of this.#listeners.splice(0)) listener();
  }
}

export function wholeSignal(signal: StopSignal): AbortSignal {
  return signal instanceof LeaveSignal ? signal.whole : signal;
}

/** Aborts with the first of two signals. */
export function eitherSignal(signal: StopSignal | undefined, other: AbortSignal): AbortSignal {
  return signal === undefined ? other : AbortSignal.any([wholeSignal(signal), other]);
}
