import type { ApiKeys } from '../apikey/api-keys.ts';
import type { S3Keys } from '../s3key/s3-keys.ts';
import type { Sessions } from '../session/sessions.ts';
import { expiryOf, type Caller } from './caller.ts';
import { credentialRefOf } from './credential-ref.ts';
import type { Identify } from './identify.ts';

/** `ended`: the session was signed out or revoked, or the key was revoked or changed. */
export type Ending = 'ended' | 'expired';

export type CredentialWatchParts = {
  readonly identify: Identify;
  readonly sessions: Sessions;
  readonly apiKeys: ApiKeys | undefined;
  readonly s3Keys?: S3Keys | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

type Watched = {
  readonly caller: Caller;
  onEnd: (why: Ending) => void;
  expiry: NodeJS.Timeout | undefined;
  look: NodeJS.Timeout | undefined;
};

/**
 * Takes the place of what a watch that has ended would call. When a map or a set grows or shrinks, V8 makes a new table, to which the old one points. Once the old one is
 * among the old objects, each table after it stays in memory until the next collection of the whole heap, with all that its entries refer to: here, whole requests.
 */
const IGNORE = (): void => undefined;
const MAX_TIMER_MS = 2_147_483_647;
/** The pause before the session or key is looked up, and before it is looked up again when the store fails. */
const LOOK_AFTER_MS = 500;
/** The pause between looks at a session for a token of a trusted issuer: nothing is stored of it whose end could be told. */
const LOOK_EVERY_MS = 2_000;

/**
 * Calls back when the session or key of a caller ends on any instance, so that open sockets and transfers end too.
 *
 * A key that is rotated or gets another scope counts as ended: clients connect again with the new secret or scope.
 */
export class CredentialWatch {
  readonly #parts: CredentialWatchParts;
  /** By the public id of the session or key. */
  readonly #watched = new Map<string, Set<Watched>>();
  /** When the watch of each began, for those that were not looked up yet, the oldest first. Most transfers end before, so all of them share one timer. */
  readonly #new = new Map<Watched, number>();
  #isWaiting = false;

  constructor(parts: CredentialWatchParts) {
    this.#parts = parts;
    parts.sessions.onEnded((id) => this.#end(id));
    parts.sessions.onEndsMissed(() => this.#lookAgain());
    for (const keys of [parts.apiKeys, parts.s3Keys]) {
      keys?.onChanged((id) => this.#end(id));
      keys?.onChangesMissed((id) => (id === undefined ? this.#lookAgain() : this.#lookAt(this.#watched.get(id) ?? [])));
    }
  }

  /**
   * Calls back once, when the caller's session or key ends. An `anonymous` caller has neither, so there is no call.
   *
   * @returns a function that ends the watch.
   */
  watch(caller: Caller, onEnd: (why: Ending) => void): () => void {
    if (caller.credentialId === '') return () => undefined;
    const watched: Watched = { caller, onEnd, expiry: undefined, look: undefined };
    const watchers = this.#watched.get(caller.credentialId) ?? new Set<Watched>();
    this.#watched.set(caller.credentialId, watchers.add(watched));
    if ((expiryOf(caller) ?? Infinity) - this.#parts.now() < 2 * LOOK_AFTER_MS) this.#endInTime(watched);
    this.#new.set(watched, performance.now());
    if (!this.#isWaiting) this.#lookAtNewAfter(LOOK_AFTER_MS);
    return () => this.#leave(watched);
  }

  #lookAtNewAfter(ms: number): void {
    this.#isWaiting = true;
    setTimeout(this.#lookAtNew, ms).unref();
  }

  /** The session may have ended after it was looked up, so it is looked up again soon. */
  readonly #lookAtNew = (): void => {
    this.#isWaiting = false;
    for (const [watched, since] of this.#new) {
      const left = since + LOOK_AFTER_MS - performance.now();
      if (left > 0) {
        this.#lookAtNewAfter(left);
        return;
      }
      this.#new.delete(watched);
      if (watched.expiry === undefined) this.#endInTime(watched);
      void this.#look(watched);
    }
  };

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
    for (const watchers of this.#watched.values()) this.#lookAt(watchers);
  }

  #lookAt(watchers: Iterable<Watched>): void {
    for (const watched of watchers) void this.#look(watched);
  }

  #lookAfter(watched: Watched, ms: number): void {
    if (this.#isWatched(watched)) watched.look = setTimeout(() => void this.#look(watched), ms).unref();
  }

  async #look(watched: Watched): Promise<void> {
    clearTimeout(watched.look);
    const { caller } = watched;
    try {
      const current = await this.#parts.identify.byCredentialRef(credentialRefOf(caller));
      if (current === undefined || current.keyState !== caller.keyState) this.#tell(watched, 'ended');
      else if (caller.kind === 'webIdentity') this.#lookAfter(watched, LOOK_EVERY_MS);
    } catch {
      // A failing store does not mean that the session has ended, so the store is asked again.
      this.#lookAfter(watched, LOOK_AFTER_MS);
    }
  }

  #tell(watched: Watched, why: Ending): void {
    if (!this.#isWatched(watched)) return;
    const { onEnd } = watched;
    this.#leave(watched);
    onEnd(why);
  }

  #isWatched(watched: Watched): boolean {
    return this.#watched.get(watched.caller.credentialId)?.has(watched) === true;
  }

  #leave(watched: Watched): void {
    this.#new.delete(watched);
    clearTimeout(watched.expiry);
    clearTimeout(watched.look);
    watched.onEnd = IGNORE;
    const { credentialId } = watched.caller;
    const watchers = this.#watched.get(credentialId);
    watchers?.delete(watched);
    if (watchers?.size === 0) this.#watched.delete(credentialId);
  }
}
