import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { codeOf } from '../errors/svc-error.ts';
import type { Ending } from '../access/credential-watch.ts';
import { MAX_MESSAGE_BYTES, sessionEnded } from './dispatch.ts';
import { HeldMessage, type Holding } from './held-message.ts';

/** The close code when the session or key has ended. The client has to sign in again. */
const SESSION_ENDED = 4001;
export const GOING_AWAY = 1001;
export const TRY_AGAIN_LATER = 1013;
const PROTOCOL_ERROR = 1002;
const NOT_TEXT = 1003;

/** How many messages of one socket may wait for an answer; one more closes the socket. */
const MAX_WAITING = 256;
/** The limit for the sum of waiting messages and unread answers. Above it, nothing more is read from the client. */
const READ_UP_TO_BYTES = 65_536;
/** The limit for unread answers. Above it, the socket is closed. */
const MAX_UNREAD_BYTES = 8 * 1_048_576;
/** How long a client may take to close the socket after the service has asked for it. */
const LEAVE_MS = 1_000;
/** A message of more bytes counts as memory of its person from then on, before all of it has arrived. */
const SMALL_MESSAGE_BYTES = 8_192;
/** What a frame of a client has beside its content, at least. */
const FRAME_BYTES = 6;

/** Sends the answer to a message as JSON in UTF-8; undefined when there is none. Rejects when the caller cannot be identified. */
export type Answering = (
  text: string,
  signal: AbortSignal,
  send: (answer: Buffer | undefined) => Promise<void>,
) => Promise<void>;

/** Holds memory for a message of at most so many bytes. */
export type MessageHolding = (bytes: number, signal: AbortSignal, work: Parameters<Holding>[0]) => Promise<void>;

/**
 * One socket. Messages are answered one after the other, and no faster than the client reads the answers. Unread answers and waiting messages are kept in
 * memory, so both are limited.
 */
export class Connection {
  readonly #socket: WebSocket;
  readonly #answering: Answering;
  readonly #holding: MessageHolding;
  readonly #away = new AbortController();
  readonly #waiting: { readonly text: string; readonly held: HeldMessage | undefined }[] = [];
  #waitingBytes = 0;
  /** The bytes that have arrived since the last whole message, and what they hold when they are many. */
  #arrived = 0;
  #arriving: HeldMessage | undefined;
  /** How many messages wait for memory. */
  #untaken = 0;
  #isAnswering = false;
  #isPaused = false;
  #isHeard = true;
  #unreadAtBeat = 0;

  /** @param stream - the connection beneath the socket. */
  constructor(socket: WebSocket, stream: Duplex, answering: Answering, holding: MessageHolding) {
    this.#socket = socket;
    this.#answering = answering;
    this.#holding = holding;
    // Before and after the socket reads it, which may find the end of the message and other frames in it.
    stream.prependListener('data', (chunk: Buffer) => void (this.#arrived += chunk.length));
    stream.on('data', () => this.#holdArriving());
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('pong', (data) => {
      // A large message has to arrive between two beats, as a body by POST has its time.
      this.#isHeard ||= this.#arriving === undefined;
      this.#arrived -= FRAME_BYTES + data.length;
    });
    // The socket answers pings by itself, and these answers count as unread too.
    socket.on('ping', (data) => {
      this.#arrived -= FRAME_BYTES + data.length;
      this.#regulate();
    });
    stream.on('drain', () => this.#regulate());
    // The socket has sent by itself why it closes. To cut it off while the client goes on sending would discard that.
    socket.on('error', () => void this.sendAway(PROTOCOL_ERROR, 'not understood'));
    socket.on('close', () => {
      this.#away.abort();
      this.#arriving?.answered();
    });
  }

  /** Aborts the running calls at once, because the client may take long to close the socket. */
  endWithSession(why: Ending): void {
    this.#away.abort(sessionEnded());
    void this.sendAway(SESSION_ENDED, `the session has ${why}`);
  }

  /** Closes the socket with a reason, and cuts the client off when it does not close in time. */
  async sendAway(code: number, reason: string): Promise<void> {
    const socket = this.#socket;
    if (socket.readyState === socket.CLOSED) return;
    const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
    socket.close(code, reason);
    // A paused socket would not read the client's close frame.
    socket.resume();
    const cut = setTimeout(() => socket.terminate(), LEAVE_MS);
    await closed;
    clearTimeout(cut);
  }

  /** Cuts off a client that was silent since the last beat. While the socket is paused, the client has to read answers instead. */
  beat(): void {
    const unread = this.#socket.bufferedAmount;
    const lives = this.#isPaused ? unread === 0 || unread < this.#unreadAtBeat : this.#isHeard;
    if (!lives) this.#socket.terminate();
    this.#isHeard = false;
    this.#unreadAtBeat = unread;
    if (this.#isOpen()) this.#socket.ping();
  }

  #receive(data: RawData, isBinary: boolean): void {
    // Any message shows that the client is alive, because a pong arrives after the messages before it.
    this.#isHeard = true;
    if (!this.#isOpen()) return;
    if (isBinary) return void this.sendAway(NOT_TEXT, 'send text');
    if (this.#waiting.length >= MAX_WAITING) return void this.sendAway(TRY_AGAIN_LATER, 'too many messages wait');
    const text = textOf(data);
    this.#waiting.push({ text, held: this.#heldBy(Buffer.byteLength(text)) });
    this.#waitingBytes += text.length;
    this.#regulate();
    if (!this.#isAnswering) void this.#work();
  }

  #holdArriving(): void {
    if (this.#arrived > SMALL_MESSAGE_BYTES && this.#isOpen()) this.#arriving ??= this.#hold(MAX_MESSAGE_BYTES);
  }

  /** What a whole message holds. */
  #heldBy(bytes: number): HeldMessage | undefined {
    const held = this.#arriving ?? (bytes > SMALL_MESSAGE_BYTES ? this.#hold(bytes) : undefined);
    [this.#arrived, this.#arriving] = [0, undefined];
    held?.is(bytes);
    return held;
  }

  /** Takes memory for a message. Until there is some, no more is read. */
  #hold(bytes: number): HeldMessage {
    const held = new HeldMessage(bytes, (work) => this.#holding(bytes, this.#away.signal, work));
    this.#untaken += 1;
    this.#regulate();
    void held.taken
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#untaken -= 1;
        this.#regulate();
      });
    return held;
  }

  async #work(): Promise<void> {
    this.#isAnswering = true;
    while (this.#waiting.length > 0 && this.#isOpen()) {
      const { text, held } = this.#waiting[0]!;
      await this.#answer(text, held).finally(() => held?.answered());
      this.#waitingBytes -= text.length;
      this.#waiting.shift();
      this.#regulate();
    }
    for (const { held } of this.#waiting.splice(0)) held?.answered();
    this.#isAnswering = false;
  }

  async #answer(text: string, held: HeldMessage | undefined): Promise<void> {
    try {
      await held?.taken;
      await this.#answering(text, this.#away.signal, (answer) => this.#send(answer));
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (codeOf(error) === 'session_required') this.endWithSession('ended');
    else void this.sendAway(TRY_AGAIN_LATER, 'try again in a moment');
  }

  /** Sends a message that answers no other. Resolves when it has left this process, or the socket has closed. */
  tell(message: Buffer): Promise<void> {
    return this.#send(message);
  }

  /** Resolves when the answer has left this process, or the socket has closed. */
  async #send(answer: Buffer | undefined): Promise<void> {
    if (answer === undefined || !this.#isOpen()) return;
    if (this.#socket.bufferedAmount + answer.length > MAX_UNREAD_BYTES)
      return void this.sendAway(TRY_AGAIN_LATER, 'read what was sent, or ask for less');
    await new Promise<void>((resolve) => {
      this.#socket.send(answer, { binary: false }, () => resolve());
      this.#regulate();
    });
  }

  /** Pauses or resumes reading, depending on how much is waiting and unread. */
  #regulate(): void {
    if (!this.#isOpen()) return;
    const unread = this.#socket.bufferedAmount;
    if (unread > MAX_UNREAD_BYTES) return void this.sendAway(TRY_AGAIN_LATER, 'read what was sent');
    const isFull = this.#untaken > 0 || unread + this.#waitingBytes > READ_UP_TO_BYTES;
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
  return (Array.isArray(data) ? Buffer.concat(data) : (data as Buffer)).toString('utf8');
}
