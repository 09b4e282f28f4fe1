/** One thing that is wrong with a configuration. Messages never hold a value that could be a secret. */
export type ConfigFault = {
  /** Dotted key path, such as `auth.oidc.issuer`; empty for the file as a whole. */
  readonly path: string;
  readonly message: string;
  /** Line in the file, from 1, where it can be told. */
  readonly line?: number | undefined;
};

/** Collects what is wrong, so that all of it is reported at once. */
export class Faults {
  readonly list: ConfigFault[] = [];

  add(path: string, message: string): void {
    this.list.push({ path, message });
  }

  get any(): boolean {
    return this.list.length > 0;
  }
}

/** `file:line: path: message`, for a terminal and for editors that jump there. */
export function faultLine(file: string, { path, line, message }: ConfigFault): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return path === '' ? `${place}: ${message}` : `${place}: ${path}: ${message}`;
}
