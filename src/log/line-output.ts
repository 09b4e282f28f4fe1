/** Writes lines in the order in which it gets them. The lines of one turn of the event loop can be written together, which costs as much as one. */
export class LineOutput {
  readonly #stream: NodeJS.WritableStream;
  #waiting = '';
  #isDue = false;

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
  }

  /** Writes a line at once. */
  write(line: string): void {
    const lines = this.#waiting + line;
    this.#waiting = '';
    this.#stream.write(lines);
  }

  /** Writes a line at the end of this turn of the event loop, or when the process exits. It is lost if the process is killed before. */
  writeSoon(line: string): void {
    this.#waiting += line;
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(this.#writeWaiting);
    process.once('exit', this.#writeWaiting);
  }

  readonly #writeWaiting = (): void => {
    this.#isDue = false;
    process.off('exit', this.#writeWaiting);
    if (this.#waiting !== '') this.write('');
  };
}
