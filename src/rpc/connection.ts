import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { codeOf } from '../errors/svc-error.ts';
import type { Ending } from '../access/credential-watch.ts';
import { sessionEnded } from './dispatch.ts';

/** Close code for a session or key that ended; the client signs in again. */
const SESSION_ENDED = 4001;
export const GOING_AWAY = 1001;
export const TRY_AGAIN_LATER = 1013;
const NOT_TEXT = 1003;

/** Messages of one socket that may wait for their answers; more are refused by closing. */
const MAX_WAITING = 256;
/** Of messages that wait and answers that the client has not read, together: above it nothing more is read from the client. */
const READ_UP_TO_BYTES = 1_048_576;
/** Of answers that the client has not read: above it the socket is closed. */
const MAX_UNREAD_BYTES = 8 * 1_048_576;
/** How long a client may take to leave when it is sent away. */
const LEAVE_MS = 1_000;

/** Gives the answer to a message as JSON in UTF-8; undefined when there is none. Rejects when it cannot be told who asks. */
export type Answering = (text: string, signal: AbortSignal) => Promise<Buffer | undefined>;

/**
 * One socket: its messages are answered one after the other, and no faster than the client reads the answers.
 *
 * What a client leaves unread, and what it has sent before it was answered, stays in memory; so both have an end.
 */
export class Connection {
  readonly #socket: WebSocket;
  readonly #answering: Answering;
  readonly #away = new AbortController();
  readonly #waiting: string[] = [];
  #waitingBytes = 0;
  #isAnswering = false;
  #isPaused = false;
  #isHeard = true;
  #unreadAtBeat = 0;

  /** @param stream - what the socket is made on. */
  constructor(socket: WebSocket, stream: Duplex, answering: Answering) {
    this.#socket = socket;
    this.#answering = answering;
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('pong', () => void (this.#isHeard = true));
    // The socket answers pings by itself, and those answers pile up like any other.
    socket.on('ping', () => this.#regulate());
    stream.on('drain', () => this.#regulate());
    socket.on('error', () => socket.terminate());
    socket.on('close', () => this.#away.abort());
  }

  /** What is under way ends at once: a client may take its time to leave. */
  endWithSession(why: Ending): void {
    this.#away.abort(sessionEnded());
    void this.sendAway(SESSION_ENDED, `the session has ${why}`);
  }

  /** Tells the client why it has to go, and cuts it off when it does not. */
  async sendAway(code: number, reason: string): Promise<void> {
    const socket = this.#socket;
    if (socket.readyState === socket.CLOSED) return;
    const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
    socket.close(code, reason);
    // To read that it leaves.
    socket.resume();
    const cut = setTimeout(() => socket.terminate(), LEAVE_MS);
    await closed;
    clearTimeout(cut);
  }

  /** Cuts off a client that was silent since the last beat. One that is not read from cannot be heard; it has to read instead. */
  beat(): void {
    const unread = this.#socket.bufferedAmount;
    const lives = this.#isPaused ? unread === 0 || unread < this.#unreadAtBeat : this.#isHeard;
    if (!lives) this.#socket.terminate();
    this.#isHeard = false;
    this.#unreadAtBeat = unread;
    if (this.#isOpen()) this.#socket.ping();
  }

  #receive(data: RawData, isBinary: boolean): void {
    // What comes before a pong is a sign of life too: a pong waits behind it.
    this.#isHeard = true;
    if (!this.#isOpen()) return;
    if (isBinary) return void this.sendAway(NOT_TEXT, 'send text');
    if (this.#waiting.length >= MAX_WAITING) return void this.sendAway(TRY_AGAIN_LATER, 'too many messages wait');
    const text = textOf(data);
    this.#waiting.push(text);
    this.#waitingBytes += text.length;
    this.#regulate();
    if (!this.#isAnswering) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isAnswering = true;
    while (this.#waiting.length > 0 && this.#isOpen()) {
      await this.#answer(this.#waiting[0]!);
      this.#waitingBytes -= this.#waiting.shift()!.length;
      this.#regulate();
    }
    this.#isAnswering = false;
  }

  async #answer(text: string): Promise<void> {
    const answer = await this.#answering(text, this.#away.signal).catch((error: unknown) => {
      if (codeOf(error) === 'session_required') this.endWithSession('ended');
      else void this.sendAway(TRY_AGAIN_LATER, 'try again in a moment');
      return undefined;
    });
    if (answer === undefined || !this.#isOpen()) return;
    if (this.#socket.bufferedAmount + answer.length > MAX_UNREAD_BYTES) return void this.sendAway(TRY_AGAIN_LATER, 'read what was sent, or ask for less');
    await this.#send(answer);
  }

  /** Resolves when the answer has left this process, or cannot any more. */
  #send(answer: Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.send(answer, { binary: false }, () => resolve());
      this.#regulate();
    });
  }

  /** Reads on, or not, by what there is already. */
  #regulate(): void {
    if (!this.#isOpen()) return;
    const unread = this.#socket.bufferedAmount;
    if (unread > MAX_UNREAD_BYTES) return void this.sendAway(TRY_AGAIN_LATER, 'read what was sent');
    const isFull = unread + this.#waitingBytes > READ_UP_TO_BYTES;
    if (isFull === this.#isPaused) return;
    this.#isPaused = isFull;
    if (isFull) this.#socket.pause();
    else {
      this.#isHeard = true;
      this.#socket.resume();
    }
  }

  #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return Buffer.from(data as Buffer).toString('utf8');
}
