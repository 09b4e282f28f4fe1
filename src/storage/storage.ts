import { isDeepStrictEqual } from 'node:util';
import { SvcError } from '../errors/svc-error.ts';
import type { DotSegments } from '../policy/name.ts';
import type { Permitted } from '../policy/permitted.ts';
import { randomSealingKey, Sealer } from '../secret/sealer.ts';
import { KeyTurns } from './key-turns.ts';
import type { StorageProvider, StorageProviderOptions } from './provider.ts';
import { S3Client } from './s3/client.ts';
import { SweepTurns } from './sweep-turns.ts';

/** The storage providers of this service, by name. Nothing is asked of them before the first request. */
export class Storage {
  readonly #shared: Shared;
  #providers: ReadonlyMap<string, Configured>;

  /** @param cursorKeys - the keys that seal the cursors of listings. Instances with the same keys accept each other's cursors. */
  constructor(options: readonly StorageProviderOptions[], cursorKeys: readonly Buffer[] = [randomSealingKey()]) {
    this.#shared = { cursors: new Sealer(cursorKeys, 'svc cursor 1'), turns: new KeyTurns() };
    this.#providers = new Map(options.map((option) => [option.name, { option, provider: providerOf(option, this.#shared) }]));
  }

  /** In the order of the configuration. */
  names(): string[] {
    return [...this.#providers.keys()];
  }

  /** In the order of the configuration. */
  all(): readonly StorageProvider[] {
    return [...this.#providers.values()].map(({ provider }) => provider);
  }

  namedBuckets(name: string): readonly string[] {
    return this.provider(name).buckets ?? [];
  }

  /** The provider of a place that policy allowed. @throws {SvcError} `not_found`. */
  open(place: Permitted<{ readonly provider: string }>): StorageProvider {
    return this.provider(place.provider);
  }

  /** @throws {SvcError} `not_found`. */
  provider(name: string): StorageProvider {
    const provider = this.#providers.get(name)?.provider;
    if (provider === undefined) throw new SvcError('not_found', { detail: `there is no storage provider \`${name}\`` });
    return provider;
  }

  /** Whether keys with `.` and `..` may be requested; of a provider that is not there they are refused. */
  dotsOf(name: string): DotSegments {
    return this.#providers.get(name)?.provider.dotSegments ?? 'refuse';
  }

  /** Serves other providers from now on. One whose options stay keeps its connections; of the others those in use end with their requests. */
  replace(options: readonly StorageProviderOptions[]): void {
    const before = this.#providers;
    this.#providers = new Map(
      options.map((option) => {
        const known = before.get(option.name);
        return [option.name, known !== undefined && isDeepStrictEqual(known.option, option) ? known : { option, provider: providerOf(option, this.#shared) }];
      }),
    );
    for (const [name, { provider }] of before) {
      if (this.#providers.get(name)?.provider === provider) continue;
      provider.s3.retire();
      provider.links.retire();
    }
  }

  /** Closes every connection, including those in use. */
  close(): void {
    for (const { s3, links } of this.all()) {
      s3.close();
      links.close();
    }
  }
}

/** A provider, and what it was made from. */
type Configured = { readonly option: StorageProviderOptions; readonly provider: StorageProvider };

/** The parts that all providers of a service share. */
type Shared = Pick<StorageProvider, 'cursors' | 'turns'>;

function providerOf(options: StorageProviderOptions, { cursors, turns }: Shared): StorageProvider {
  const s3 = new S3Client(options);
  return {
    name: options.name,
    type: options.type,
    endpoint: new URL(options.endpoint).href,
    region: options.region,
    dotSegments: options.dotSegments ?? 'refuse',
    cursors,
    buckets: options.buckets,
    idleTimeoutMs: options.idleTimeoutMs,
    s3,
    links: options.publicEndpoint === undefined ? s3 : new S3Client({ ...options, endpoint: options.publicEndpoint }),
    turns,
    sweeps: new SweepTurns(),
  };
}
