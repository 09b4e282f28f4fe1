/** Smaller pieces are collected in one buffer of this size. */
export const ROOM_BYTES = 16_384;

/** Collects the pieces of a body. Small ones are copied at once, because the sender may send them so small that each takes two hundred times its bytes. */
export class Collected {
  readonly #whole: Buffer[] = [];
  #room: Buffer | undefined;
  #filled = 0;
  #bytes = 0;

  /** What has come so far. */
  get bytes(): number {
    return this.#bytes;
  }

  add(piece: Buffer): void {
    this.#bytes += piece.length;
    // Most bodies are one piece.
    if (piece.length >= ROOM_BYTES || this.#bytes === piece.length) {
      this.#leaveRoom();
      this.#whole.push(piece);
      return;
    }
    if (this.#filled + piece.length > ROOM_BYTES) this.#leaveRoom();
    this.#filled += piece.copy((this.#room ??= Buffer.allocUnsafeSlow(ROOM_BYTES)), this.#filled);
  }

  /** All pieces in one. */
  join(): Buffer {
    this.#leaveRoom();
    return this.#whole.length === 1 ? this.#whole[0]! : Buffer.concat(this.#whole);
  }

  #leaveRoom(): void {
    if (this.#filled > 0) this.#whole.push(this.#room!.subarray(0, this.#filled));
    this.#room = undefined;
    this.#filled = 0;
  }
}
