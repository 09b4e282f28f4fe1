import type { Provider, ProviderOptions } from './provider.ts';

/** The storage providers of this service, by name. */
export class Storage {
  readonly #providers: ReadonlyMap<string, Provider>;

  constructor(_options: readonly ProviderOptions[]) {
    this.#providers = new Map();
  }

  /** In the order of the configuration. */
  names(): string[] {
    return [...this.#providers.keys()];
  }

  /** @throws {SvcError} `not_found`. */
  provider(_name: string): Provider {
    throw new Error('to be built');
  }

  /** Closes idle connections. */
  close(): void {}
}
