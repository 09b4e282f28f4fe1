import { SvcError } from '../errors/svc-error.ts';

/** How one thing is that the service stands on. `text` is a sentence without a period; where something is wrong it says what to do. */
export type Finding = { readonly state: 'ok' | 'warning' | 'failed'; readonly what: string; readonly text: string };

/** Says the findings about one thing, as they come. */
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

  /** Runs a check. What it throws is a finding too. @param about - what the check is about, where that does not say it. @returns whether it ran to its end. */
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
