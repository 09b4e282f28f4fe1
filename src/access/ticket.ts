import { hash, randomBytes } from 'node:crypto';
import { SvcError } from '../errors/svc-error.ts';
import type { ObjectResource } from '../policy/resource.ts';
import type { Caller } from './caller.ts';
import { holderOf, type Holder } from './holder.ts';
import type { Identify } from './identify.ts';

export type Direction = 'download' | 'upload';

/** One part of an upload that was begun before. */
export type TicketPart = { readonly id: string; readonly part: number };

/** What a ticket is good for. With `upload` it takes that part instead of the whole object. */
export type TicketPurpose = { readonly direction: Direction; readonly target: ObjectResource; readonly upload?: TicketPart | undefined };

/** What a ticket is kept as, under the digest of its secret. */
type Entry = TicketPurpose & { readonly holder: Holder };

/** Where tickets are kept, on whichever instance. Times are milliseconds since the epoch. Of one owner's tickets the oldest make room. */
export interface TicketEntries {
  put(id: string, value: string, expiresAt: number, owner: { readonly id: string; readonly limit: number }): Promise<void>;
  get(id: string): Promise<string | undefined>;
  take(id: string): Promise<string | undefined>;
}

/** Seconds within which a transfer has to start. */
export const TICKET_LIFETIME_SECONDS = 60;

/** Of one session or key, at once: of more, the oldest end. */
export const TICKETS_PER_CREDENTIAL = 1_000;

export type IssuedTicket = { readonly ticket: string; readonly expiresAt: number };

/**
 * Transfer tickets: a URL that does one thing for whoever made it, and dies with their session or key.
 *
 * An upload's ticket is used once; a download's may be used again while it lives, so that a download can go on where it stopped.
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

  async issue(caller: Caller, { direction, target, upload }: TicketPurpose): Promise<IssuedTicket> {
    const ticket = randomBytes(32).toString('base64url');
    const expiresAt = this.#now() + TICKET_LIFETIME_SECONDS * 1000;
    const entry: Entry = { direction, target, upload, holder: holderOf(caller) };
    await this.#entries.put(placeOf(ticket), JSON.stringify(entry), expiresAt, { id: `ticket:${caller.kind}:${caller.credentialId}`, limit: TICKETS_PER_CREDENTIAL });
    return { ticket, expiresAt };
  }

  /**
   * Redeems a ticket for its purpose and for the caller as they are now. Policy is asked again by the operation that it performs.
   *
   * @throws {SvcError} `not_found`: unknown, expired, used, for the other direction, or its session or key is gone; the cases are not told apart.
   */
  async redeem(ticket: string, direction: Direction): Promise<TicketPurpose & { readonly caller: Caller }> {
    const place = placeOf(ticket);
    const text = await this.#entries.get(place);
    const entry = text === undefined ? undefined : (JSON.parse(text) as Entry);
    const isFit = entry?.direction === direction && (direction === 'download' || (await this.#entries.take(place)) !== undefined);
    const caller = isFit ? await this.#identify.byHolder(entry.holder) : undefined;
    if (entry === undefined || caller === undefined) throw new SvcError('not_found', { detail: 'this ticket is not valid; ask for a new one' });
    return { caller, direction, target: entry.target, upload: entry.upload };
  }
}

function placeOf(ticket: string): string {
  return `ticket:${hash('sha256', ticket, 'base64url')}`;
}
