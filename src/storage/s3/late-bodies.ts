/** A body comes late when it comes this long after its head, in milliseconds. Systems hold acknowledgements back for 40 to 200 ms. */
const LATE_MS = 35;
const TOO_LATE_MS = 250;
/** So many requests use connections of their own after each body that came late, at most `MOST`. */
const EACH = 64;
const MOST = 512;
/** The ports of a system are 28,000, and each may stay in use for a minute after its connection. */
const MOST_A_MINUTE = 10_000;
const MINUTE_MS = 60_000;

/**
 * Notices storage that sends a short body only when its head is acknowledged, as Ceph does unless `tcp_nodelay` is set. The system holds this acknowledgement back for 40 ms
 * on a connection that has been used a few times, and not on a new one.
 */
export class LateBodies {
  #left = 0;
  #minute = 0;
  #connections = 0;

  /** @param ms - the time between the head of an answer and the beginning of its body. */
  came(ms: number): void {
    if (ms >= LATE_MS && ms < TOO_LATE_MS) this.#left = Math.min(this.#left + EACH, MOST);
    else if (this.#left > 0) this.#left -= 1;
  }

  /** Whether the next request gets a connection of its own, because its answer comes earlier then. Each call counts one. */
  takeConnection(): boolean {
    if (this.#left === 0) return false;
    const minute = Math.floor(performance.now() / MINUTE_MS);
    if (minute !== this.#minute) this.#connections = 0;
    this.#minute = minute;
    this.#connections += 1;
    return this.#connections <= MOST_A_MINUTE;
  }
}
