/** Types that a browser would show as a page of this service. They are always downloaded. So is a list of types, because browsers take its last one. */
const ACTIVE_TYPE = /^(?:text\/(?:html|xml|xsl)|image\/svg|application\/(?:xhtml|xml|.*\+xml))|\+xml/i;

const CACHE_CONTROL = 'private, no-cache';

/**
 * The headers for serving an object: those that storage gave, and a sandbox that keeps it out of the service's own origin.
 *
 * @param download - whether the client asked for an attachment.
 */
export function objectHeaders(stored: Readonly<Record<string, string>>, key: string, download: boolean): Record<string, string> {
  const type = stored['content-type'] ?? 'application/octet-stream';
  const attachment = download || ACTIVE_TYPE.test(type.trim()) || type.includes(',');
  return {
    ...stored,
    'content-type': type,
    'content-disposition': `${attachment ? 'attachment' : 'inline'}; ${fileNameParameters(key)}`,
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'; sandbox",
    'cache-control': CACHE_CONTROL,
  };
}

/** The headers of a 304. Type and name are left out, because a cache keeps those of the 200. */
export function unchangedHeaders(stored: Readonly<Record<string, string>>): Record<string, string> {
  return { ...stored, 'cache-control': CACHE_CONTROL };
}

/** `filename` for old clients, and `filename*` (RFC 8187) with the exact name, which is the last part of the key. */
export function fileNameParameters(key: string): string {
  const name = key.split('/').findLast((part) => part !== '') ?? 'download';
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const exact = encodeURIComponent(name.toWellFormed()).replace(/['()*!]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  return `filename="${ascii}"; filename*=UTF-8''${exact}`;
}
