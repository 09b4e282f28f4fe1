/** The ETag without quotes and `W/`, so that the forms of listings and headers can be compared. */
export function plainEtag(etag: string): string {
  return etag.replace(/^W\//, '').replace(/^"(.*)"$/, '$1');
}
