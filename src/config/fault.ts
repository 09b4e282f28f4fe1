import { visible } from './visible.ts';

/** One thing that is wrong with a configuration. Messages never hold a value that could be a secret. */
export type ConfigFault = {
  /** Dotted key path, such as `auth.oidc.issuer`; empty for the file as a whole. */
  readonly path: string;
  /** The file that it is about, where that is not the configuration file. */
  readonly file?: string | undefined;
  readonly message: string;
  /** Line in the file, from 1, where it can be told. */
  readonly line?: number | undefined;
  /** Whether something outside of the file is missing or unfit: a variable of the environment, or a file with a secret. */
  readonly outside?: true;
};

/** Tells the operator of something that is no fault, with the key that it is about; empty for the file as a whole. */
export type Warn = (path: string, message: string) => void;

/** Collects what is wrong, so that all of it is reported at once. */
export class Faults {
  readonly list: ConfigFault[] = [];
  #broken: ReadonlySet<string> = new Set();
  /** Every key with something broken beneath it. */
  #aboveBroken: ReadonlySet<string> = new Set();

  /**
   * @param dependsOn - further keys that the fault is about: while one of them is known to be broken, nothing is said about it.
   */
  add(path: string, message: string, ...dependsOn: readonly string[]): void {
    if ([path, ...dependsOn].some((key) => this.#isBroken(key))) return;
    this.list.push({ path, message });
  }

  /** Reports what is missing or unfit outside of the file. */
  addOutside(path: string, message: string): void {
    this.list.push({ path, message, outside: true });
  }

  /** From now on, a fault about a key that is known to be broken is left out as a consequence. */
  leaveOutConsequences(): void {
    this.#broken = new Set(this.list.map(({ path }) => path));
    this.#aboveBroken = new Set([...this.#broken].flatMap(keysAbove));
  }

  #isBroken(path: string): boolean {
    return this.#broken.has(path) || this.#aboveBroken.has(path) || keysAbove(path).some((above) => this.#broken.has(above));
  }

  get any(): boolean {
    return this.list.length > 0;
  }
}

/** `a` and `a.b` of `a.b.c`. */
function keysAbove(path: string): string[] {
  return [...path.matchAll(/\./g)].map(({ index }) => path.slice(0, index));
}

/** `file:line: path: message`, for a terminal and for editors that jump there. */
export function faultLine(file: string, fault: ConfigFault): string {
  const name = fault.file ?? file;
  return `${fault.line === undefined ? name : `${name}:${fault.line}`}: ${textOf(fault)}`;
}

/** `path: message`, behind the file where it is not the configuration file. */
export function faultText(fault: ConfigFault): string {
  return `${fault.file === undefined ? '' : `${fault.file}: `}${textOf(fault)}`;
}

/** Teams and others write what is named in it: what a terminal would obey is shown instead. */
function textOf({ path, message }: ConfigFault): string {
  return visible(path === '' ? message : `${path}: ${message}`);
}
