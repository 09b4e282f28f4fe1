/** A body comes late when it comes this long after its head, in milliseconds. Systems hold acknowledgements back for 40 to 200 ms. */
const LATE_MS = 35;
const TOO_LATE_MS = 250;
/** So many requests close their connections after each body that came late, at most `MOST`. */
const EACH = 64;
const MOST = 512;
/** The ports of a system are 28,000, and each may stay in use for a minute after its connection. */
const MOST_A_MINUTE = 10_000;
/** Bodies that come late although the connection is closed: this process may be busy, so a few in a minute do not count, nor one in four. */
const FOR_NOTHING = 16;
const FOR_NOTHING_SHARE = 1 / 4;
const MINUTE_MS = 60_000;

/**
 * Notices storage that sends a short body only when its head is acknowledged, as Ceph does unless `tcp_nodelay` is set. The system holds this acknowledgement back for 40 ms
 * on a connection that has been used a few times. Storage that closes the connection after its answer sends at once what it holds back.
 */
export class LateBodies {
  #left = 0;
  #minute = 0;
  #closed = 0;
  #forNothing = 0;

  /**
   * @param ms - the time between the head of an answer and the beginning of its body.
   * @param isClosing - what {@link mayClose} said of its request.
   */
  came(ms: number, isClosing: boolean): void {
    if (ms < LATE_MS || ms >= TOO_LATE_MS) return;
    if (isClosing) this.#forNothing += 1;
    else this.#left = Math.min(this.#left + EACH, MOST);
  }

  /** Whether the next request asks storage to close its connection, because its answer comes earlier then. Each call counts one. */
  mayClose(): boolean {
    if (this.#left === 0) return false;
    const minute = Math.floor(performance.now() / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#closed = 0;
      this.#forNothing = 0;
    }
    if (this.#closed >= MOST_A_MINUTE || this.#forNothing > FOR_NOTHING + FOR_NOTHING_SHARE * this.#closed)
      return false;
    this.#left -= 1;
    this.#closed += 1;
    return true;
  }
}
