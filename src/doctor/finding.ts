import { SvcError } from '../errors/svc-error.ts';

/** A finding about one dependency of the service, named `what`. `text` is a sentence without a period; when something is wrong it says what to do. */
export type Finding = { readonly state: 'ok' | 'warning' | 'failed'; readonly what: string; readonly text: string };

/** Reports the findings about one dependency. */
export class Findings {
  readonly #what: string;
  readonly #tell: (finding: Finding) => void;

  constructor(what: string, tell: (finding: Finding) => void) {
    this.#what = what;
    this.#tell = tell;
  }

  ok(text: string): void {
    this.#tell({ state: 'ok', what: this.#what, text });
  }

  warn(text: string): void {
    this.#tell({ state: 'warning', what: this.#what, text });
  }

  fail(text: string): void {
    this.#tell({ state: 'failed', what: this.#what, text });
  }

  /**
   * Runs a check, and reports an error that it throws as a failure. @param about - the subject of the check, put before an error text that does not contain it.
   * @returns whether the check completed.
   */
  async try(check: () => Promise<void> | void, about?: string): Promise<boolean> {
    try {
      await check();
      return true;
    } catch (error) {
      const text = error instanceof SvcError && error.detail !== undefined ? error.detail : String(error);
      this.fail(about === undefined || text.includes(about) ? text : `${about}: ${text}`);
      return false;
    }
  }
}
