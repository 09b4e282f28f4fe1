/** Writes lines in the order in which it gets them. The lines of one turn of the event loop can be written together, which costs as much as one. */
export class LineOutput {
  readonly #stream: NodeJS.WritableStream;
  #waiting = '';
  #due: PromiseWithResolvers<void> | undefined;

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
  }

  /** Writes a line at once. */
  write(line: string): void {
    const lines = this.#waiting + line;
    this.#waiting = '';
    this.#stream.write(lines);
  }

  /** Writes a line at the end of this turn of the event loop, or when the process exits. It is lost if the process is killed before. @returns when it is written. */
  writeSoon(line: string): Promise<void> {
    this.#waiting += line;
    if (this.#due === undefined) {
      this.#due = Promise.withResolvers();
      setImmediate(this.#writeWaiting);
      process.once('exit', this.#writeWaiting);
    }
    return this.#due.promise;
  }

  readonly #writeWaiting = (): void => {
    process.off('exit', this.#writeWaiting);
    if (this.#waiting !== '') this.write('');
    this.#due?.resolve();
    this.#due = undefined;
  };
}
