import { isDeepStrictEqual } from 'node:util';
import { SvcError } from '../errors/svc-error.ts';
import type { DotSegments } from '../policy/name.ts';
import type { Permitted } from '../policy/permitted.ts';
import { randomSealingKey, Sealer } from '../secret/sealer.ts';
import { KeyTurns } from './key-turns.ts';
import type { StorageProvider, StorageProviderOptions } from './provider.ts';
import type { S3Call } from './s3/call.ts';
import { S3Client } from './s3/client.ts';
import { SweepTurns } from './sweep-turns.ts';

/** The storage providers that a configuration names. It never changes: a request that holds it ends with the providers that it began with. */
export class Providers {
  readonly #byName: ReadonlyMap<string, Configured>;

  constructor(byName: ReadonlyMap<string, Configured>) {
    this.#byName = byName;
  }

  /** In the order of the configuration. */
  names(): string[] {
    return [...this.#byName.keys()];
  }

  /** In the order of the configuration. */
  all(): readonly StorageProvider[] {
    return [...this.#byName.values()].map(({ provider }) => provider);
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
    const provider = this.#byName.get(name)?.provider;
    if (provider === undefined) throw new SvcError('not_found', { detail: `there is no storage provider \`${name}\`` });
    return provider;
  }

  /** Whether keys with `.` and `..` may be requested; of a provider that is not there they are refused. */
  dotsOf(name: string): DotSegments {
    return this.#byName.get(name)?.provider.dotSegments ?? 'refuse';
  }

  /** The provider of this name, when it was made from the same options. */
  madeFrom(option: StorageProviderOptions): Configured | undefined {
    const known = this.#byName.get(option.name);
    return known !== undefined && isDeepStrictEqual(known.option, option) ? known : undefined;
  }
}

/** The storage of this service. Nothing is asked of it before the first request. */
export class Storage {
  readonly #shared: Shared;
  /** Every provider that was ever served: what began with one goes on with it. Idle connections close by themselves. */
  readonly #opened = new Set<StorageProvider>();
  #providers: Providers = new Providers(new Map());

  /** @param cursorKeys - the keys that seal the cursors of listings. Instances with the same keys accept each other's cursors. @param onCall - is told of each request to a provider. */
  constructor(options: readonly StorageProviderOptions[], cursorKeys: readonly Buffer[] = [randomSealingKey()], onCall?: (call: S3Call) => void) {
    this.#shared = { cursors: new Sealer(cursorKeys, 'svc cursor 1'), turns: new KeyTurns(), onCall };
    this.replace(options);
  }

  /** The providers as they are now. */
  get providers(): Providers {
    return this.#providers;
  }

  names(): string[] {
    return this.#providers.names();
  }

  /** @throws {SvcError} `not_found`. */
  provider(name: string): StorageProvider {
    return this.#providers.provider(name);
  }

  /** Serves other providers from now on. One whose options stay keeps its connections. @param cursorKeys - left out, they stay. */
  replace(options: readonly StorageProviderOptions[], cursorKeys?: readonly Buffer[]): void {
    if (cursorKeys !== undefined) this.#shared.cursors.replaceKeys(cursorKeys);
    this.#providers = new Providers(new Map(options.map((option) => [option.name, this.#providers.madeFrom(option) ?? this.#open(option)])));
  }

  /** Closes every connection, including those in use. */
  close(): void {
    for (const { s3, links } of this.#opened) {
      s3.close();
      links.close();
    }
  }

  #open(option: StorageProviderOptions): Configured {
    const provider = providerOf(option, this.#shared);
    this.#opened.add(provider);
    return { option, provider };
  }
}

/** A provider, and what it was made from. */
type Configured = { readonly option: StorageProviderOptions; readonly provider: StorageProvider };

/** The parts that all providers of a service share. */
type Shared = Pick<StorageProvider, 'cursors' | 'turns'> & { readonly onCall: ((call: S3Call) => void) | undefined };

function providerOf(options: StorageProviderOptions, { cursors, turns, onCall }: Shared): StorageProvider {
  const s3 = new S3Client(options, onCall);
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
