/**
 * An entry whose texts hold nothing that JSON or XML escapes: they are ASCII without control characters, `\`, `&`, `<` and `>`, and have quotes only around the whole
 * ETag. Most entries of a listing are so, and it is known when they are read.
 */
export abstract class Plain {
  abstract readonly etag: string | null;

  /** The ETag with its quotes written in another way. */
  etagWith(quote: string): string | null {
    return this.etag?.startsWith('"') === true ? quote + this.etag.slice(1, -1) + quote : this.etag;
  }
}
