/** Makes long tasks wait while the user is signed out, until the user has signed in again. */
export class SessionGate {
  #open = true;
  readonly #waiting = new Set<() => void>();

  get isOpen(): boolean {
    return this.#open;
  }

  close(): void {
    this.#open = false;
  }

  open(): void {
    this.#open = true;
    for (const go of this.#waiting) go();
    this.#waiting.clear();
  }

  /** Resolves when the gate is open. It rejects if the signal is aborted before. */
  pass(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#open) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const go = () => {
        signal.removeEventListener('abort', stop);
        resolve();
      };
      const stop = () => {
        this.#waiting.delete(go);
        reject(signal.reason as Error);
      };
      this.#waiting.add(go);
      signal.addEventListener('abort', stop, { once: true });
    });
  }
}
