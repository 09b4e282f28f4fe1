import { basePath } from '../base.ts';
import { folderOf, placeLink, type Place } from '../place/place.ts';

/** A place that the user typed or pasted, and the in-app link to it. */
export type Address = { readonly link: string; readonly label: string };

/**
 * The places that a text names as `s3://bucket/key`, as a link of this service, or as `provider/bucket/folder/`.
 *
 * @param buckets - the buckets that the user may see, because an `s3://` address does not name the provider.
 */
export function addressesOf(text: string, buckets: readonly Pick<Place, 'provider' | 'bucket'>[]): Address[] {
  // A link cannot contain a lone surrogate.
  const typed = text.trim().toWellFormed();
  const s3 = /^s3:\/\/([^/]+)\/?(.*)$/s.exec(typed);
  if (s3 !== null) {
    const [, bucket = '', key = ''] = s3;
    return buckets
      .filter((each) => each.bucket === bucket)
      .map(({ provider }) => ({ link: linkTo({ provider, bucket }, key), label: `${provider}/${bucket}/${key}` }));
  }
  const ours = ownLink(typed);
  if (ours !== undefined) return [{ link: ours, label: typed }];
  const [provider, bucket, ...rest] = typed.split('/');
  if (!isName(provider) || !isName(bucket) || typed.includes('://')) return [];
  return [{ link: placeLink({ provider, bucket, prefix: rest.join('/') }), label: typed }];
}

/** Whether a part of a path is a name. `.` and `..` would lead to another page. */
function isName(part: string | undefined): part is string {
  return part !== undefined && !['', '.', '..'].includes(part);
}

/** The in-app link to a key: a folder if it ends in a slash, otherwise an object. */
function linkTo(place: Pick<Place, 'provider' | 'bucket'>, key: string): string {
  const prefix = folderOf(key);
  return placeLink({ ...place, prefix }, key === prefix ? undefined : key);
}

/** The in-app path of a URL of this service, or undefined for other texts. */
function ownLink(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.origin !== window.location.origin || !url.pathname.startsWith(`${basePath}p/`))
    return undefined;
  return `/${url.pathname.slice(basePath.length)}${url.search}`;
}
