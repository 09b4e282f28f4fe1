import { isDeepStrictEqual } from 'node:util';
import { SvcError } from '../errors/svc-error.ts';
import type { DotSegments } from '../policy/model/name.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import { randomSealingKey, Sealer } from '../secret/sealer.ts';
import { KeyLocks } from './key-locks.ts';
import type { Opened, StorageProvider, StorageProviderOptions } from './provider.ts';
import { newShares, type ProviderShares } from './provider-shares.ts';
import type { S3Call } from './s3/call.ts';
import { S3Client } from './s3/client.ts';
import type { Turns } from './turns.ts';

/** The storage providers of a configuration. The set never changes: a request that holds it ends with the providers that it began with. */
export class Providers {
  readonly #byName: ReadonlyMap<string, StorageProvider>;

  constructor(providers: readonly StorageProvider[]) {
    this.#byName = new Map(providers.map((provider) => [provider.name, provider]));
  }

  /** In the order of the configuration. */
  names(): string[] {
    return [...this.#byName.keys()];
  }

  /** In the order of the configuration. */
  all(): readonly StorageProvider[] {
    return [...this.#byName.values()];
  }

  /** How the connections of a provider are shared; undefined for an unknown one. */
  sharesOf(name: string): ProviderShares | undefined {
    return this.#byName.get(name)?.shares;
  }

  namedBuckets(name: string): readonly string[] {
    return this.provider(name).buckets ?? [];
  }

  /**
   * Opens a place that policy allowed.
   *
   * @throws {SvcError} `not_found`.
   */
  open<P extends { readonly provider: string }>(place: Permitted<P>): Opened<P> {
    return Object.assign({}, place, { provider: this.provider(place.provider) }) as unknown as Opened<P>;
  }

  /** @throws {SvcError} `not_found`. */
  provider(name: string): StorageProvider {
    const provider = this.#byName.get(name);
    if (provider === undefined) throw new SvcError('not_found', { detail: `there is no storage provider \`${name}\`` });
    return provider;
  }

  /** Whether keys with `.` and `..` may be requested; for an unknown provider they are refused. */
  dotsOf(name: string): DotSegments {
    return this.#byName.get(name)?.dotSegments ?? 'refuse';
  }
}

/** The storage of this service. No provider is contacted before the first request. */
export class Storage {
  readonly #cursors: Sealer;
  readonly #keyLocks: KeyLocks;
  readonly #onCall: ((call: S3Call) => void) | undefined;
  /** Every provider that was ever in use, with its options, because work that began with a provider continues with it. Idle connections close by themselves. */
  readonly #opened = new Map<StorageProvider, StorageProviderOptions>();
  #providers = new Providers([]);

  /**
   * @param cursorKeys - the keys that seal the cursors of listings. Instances with the same keys accept each other's cursors.
   * @param onCall - called for each request to a provider.
   * @param turns - the turns of writes, when other processes of this service write too.
   */
  constructor(
    options: readonly StorageProviderOptions[],
    cursorKeys: readonly Buffer[] = [randomSealingKey()],
    onCall?: (call: S3Call) => void,
    turns?: Turns,
  ) {
    this.#keyLocks = new KeyLocks(turns);
    this.#cursors = new Sealer(cursorKeys, 'svc cursor 1');
    this.#onCall = onCall;
    this.replace(options);
  }

  /** The current providers. */
  get providers(): Providers {
    return this.#providers;
  }

  /**
   * Replaces the providers. A provider with unchanged options keeps its connections.
   *
   * @param cursorKeys - the current keys stay when left out.
   */
  replace(options: readonly StorageProviderOptions[], cursorKeys?: readonly Buffer[]): void {
    if (cursorKeys !== undefined) this.#cursors.replaceKeys(cursorKeys);
    this.#providers = new Providers(options.map((option) => this.#openedWith(option) ?? this.#open(option)));
  }

  /** Closes every connection, including those in use. */
  close(): void {
    for (const { s3, links } of this.#opened.keys()) {
      s3.close();
      links.close();
    }
  }

  #openedWith(options: StorageProviderOptions): StorageProvider | undefined {
    for (const [provider, madeFrom] of this.#opened) if (isDeepStrictEqual(madeFrom, options)) return provider;
    return undefined;
  }

  #open(options: StorageProviderOptions): StorageProvider {
    const { name, endpoint, publicEndpoint, region, dotSegments = 'refuse', buckets, idleTimeoutMs } = options;
    const s3 = new S3Client(options, this.#onCall);
    const links = publicEndpoint === undefined ? s3 : new S3Client({ ...options, endpoint: publicEndpoint });
    const provider = {
      name,
      endpoint: new URL(endpoint).href,
      region,
      dotSegments,
      buckets,
      idleTimeoutMs,
      s3,
      links,
      cursors: this.#cursors,
      keyLocks: this.#keyLocks,
      shares: newShares(),
    };
    this.#opened.set(provider, options);
    return provider;
  }
}
