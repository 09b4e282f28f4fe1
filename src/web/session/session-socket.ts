import { FOLDER_CHANGED } from '../../wire/folder-changed.ts';
import { parsed } from '../api/parsed.ts';
import { servicePath } from '../base.ts';
import type { Place } from '../place/place.ts';

/** The close code of the service for a socket whose session has ended. */
const SESSION_ENDED = 4001;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** A socket that was open for less was not a connection, but something in between that closes each at once. */
const LASTING_MS = 10_000;

type Watch = {
  readonly place: Place;
  readonly onChanged: () => void;
  /** Its id on the open socket. */
  id: string | undefined;
};
type Message = {
  readonly id?: number;
  readonly result?: { readonly watch: string };
  readonly method?: string;
  readonly params?: { readonly watch: string };
};

/** The one WebSocket of the page on `/rpc`. The service closes it when the session ends, so that the page notices it at once, and tells on it which watched folders changed. */
export class SessionSocket {
  readonly #onEnded: () => void;
  #socket: WebSocket | undefined;
  #waitMs = FIRST_WAIT_MS;
  #again: number | undefined;
  readonly #watches = new Set<Watch>();
  /** The watches that were asked for on the open socket, in the order of their messages. */
  #asked: Watch[] = [];

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
    this.#asked = [];
    let openedAt = Infinity;
    socket.addEventListener('open', () => {
      openedAt = Date.now();
      for (const watch of this.#watches) this.#ask(watch);
    });
    socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const message = parsed(data);
      if (message !== undefined) this.#hear(message);
    });
    socket.addEventListener('close', ({ code }) => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      if (Date.now() - openedAt >= LASTING_MS) this.#waitMs = FIRST_WAIT_MS;
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

  /** Calls the listener when the service tells that a folder changed, and when that may have been missed. @returns a function that stops this. */
  watch(place: Place, onChanged: () => void): () => void {
    const watch: Watch = { place, onChanged, id: undefined };
    this.#watches.add(watch);
    this.#ask(watch);
    return () => {
      this.#watches.delete(watch);
      this.#end(watch);
    };
  }

  #ask(watch: Watch): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    const { provider, bucket, prefix } = watch.place;
    // What changed while there was no socket was not told.
    if (watch.id !== undefined) watch.onChanged();
    watch.id = undefined;
    const id = this.#asked.push(watch) - 1;
    this.#send({ id, method: 'object/watch', params: { provider, bucket, prefix } });
  }

  #end({ id: watch }: Watch): void {
    if (watch !== undefined && this.#socket?.readyState === WebSocket.OPEN)
      this.#send({ method: 'object/unwatch', params: { watch } });
  }

  #send(message: object): void {
    this.#socket?.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  #hear({ id, result, method, params }: Message): void {
    const asked = id === undefined ? undefined : this.#asked[id];
    if (asked !== undefined && result?.watch !== undefined) {
      asked.id = result.watch;
      if (!this.#watches.has(asked)) this.#end(asked);
    }
    if (method !== FOLDER_CHANGED || params?.watch === undefined) return;
    for (const watch of this.#watches) if (watch.id === params.watch) watch.onChanged();
  }

  #openLater(): void {
    this.#again = window.setTimeout(() => {
      this.#again = undefined;
      this.open();
    }, this.#waitMs);
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS);
  }
}
