const WINDOW_MS = 8_000;

/** Measures the average transfer speed of the last eight seconds. */
export class SpeedMeter {
  readonly #samples: { readonly atMs: number; readonly bytes: number }[] = [];

  /** @param bytes - the number of bytes sent since the last call. */
  add(atMs: number, bytes: number): void {
    if (bytes <= 0) return;
    const last = this.#samples.at(-1);
    if (last && atMs - last.atMs < 100)
      this.#samples[this.#samples.length - 1] = { atMs: last.atMs, bytes: last.bytes + bytes };
    else this.#samples.push({ atMs, bytes });
    this.#forgetBefore(atMs - WINDOW_MS);
  }

  bytesPerSecond(nowMs: number): number {
    this.#forgetBefore(nowMs - WINDOW_MS);
    const first = this.#samples[0];
    if (!first) return 0;
    const bytes = this.#samples.reduce((sum, sample) => sum + sample.bytes, 0);
    return (bytes * 1_000) / Math.max(nowMs - first.atMs, 1_000);
  }

  reset(): void {
    this.#samples.length = 0;
  }

  #forgetBefore(ms: number): void {
    while (this.#samples[0] && this.#samples[0].atMs < ms) this.#samples.shift();
  }
}
