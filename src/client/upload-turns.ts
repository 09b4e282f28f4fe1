import { setTimeout as wait } from 'node:timers/promises';
import type { LimitFunction } from 'p-limit';
import { MAX_BATCH } from '../wire/batch.ts';
import type { RpcParams, RpcResult } from '../wire/rpc.ts';
import { loadAgent, type Connection } from './connection.ts';

type TicketParams = RpcParams<'transfer/create'>;
export type Ticket = Pick<RpcResult<'transfer/create'>, 'url' | 'method'>;

/** A ticket must be used within 60 seconds. After so long a wait for its turn, an upload asks for another one. */
const TICKET_WAIT_MS = 30_000;
const GATHER_MS = 3;

type Asked = PromiseWithResolvers<Ticket> & { readonly params: TicketParams };

/** Gives each upload a ticket and its turn. While some are under way, the tickets of the next ones are asked for in one message. */
export class UploadTurns {
  readonly #connection: Connection;
  readonly #limit: LimitFunction;
  #asked: Asked[] = [];
  #isAsking = false;
  /** The number of uploads that have a ticket and wait for their turn. */
  #waiting = 0;

  /** @param limit - limits the uploads that are under way. */
  constructor(connection: Connection, limit: LimitFunction) {
    this.#connection = connection;
    this.#limit = limit;
  }

  get atOnce(): number {
    return this.#limit.concurrency;
  }

  /** Runs an upload with a ticket when its turn has come. */
  async take<T>(params: TicketParams, upload: (ticket: Ticket) => Promise<T>): Promise<T> {
    const asked = { params, ...Promise.withResolvers<Ticket>() };
    this.#asked.push(asked);
    this.#ask();
    const ticket = await asked.promise;
    const since = performance.now();
    return this.#limit(async () => {
      this.#waiting -= 1;
      this.#ask();
      const isOld = performance.now() - since > TICKET_WAIT_MS;
      return upload(isOld ? await this.#connection.call('transfer/create', params) : ticket);
    });
  }

  /** Asks for the tickets of all uploads that have none, when few are left that have one. */
  #ask(): void {
    if (this.#isAsking || this.#asked.length === 0 || this.#waiting > this.atOnce / 4) return;
    this.#isAsking = true;
    void this.#askOnce().finally(() => {
      this.#isAsking = false;
      this.#ask();
    });
  }

  async #askOnce(): Promise<void> {
    // The files that are being opened at the start get their tickets in the same message.
    if (this.#limit.activeCount === 0) {
      await loadAgent();
      await wait(GATHER_MS);
    }
    const asked = this.#asked.splice(0, MAX_BATCH);
    try {
      const answers = await this.#connection.callEach(
        'transfer/create',
        asked.map(({ params }) => params),
      );
      for (const [at, { resolve, reject }] of asked.entries()) {
        const answer = answers[at]!;
        if (answer.status === 'rejected') reject(answer.reason);
        else {
          this.#waiting += 1;
          resolve(answer.value);
        }
      }
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}
