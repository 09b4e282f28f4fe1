/** A folder: the keys of a bucket that start with `prefix`. */
export type Place = { readonly provider: string; readonly bucket: string; readonly prefix: string };

const DELIMITER = '/';

/** The part of a prefix up to its last delimiter, which is a folder: `photos/` for `photos/20`. */
export function folderOf(prefix: string): string {
  return prefix.slice(0, prefix.lastIndexOf(DELIMITER) + 1);
}

/** The parent folder, or undefined at the top of the bucket. */
export function parentOf(prefix: string): string | undefined {
  if (prefix === '') return undefined;
  if (!prefix.endsWith(DELIMITER)) return folderOf(prefix);
  return folderOf(prefix.slice(0, -1));
}

export type Crumb = { readonly label: string; readonly prefix: string };

/** The breadcrumbs of a prefix, one per folder. Empty segments (doubled slashes) are folders too, shown as `/`. */
export function crumbsOf(prefix: string): Crumb[] {
  const folder = folderOf(prefix);
  const crumbs: Crumb[] = [];
  let start = 0;
  for (let end = folder.indexOf(DELIMITER); end !== -1; end = folder.indexOf(DELIMITER, start)) {
    crumbs.push({ label: folder.slice(start, end) || DELIMITER, prefix: folder.slice(0, end + 1) });
    start = end + 1;
  }
  return crumbs;
}

/** The displayed name of a key or prefix inside a folder. */
export function nameIn(folder: string, key: string): string {
  const rest = key.slice(folder.length);
  const name = rest.endsWith(DELIMITER) ? rest.slice(0, -1) : rest;
  return name || DELIMITER;
}

/** The last segment of a key or prefix, for display. */
export function baseName(key: string): string {
  return nameIn(folderOf(key.endsWith(DELIMITER) ? key.slice(0, -1) : key), key);
}

/** The displayed name of a folder: the last segment of its prefix, or its bucket at the top. */
export function placeName({ bucket, prefix }: Pick<Place, 'bucket' | 'prefix'>): string {
  return prefix === '' ? bucket : baseName(prefix);
}

/** The in-app link to a provider's buckets. */
export function providerLink(provider: string): string {
  return `/p/${encodeURIComponent(provider)}`;
}

/**
 * The in-app link to a folder. The prefix is a query parameter, so that proxies and routers do not change its slashes, dots and percent signs.
 *
 * @param object - the key of an object whose details are open.
 * @param sort - the order of the rows, as the folder page writes it.
 */
export function placeLink(place: Place, object?: string, sort?: string): string {
  const search = new URLSearchParams();
  if (place.prefix !== '') search.set('prefix', place.prefix);
  if (object !== undefined) search.set('object', object);
  if (sort !== undefined) search.set('sort', sort);
  const text = search.toString();
  return `${providerLink(place.provider)}/${encodeURIComponent(place.bucket)}${text === '' ? '' : `?${text}`}`;
}

/** The in-app link to connecting a tool, with a place chosen. */
export function connectLink(place: Place): string {
  return `/tools?${new URLSearchParams(place).toString()}`;
}

/** The in-app link to creating an API key, with a place chosen. */
export function keyLink(place: Place): string {
  return `/keys?${new URLSearchParams(place).toString()}`;
}

export function isSamePlace(a: Place, b: Place): boolean {
  return placeLink(a) === placeLink(b);
}

/** The folder that an in-app path leads to, or undefined for other pages. */
export function placeAt(pathname: string, search: string): Place | undefined {
  const [provider, bucket] = /^\/p\/([^/]+)\/([^/]+)$/.exec(pathname)?.slice(1).map(decoded) ?? [];
  if (provider === undefined || bucket === undefined) return undefined;
  return { provider, bucket, prefix: folderOf(new URLSearchParams(search).get('prefix') ?? '') };
}

/** A percent-decoded part of a path, or undefined if it is not valid UTF-8. */
export function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
