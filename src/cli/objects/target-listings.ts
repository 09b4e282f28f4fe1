import type { Connection } from '../../client/connection.ts';
import { withRetries } from '../../transfer/retry.ts';
import { remoteText, type KeyPath } from '../argument/remote-path.ts';
import { PAGE_SIZE, remoteObject, type ListedObject } from './listing.ts';

/** What limits the memory: folders that are held at once, and pages of each. */
const MAX_FOLDERS = 8;
const MAX_PAGES = 50;

type Folder = {
  readonly found: Map<string, ListedObject>;
  pages: number;
  /** Where the next page begins; undefined after the last one. */
  cursor: string | undefined;
  isWhole: boolean;
  /** The page that is being asked for. */
  asking: Promise<void> | undefined;
};

/**
 * Finds objects of the target one by one, and asks for pages of their folder instead of for each of them. A folder with one of them costs one request; no
 * object costs more than two, in whatever order they are asked for.
 */
export class TargetListings {
  readonly #connection: Connection;
  readonly #folders = new Map<string, Folder | undefined>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The object as storage lists it; undefined when it does not exist or may not be listed. */
  async find(object: KeyPath): Promise<ListedObject | undefined> {
    const place = { ...object, key: object.key.slice(0, object.key.lastIndexOf('/') + 1) };
    const folder = this.#folder(remoteText(place));
    if (folder !== undefined && !folder.found.has(object.key) && !folder.isWhole && folder.pages < MAX_PAGES)
      await (folder.asking ??= this.#more(place, folder).finally(() => (folder.asking = undefined)));
    const found = folder?.found.get(object.key);
    return found !== undefined || folder?.isWhole === true
      ? found
      : withRetries(() => remoteObject(this.#connection, object), this.#connection);
  }

  /** @returns undefined for the first object of a folder, which may be the only one. */
  #folder(name: string): Folder | undefined {
    const known = this.#folders.has(name);
    const folder = known
      ? (this.#folders.get(name) ?? {
          found: new Map(),
          pages: 0,
          cursor: undefined,
          isWhole: false,
          asking: undefined,
        })
      : undefined;
    // The latest one is the last.
    this.#folders.delete(name);
    this.#folders.set(name, folder);
    if (this.#folders.size > MAX_FOLDERS) this.#folders.delete(this.#folders.keys().next().value!);
    return folder;
  }

  async #more({ provider, bucket, key: prefix }: KeyPath, folder: Folder): Promise<void> {
    const at = folder.cursor === undefined ? {} : { cursor: folder.cursor };
    const { objects, nextCursor } = await withRetries(
      () => this.#connection.call('object/list', { provider, bucket, prefix, delimiter: '/', limit: PAGE_SIZE, ...at }),
      this.#connection,
    );
    for (const one of objects) folder.found.set(one.key, one);
    folder.pages += 1;
    folder.cursor = nextCursor ?? undefined;
    folder.isWhole = nextCursor === null;
  }
}
