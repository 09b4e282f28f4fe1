import type { ApiKeys } from '../apikey/registry.ts';
import type { Sessions } from '../session/sessions.ts';
import { expiryOf, type Caller } from './caller.ts';
import { holderOf } from './holder.ts';
import type { Identify } from './identify.ts';

/** `ended`: signed out, revoked, or a key that was changed. */
export type Ending = 'ended' | 'expired';

export type CredentialWatchParts = {
  readonly identify: Identify;
  readonly sessions: Sessions;
  readonly apiKeys: ApiKeys | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

type Watched = { readonly caller: Caller; readonly onEnd: (why: Ending) => void; expiry: NodeJS.Timeout | undefined; look: NodeJS.Timeout | undefined };

const MAX_TIMER_MS = 2_147_483_647;
/** How soon to look, and to look again where the store could not tell. */
const LOOK_AFTER_MS = 500;

/**
 * Tells whoever holds something open for a caller when the caller's session or key ends, on whichever instance that happens.
 *
 * A key that is rotated, or given another scope, counts as ended: its holder comes back with what it has now.
 */
export class CredentialWatch {
  readonly #parts: CredentialWatchParts;
  /** By the public id of the session or key. */
  readonly #watched = new Map<string, Set<Watched>>();

  constructor(parts: CredentialWatchParts) {
    this.#parts = parts;
    parts.sessions.onEnded((id) => this.#end(id));
    parts.sessions.onEndsMissed(() => this.#lookAgain());
    parts.apiKeys?.onChanged((id) => this.#end(id));
    parts.apiKeys?.onChangesMissed(() => this.#lookAgain());
  }

  /**
   * Calls back once, when the caller's session or key ends. Never for `anonymous`, who has neither.
   *
   * @returns to be called when nothing is held open any more.
   */
  watch(caller: Caller, onEnd: (why: Ending) => void): () => void {
    if (caller.credentialId === '') return () => undefined;
    const watched: Watched = { caller, onEnd, expiry: undefined, look: undefined };
    const together = this.#watched.get(caller.credentialId) ?? new Set<Watched>();
    this.#watched.set(caller.credentialId, together.add(watched));
    this.#endInTime(watched);
    // It may have ended between the look at the store and now. What is over sooner need not ask.
    this.#lookSoon(watched);
    return () => this.#leave(watched);
  }

  #endInTime(watched: Watched): void {
    const expiresAt = expiryOf(watched.caller);
    if (expiresAt === undefined) return;
    const left = expiresAt - this.#parts.now();
    const act = () => (left > MAX_TIMER_MS ? this.#endInTime(watched) : this.#tell(watched, 'expired'));
    watched.expiry = setTimeout(act, Math.max(0, Math.min(left, MAX_TIMER_MS))).unref();
  }

  #end(id: string): void {
    for (const watched of [...(this.#watched.get(id) ?? [])]) this.#tell(watched, 'ended');
  }

  #lookAgain(): void {
    for (const together of this.#watched.values()) for (const watched of together) void this.#look(watched);
  }

  #lookSoon(watched: Watched): void {
    watched.look = setTimeout(() => void this.#look(watched), LOOK_AFTER_MS).unref();
  }

  async #look(watched: Watched): Promise<void> {
    clearTimeout(watched.look);
    const { caller } = watched;
    try {
      const current = await this.#parts.identify.byHolder(holderOf(caller));
      if (current === undefined || current.keyState !== caller.keyState) this.#tell(watched, 'ended');
    } catch {
      // A store that cannot tell is never "ended"; it is asked until it can.
      if (this.#isWatched(watched)) this.#lookSoon(watched);
    }
  }

  #tell(watched: Watched, why: Ending): void {
    if (!this.#isWatched(watched)) return;
    this.#leave(watched);
    watched.onEnd(why);
  }

  #isWatched(watched: Watched): boolean {
    return this.#watched.get(watched.caller.credentialId)?.has(watched) === true;
  }

  #leave(watched: Watched): void {
    clearTimeout(watched.expiry);
    clearTimeout(watched.look);
    const { credentialId } = watched.caller;
    const together = this.#watched.get(credentialId);
    together?.delete(watched);
    if (together?.size === 0) this.#watched.delete(credentialId);
  }
}
