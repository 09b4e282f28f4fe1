/**
 * An entry of a listing that was read as one JSON text, with the names of the HTTP API. Most entries of a listing are so. Its texts hold nothing that JSON or XML
 * escapes: they are ASCII without control characters, `\`, `&`, `<` and `>`, and have quotes only around the whole ETag.
 */
export abstract class Plain<Members = unknown> {
  readonly key: string;
  readonly json: string;
  #others: Members | undefined;

  constructor(json: string) {
    this.json = json;
    this.key = json.slice(KEY_AT, json.indexOf('"', KEY_AT));
  }

  /** The members other than the key, with the names of the operation. */
  protected abstract read(): Members;

  protected get others(): Members {
    return (this.#others ??= this.read());
  }

  toJSON(): object {
    return { key: this.key, ...(this.others as object) };
  }
}

/** The key is the first member. */
export const PLAIN_KEY = '{"key":"';
const KEY_AT = PLAIN_KEY.length;
