import { permitted } from '../access/authorize.ts';
import { personIdOf } from '../access/caller.ts';
import { invalidRequest } from '../access/invalid.ts';
import { hasTag } from '../storage/preserved-headers.ts';
import type { ScannedPage } from '../storage/scan.ts';
import type { OperationInput } from '../wire/operations.ts';
import type { Performance } from './operation.ts';
import type { HitPages } from './search-lines.ts';
import type { PageHits } from './search-match.ts';

/** How many objects a search asks storage about at once. */
const AT_ONCE = 16;

type HasTag = (key: string) => Promise<boolean>;

/**
 * Asks storage whether an object has a tag. It is not asked about an object whose tags the caller may not read, and they see nothing of that object.
 *
 * @throws {SvcError} `invalid_request` for a tag without a name.
 */
export function tagFilter(
  { input: { provider, bucket }, caller, storage, services, signal }: Performance<OperationInput<'object/search'>>,
  tag: string,
): HasTag {
  const end = tag.indexOf('=');
  if (end === 0) throw invalidRequest({ path: 'tag', message: 'has no name; write `name` or `name=value`' });
  const wanted = end < 0 ? { key: tag, value: undefined } : { key: tag.slice(0, end), value: tag.slice(end + 1) };
  const person = personIdOf(caller);
  return async (key) => {
    const object = permitted(caller, 'objects:get', services.targets.object(provider, bucket, key));
    if (object === undefined) return false;
    const opened = storage.open(object);
    return opened.provider.shares.questions.use(person, 1, { signal }, () => hasTag(opened, wanted, { signal }));
  };
}

/** The pages of a scan with only those hits that have a tag. When the time is over, it ends after the last object about which storage was asked. */
export class TaggedScan implements HitPages {
  readonly #scan: HitPages;
  readonly #hasTag: HasTag;
  readonly #until: number;
  #cutAt: string | undefined;

  constructor(scan: HitPages, has: HasTag, softLimitMs: number) {
    this.#scan = scan;
    this.#hasTag = has;
    this.#until = performance.now() + softLimitMs;
  }

  get cutAt(): string | undefined {
    return this.#cutAt ?? this.#scan.cutAt;
  }

  async next(): Promise<ScannedPage<PageHits> | undefined> {
    const page = this.#cutAt === undefined ? await this.#scan.next() : undefined;
    if (page === undefined) return undefined;
    const { hits } = page.digest;
    const answers = await this.#ask(hits.map(({ key }) => key));
    const tagged = hits.filter((_, i) => answers[i]);
    const end = hits[answers.length - 1];
    if (end === undefined || answers.length === hits.length)
      return { ...page, digest: { ...page.digest, hits: tagged } };
    this.#cutAt = end.key;
    return { after: end.key, digest: { seen: end.number, last: end.key, hits: tagged } };
  }

  /** The answers about as many of the keys, from the first, as there is time for. At least the first few, so that a search makes progress however often it goes on. */
  async #ask(keys: readonly string[]): Promise<boolean[]> {
    const answers: boolean[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < keys.length && (next < AT_ONCE || performance.now() < this.#until)) {
        const i = next;
        next += 1;
        answers[i] = await this.#hasTag(keys[i]!);
      }
    };
    const ask = (): Promise<void> =>
      worker().catch((error: unknown) => {
        // The others ask nothing more.
        next = keys.length;
        throw error;
      });
    await Promise.all(Array.from({ length: AT_ONCE }, ask));
    return answers;
  }
}
