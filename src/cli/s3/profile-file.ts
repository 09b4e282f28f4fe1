import { readFile, realpath } from 'node:fs/promises';
import { writePrivately } from '../../client/private-file.ts';

/** The text of a section: its header and the lines that belong to it. */
type Section = { readonly start: number; readonly end: number };

const NOTHING = /^\s*(?:[#;].*)?$/;

/** A file of sections, as the AWS CLI and rclone keep them. What is in no replaced section stays byte for byte. */
export class ProfileFile {
  readonly path: string;
  /** Each byte is one character, so that a file in any encoding stays as it is. */
  readonly text: string;
  readonly #lines: readonly string[];

  private constructor(path: string, text: string) {
    this.path = path;
    this.text = text;
    this.#lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  }

  /** @param path - a file that may be missing; of a symbolic link, its target is written. */
  static async read(path: string): Promise<ProfileFile> {
    try {
      return new ProfileFile(await realpath(path), await readFile(path, 'latin1'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return new ProfileFile(path, '');
    }
  }

  /** The lines of a section, as one text; undefined when there is none. */
  section(name: string): string | undefined {
    const found = this.#find(name);
    return found && this.#lines.slice(found.start, found.end).join('');
  }

  /** Writes the file with this section, or without it when `lines` is undefined. Only this user can read it then. */
  async write(name: string, lines: readonly string[] | undefined): Promise<void> {
    const next = this.#with(name, lines);
    if (next !== this.text || lines !== undefined) await writePrivately(this.path, Buffer.from(next, 'latin1'));
  }

  #with(name: string, lines: readonly string[] | undefined): string {
    const section = lines === undefined ? '' : Buffer.from([`[${name}]`, ...lines, ''].join('\n')).toString('latin1');
    const found = this.#find(name);
    if (found !== undefined)
      return this.#lines.slice(0, found.start).join('') + section + this.#lines.slice(found.end).join('');
    if (section === '' || this.text === '') return this.text + section;
    return `${this.text}${this.text.endsWith('\n') ? '' : '\n'}\n${section}`;
  }

  /** Comments and empty lines before the next header belong to that. */
  #find(name: string): Section | undefined {
    const start = this.#lines.findIndex((line) => headerOf(line) === name);
    if (start < 0) return undefined;
    const next = this.#lines.findIndex((line, i) => i > start && headerOf(line) !== undefined);
    let end = next < 0 ? this.#lines.length : next;
    while (end > start + 1 && NOTHING.test(this.#lines[end - 1]!.trimEnd())) end -= 1;
    return { start, end };
  }
}

/** The name in a header, such as `profile svc`; undefined for any other line. */
function headerOf(line: string): string | undefined {
  const [, name] = /^\[([^\]]*)\]/.exec(line) ?? [];
  return name?.trim().replace(/\s+/g, ' ').replace(/["']/g, '');
}
