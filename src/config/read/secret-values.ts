import { joinPath } from './key-path.ts';

const SHORTEST = 6;
const HIDDEN = '[hidden]';

/** Removes secrets from messages: each value that came from outside or belongs to a secret key is replaced wherever it appears. */
export class SecretValues {
  readonly #values = new Set<string>();
  readonly #marked = new Set<string>();

  add(value: string): void {
    if (value.length >= SHORTEST) this.#values.add(value);
  }

  /** Adds a secret of the file: the whole text, and the credentials in it when it is a URL. */
  #addMarkedText(text: string): void {
    this.add(text);
    // `URL` cannot parse this, because there may be a list of hosts.
    const [, username = '', password = ''] = /^[a-z][a-z+.-]*:\/\/([^:@/]*):?([^@/]*)@/i.exec(text) ?? [];
    for (const part of [username, password]) {
      this.add(part);
      try {
        this.add(decodeURIComponent(part));
      } catch {
        // The credential is not percent-encoded, so the raw text was already added above.
      }
    }
  }

  /** Adds the texts of all keys that the schema marks as `writeOnly`. */
  addMarked(schema: unknown, value: unknown, path = ''): void {
    if (typeof schema !== 'object' || schema === null) return;
    const { writeOnly, properties, items } = schema as {
      writeOnly?: boolean;
      properties?: Readonly<Record<string, unknown>>;
      items?: unknown;
    };
    if (writeOnly === true && typeof value === 'string') {
      this.#marked.add(path);
      this.#addMarkedText(value);
    }
    if (Array.isArray(value))
      for (const [i, item] of value.entries()) this.addMarked(items, item, joinPath(path, String(i)));
    else if (typeof value === 'object' && value !== null && properties !== undefined) {
      for (const [name, member] of Object.entries(value))
        if (Object.hasOwn(properties, name)) this.addMarked(properties[name], member, joinPath(path, name));
    }
  }

  /** Whether the text at this path is a secret. */
  isMarked(path: string): boolean {
    return this.#marked.has(path);
  }

  hide(text: string): string {
    let hidden = text;
    for (const value of this.#values) hidden = hidden.replaceAll(value, HIDDEN);
    return hidden;
  }
}
