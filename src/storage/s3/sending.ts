import type { StopSignal } from '../../bounds/stop-signal.ts';
import { setTimeout as wait } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import type { StallClock } from '../stall-clock.ts';
import type { Exchange } from './exchange.ts';

export type SendingParts = {
  /** Aborts when the client disconnects. */
  readonly signal: StopSignal | undefined;
  /** Watches the request instead of the deadline. */
  readonly clock: StallClock | undefined;
  readonly deadlineMs: number;
  /** Makes the error of a request that was not stopped. */
  readonly faultOf: (error: unknown) => Error;
  /** Makes the error of a request that takes too long. */
  readonly tooSlow: () => Error;
};

/** A request under way, with all its attempts. It is stopped when the client disconnects, when storage is too slow, or when its body fails. */
export class Sending {
  readonly #parts: SendingParts;
  readonly #timer: NodeJS.Timeout | undefined;
  #exchange: Exchange | undefined;
  #stopped: { readonly reason: unknown } | undefined;
  #pause: AbortController | undefined;

  constructor(parts: SendingParts) {
    this.#parts = parts;
    const { signal, clock, deadlineMs, tooSlow } = parts;
    const onSlow = (): void => this.#stop(tooSlow());
    signal?.addEventListener('abort', this.#leave, { once: true });
    this.#timer = clock === undefined ? setTimeout(onSlow, deadlineMs) : undefined;
    clock?.whenSlow(onSlow);
  }

  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  /** Stops the request when its body fails, because storage could keep an incomplete body as the whole. After the exchange, undici aborts the body itself. */
  stopWith(body: Readable): void {
    body.once('error', (error) => {
      if (this.#exchange?.isOver !== true) this.#stop(error);
    });
  }

  /** Begins an attempt. */
  begin(exchange: Exchange): void {
    this.#exchange = exchange;
    if (this.#stopped !== undefined) exchange.abort(this.#stopped.reason);
  }

  /** Waits between two attempts. */
  async pause(ms: number): Promise<void> {
    this.#pause = new AbortController();
    await wait(ms, undefined, { signal: this.#pause.signal });
  }

  /** The error of the request: the reason why it was stopped, or the fault that happened. */
  faultOf(error: unknown): Error {
    return this.#stopped === undefined ? this.#parts.faultOf(error) : (this.#stopped.reason as Error);
  }

  /** Ends the watch over the request, or over `opened`, the body of its answer, once that is closed. */
  end(opened: Readable | undefined): void {
    clearTimeout(this.#timer);
    const end = (): void => {
      this.#parts.clock?.stop();
      this.#parts.signal?.removeEventListener('abort', this.#leave);
    };
    if (opened === undefined) end();
    else opened.once('close', end);
  }

  readonly #leave = (): void => this.#stop(this.#parts.signal?.reason);

  #stop(reason: unknown): void {
    this.#stopped ??= { reason };
    this.#exchange?.abort(reason);
    this.#pause?.abort();
  }
}
