import { codeOf, SvcError } from '../errors/svc-error.ts';

/** What one side of a link lets the other call. Arguments and results are copied, so they are plain values. */
export type Calls = Readonly<Record<string, (...given: never[]) => unknown>>;

/** One end of a channel between two processes. Messages arrive in the order in which they were sent. */
export type Port = { send(message: unknown): void; onMessage(listener: (message: unknown) => void): void };

type Fault = { readonly message: string; readonly code: unknown; readonly options: object };
type Message =
  | { readonly call: string; readonly given: readonly unknown[]; readonly ask?: number }
  | { readonly answer: number; readonly value?: unknown; readonly fault?: Fault };
type Waiting = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };

/** Calls functions of another process, and answers its calls. */
export class Link<Theirs extends Calls> {
  readonly #port: Port;
  readonly #mine: Calls;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;
  #closed: Error | undefined;

  /** @param mine - what the other side may call. */
  constructor(port: Port, mine: Calls) {
    this.#port = port;
    this.#mine = mine;
    port.onMessage((message) => this.#take(message as Message));
  }

  /** Calls a function of the other side. @throws what the function throws, or that the link is closed. */
  ask<Name extends keyof Theirs & string>(
    call: Name,
    ...given: Parameters<Theirs[Name]>
  ): Promise<Awaited<ReturnType<Theirs[Name]>>> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (this.#closed !== undefined) reject(this.#closed);
    else {
      const ask = (this.#asked += 1);
      this.#port.send({ call, given, ask } satisfies Message);
      // Only now, because nobody waits for an answer when sending throws.
      this.#waiting.set(ask, { resolve, reject });
    }
    return promise as Promise<Awaited<ReturnType<Theirs[Name]>>>;
  }

  /** The same, without waiting for an answer. */
  tell<Name extends keyof Theirs & string>(call: Name, ...given: Parameters<Theirs[Name]>): void {
    if (this.#closed === undefined) this.#port.send({ call, given } satisfies Message);
  }

  /** Rejects whatever waits for an answer, because the other process has ended. */
  close(why: Error): void {
    this.#closed = why;
    for (const { reject } of this.#waiting.values()) reject(why);
    this.#waiting.clear();
  }

  #take(message: Message): void {
    if ('call' in message) {
      void this.#answer(message);
      return;
    }
    const waiting = this.#waiting.get(message.answer);
    this.#waiting.delete(message.answer);
    if (message.fault === undefined) waiting?.resolve(message.value);
    else waiting?.reject(errorOf(message.fault));
  }

  async #answer({ call, given, ask }: Extract<Message, { call: string }>): Promise<void> {
    const reply = (message: object): void => {
      if (ask !== undefined && this.#closed === undefined) this.#port.send({ answer: ask, ...message });
    };
    try {
      reply({ value: await (this.#mine[call] as (...all: readonly unknown[]) => unknown)(...given) });
    } catch (error) {
      reply({ fault: faultOf(error) });
    }
  }
}

/** Copies of errors lack their members, so these are sent one by one. */
function faultOf(error: unknown): Fault {
  const { message, code, detail, members, retryAfterSeconds } = error as Partial<SvcError>;
  return { message: message ?? String(error), code, options: { detail, members, retryAfterSeconds } };
}

function errorOf(fault: Fault): Error {
  const code = codeOf(fault);
  return code === undefined
    ? Object.assign(new Error(fault.message), { code: fault.code })
    : new SvcError(code, fault.options);
}
