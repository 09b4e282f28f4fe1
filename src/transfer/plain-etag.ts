/** The ETag without quotes and `W/`, so that the forms of listings and headers can be compared. */
export function plainEtag(etag: string): string {
  return etag.replace(/^W\//, '').replace(/^"(.*)"$/, '$1');
}

type Content = { readonly etag: string | null; readonly size: number };

/**
 * Whether content may be a copy of other content, as far as sizes and ETags tell. The copy of an object that was sent in parts may have another ETag, but not one
 * of as many parts.
 */
export function mayBeCopy(copy: Content, of: Content): boolean {
  if (copy.etag === null || of.etag === null || copy.size !== of.size) return false;
  const [etag, original] = [plainEtag(copy.etag), plainEtag(of.etag)];
  const parts = partsIn(original);
  return etag === original || (parts !== undefined && partsIn(etag) !== parts);
}

function partsIn(etag: string): string | undefined {
  return /-\d+$/.exec(etag)?.[0];
}
