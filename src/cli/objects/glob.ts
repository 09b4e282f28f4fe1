import type { Connection } from '../../client/connection.ts';
import { globMatcher } from '../argument/name-filter.ts';
import { asFolder, type KeyPath } from '../argument/remote-path.ts';
import { entriesOf, listPages, type ListedEntry, type ListedObject } from './listing.ts';

/** A path that was written, or one that its glob matches; then with what the listing says. */
export type ChosenPath = KeyPath & { readonly known?: ListedObject };
/** What a glob may match. */
type Wanted = 'objects' | 'folders' | 'both';

/** Help for commands with globs in paths. */
export const GLOB_HELP = `In the key, \`*\` stands for any characters except \`/\`, \`?\` for one of them, and
\`**\` for any, also \`/\`. Put such a path in quotes. If the key itself exists as
it is written, only it is meant.`;

/** Whether a key holds what globs are made of. It may be a name all the same. */
export function isGlob(key: string): boolean {
  return /[*?]/.test(key);
}

/**
 * The paths for which a path stands: what its glob matches, unless there is something with exactly this name. A glob that matches nothing stands for itself,
 * so that it fails as any other name.
 */
export async function chosenPaths(connection: Connection, path: KeyPath, wanted: Wanted): Promise<ChosenPath[]> {
  if (!isGlob(path.key) || (await isNamed(connection, path, wanted))) return [path];
  const found: ChosenPath[] = [];
  for await (const entry of globbed(connection, path, wanted))
    found.push({ ...path, key: entry.key, ...(entry.type === 'object' && { known: entry }) });
  return found.length === 0 ? [path] : found;
}

/** Whether the caller may list something with exactly this name. */
export async function isNamed(connection: Connection, path: KeyPath, wanted: Wanted): Promise<boolean> {
  const folder = asFolder(path);
  for await (const { objects, prefixes } of listPages(connection, path, '/')) {
    const keys = [...objects.map(({ key }) => key), ...prefixes];
    if (path.key.endsWith('/')) return keys.length > 0;
    if (keys.some((key) => (key === path.key && wanted !== 'folders') || (key === folder.key && wanted !== 'objects')))
      return true;
    // All other keys that begin with the name come after both.
    if (keys.some((key) => key > folder.key)) return false;
  }
  return false;
}

/** Yields what a glob matches, as it is found. Folders are listed only as far as the glob needs it. */
export async function* globbed(
  connection: Connection,
  path: KeyPath,
  wanted: Wanted,
): AsyncGenerator<ListedEntry, void, void> {
  const parts = path.key.replace(/\/$/, '').split('/');
  yield* beneath(connection, { ...path, key: '' }, parts, path.key.endsWith('/') ? 'folders' : wanted);
}

/** @param parts - of the glob, beneath the folder. */
async function* beneath(
  connection: Connection,
  folder: KeyPath,
  parts: readonly string[],
  wanted: Wanted,
): AsyncGenerator<ListedEntry, void, void> {
  const plain = parts.findIndex(isGlob);
  if (plain > 0) {
    yield* beneath(
      connection,
      { ...folder, key: `${folder.key}${parts.slice(0, plain).join('/')}/` },
      parts.slice(plain),
      wanted,
    );
    return;
  }
  const [first = '', ...rest] = parts;
  const isDeep = first.includes('**');
  const matches = globMatcher(isDeep ? parts.join('/') : first);
  const start = first.slice(0, /[*?]|$/.exec(first)?.index);
  const pages = listPages(connection, { ...folder, key: folder.key + start }, isDeep ? undefined : '/');
  for await (const page of pages)
    for (const entry of entriesOf(page)) {
      const name = entry.key.slice(folder.key.length);
      // The marker object of the folder itself has no name in it.
      if (name === '' || !matches(entry.type === 'prefix' ? name.slice(0, -1) : name)) continue;
      if (isDeep || rest.length === 0) {
        if (wanted === 'both' || (entry.type === 'prefix') === (wanted === 'folders')) yield entry;
      } else if (entry.type === 'prefix') yield* beneath(connection, { ...folder, key: entry.key }, rest, wanted);
    }
}
