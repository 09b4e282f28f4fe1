import { servicePath } from '../base.ts';

/** How the service closes a socket whose session ended. */
const SESSION_ENDED = 4001;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/** A WebSocket on `/rpc` that says nothing: the service closes it when the session ends, so that this is noticed at once. */
export class SessionSocket {
  readonly #onEnded: () => void;
  #socket: WebSocket | undefined;
  #waitMs = FIRST_WAIT_MS;
  #again: number | undefined;

  constructor(onEnded: () => void) {
    this.#onEnded = onEnded;
  }

  /** Holds one until {@link close}: a lost one is opened again, after ever longer waits while that fails. */
  open(): void {
    if (this.#socket !== undefined || this.#again !== undefined) return;
    const url = new URL(servicePath('rpc'), window.location.href);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(url);
    this.#socket = socket;
    socket.addEventListener('open', () => (this.#waitMs = FIRST_WAIT_MS));
    socket.addEventListener('close', ({ code }) => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      this.#openLater();
      if (code === SESSION_ENDED) this.#onEnded();
    });
  }

  close(): void {
    window.clearTimeout(this.#again);
    this.#again = undefined;
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  #openLater(): void {
    this.#again = window.setTimeout(() => {
      this.#again = undefined;
      this.open();
    }, this.#waitMs);
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS);
  }
}
