import { servicePath } from '../base.ts';

/** The close code of the service for a socket whose session has ended. */
const SESSION_ENDED = 4001;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/** A WebSocket on `/rpc` without messages. The service closes it when the session ends, so that the page notices it at once. */
export class SessionSocket {
  readonly #onEnded: () => void;
  #socket: WebSocket | undefined;
  #waitMs = FIRST_WAIT_MS;
  #again: number | undefined;

  constructor(onEnded: () => void) {
    this.#onEnded = onEnded;
  }

  /** Keeps a socket open until {@link close}. It reopens a lost socket, with increasing delays if that fails. */
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
