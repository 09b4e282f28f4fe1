import { SvcError } from '../errors/svc-error.ts';
import type { ObjectResource } from '../policy/model/resource.ts';
import { isKey, personIdOf, type Caller } from './caller.ts';
import { credentialRefOf, type CredentialRef } from './credential-ref.ts';
import type { Identify } from './identify.ts';
import { digestOf, newSecret } from '../secret/secret.ts';

export type Direction = 'download' | 'upload';

/** One part of a multipart upload. */
export type TicketPart = { readonly id: string; readonly part: number };

/** The purpose of a ticket. An upload ticket with `upload` stores that part, otherwise the whole object. */
export type TicketPurpose = {
  readonly direction: Direction;
  readonly target: ObjectResource;
  readonly upload?: TicketPart | undefined;
  /** The version that a download reads; the newest when left out. */
  readonly version?: string | undefined;
  /** The headers that an upload stores with the object. */
  readonly stored?: Readonly<Record<string, string>> | undefined;
};

/** A stored ticket. It is found by the digest of its secret. */
type StoredTicket = TicketPurpose & { readonly credential: CredentialRef };

/**
 * The store of tickets, shared by all instances. Times are milliseconds since the epoch. When an owner has more than `limit` tickets, the oldest are removed.
 */
export interface TicketEntries {
  put(
    id: string,
    value: string,
    expiresAt: number,
    owner: { readonly id: string; readonly limit: number },
  ): Promise<void>;
  get(id: string): Promise<string | undefined>;
  take(id: string): Promise<string | undefined>;
}

/** Seconds within which a transfer has to begin. */
const TICKET_LIFETIME_SECONDS = 60;

/**
 * The number of live tickets of all sessions of a person, and of all their keys; one more removes the oldest. Not of each of them: somebody who makes one key after the
 * other would leave no room for others.
 */
const TICKETS_OF_A_PERSON = 1_000;

export type IssuedTicket = { readonly ticket: string; readonly expiresAt: number };

/**
 * Transfer tickets. A ticket is the secret in a URL that allows one transfer without another credential. It ends with the session or key that made it.
 *
 * An upload's ticket is used once. A download's ticket may be used again until it expires, so that a download can continue where it stopped.
 */
export class Tickets {
  readonly #entries: TicketEntries;
  readonly #identify: Identify;
  readonly #now: () => number;

  constructor(options: { readonly entries: TicketEntries; readonly identify: Identify; readonly now: () => number }) {
    this.#entries = options.entries;
    this.#identify = options.identify;
    this.#now = options.now;
  }

  async issue(caller: Caller, purpose: TicketPurpose): Promise<IssuedTicket> {
    const ticket = newSecret();
    const expiresAt = this.#now() + TICKET_LIFETIME_SECONDS * 1000;
    const entry: StoredTicket = { ...purpose, credential: credentialRefOf(caller) };
    await this.#entries.put(placeOf(ticket), JSON.stringify(entry), expiresAt, {
      id: `ticket:${isKey(caller) ? 'keys' : 'sessions'}:${digestOf(personIdOf(caller))}`,
      limit: TICKETS_OF_A_PERSON,
    });
    return { ticket, expiresAt };
  }

  /**
   * Redeems a ticket: returns its purpose and its current caller. The operation that it performs asks policy again.
   *
   * @throws {SvcError} `not_found` with `ticket: 'not_valid'`: the ticket is unknown, expired, used or for the other direction, or its session or key has
   *   ended. The cases have the same error.
   */
  async redeem(ticket: string, direction: Direction): Promise<TicketPurpose & { readonly caller: Caller }> {
    const place = placeOf(ticket);
    const text = await this.#entries.get(place);
    const entry = text === undefined ? undefined : (JSON.parse(text) as StoredTicket);
    const isFit =
      entry?.direction === direction && (direction === 'download' || (await this.#entries.take(place)) !== undefined);
    const caller = isFit ? await this.#identify.byCredentialRef(entry.credential) : undefined;
    if (entry === undefined || caller === undefined)
      throw new SvcError('not_found', {
        detail: 'this ticket is not valid; ask for a new one',
        members: { ticket: 'not_valid' },
      });
    const { credential: _credential, ...purpose } = entry;
    return { caller, ...purpose };
  }
}

function placeOf(ticket: string): string {
  return `ticket:${digestOf(ticket)}`;
}
