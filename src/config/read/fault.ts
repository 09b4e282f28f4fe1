import { visible } from '../../format/visible.ts';

/** One fault of a configuration. Messages never contain a value that could be a secret. */
export type ConfigFault = {
  /** Dotted key path, such as `auth.oidc.issuer`; empty for the file as a whole. */
  readonly path: string;
  /** The file with the fault, if it is not the configuration file. */
  readonly file?: string | undefined;
  readonly message: string;
  /** Line in the file, from 1, if known. */
  readonly line?: number | undefined;
  /** Whether the fault is outside of the file: a missing or invalid environment variable or secret file. */
  readonly outside?: true;
};

/** Reports a warning about a key; an empty path means the whole file. */
export type Warn = (path: string, message: string) => void;

/** Collects faults, so that all of them are reported at once. */
export class Faults {
  readonly list: ConfigFault[] = [];
  #broken: ReadonlySet<string> = new Set();
  /** Every key that contains something broken. */
  #aboveBroken: ReadonlySet<string> = new Set();

  /** @param dependsOn - further keys that the fault depends on. The fault is not reported while one of them is known to be broken. */
  add(path: string, message: string, ...dependsOn: readonly string[]): void {
    if ([path, ...dependsOn].some((key) => this.#isBroken(key))) return;
    this.list.push({ path, message });
  }

  /** Reports something outside of the file that is missing or invalid. */
  addOutside(path: string, message: string): void {
    this.list.push({ path, message, outside: true });
  }

  /** From now on, faults about keys that are known to be broken are left out as consequences. */
  leaveOutConsequences(): void {
    this.#broken = new Set(this.list.map(({ path }) => path));
    this.#aboveBroken = new Set([...this.#broken].flatMap(keysAbove));
  }

  #isBroken(path: string): boolean {
    return (
      this.#broken.has(path) || this.#aboveBroken.has(path) || keysAbove(path).some((above) => this.#broken.has(above))
    );
  }

  get any(): boolean {
    return this.list.length > 0;
  }
}

/** The enclosing keys: `a` and `a.b` for `a.b.c`. */
function keysAbove(path: string): string[] {
  return [...path.matchAll(/\./g)].map(({ index }) => path.slice(0, index));
}

/** `file:line: path: message`, for a terminal and for editors that jump to the line. */
export function faultLine(file: string, fault: ConfigFault): string {
  const name = fault.file ?? file;
  return `${fault.line === undefined ? name : `${name}:${fault.line}`}: ${textOf(fault)}`;
}

/** Control characters are made visible, because the messages contain text that teams and others wrote. */
function textOf({ path, message }: ConfigFault): string {
  return visible(path === '' ? message : `${path}: ${message}`);
}
