/** Types that a browser would run as a page of ours, or read as one. They are only ever downloaded, and so is a list of types: of those the last one counts. */
const ACTIVE_TYPE = /^(?:text\/(?:html|xml|xsl)|image\/svg|application\/(?:xhtml|xml|.*\+xml))|\+xml/i;

const CACHE_CONTROL = 'private, no-cache';

/**
 * The headers for serving an object: what storage said of it, closed off from the service's own origin.
 *
 * @param download - the reader asked for an attachment.
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

/** The headers of a 304. It says nothing of the type or the name: a cache keeps what the 200 said. */
export function unchangedHeaders(stored: Readonly<Record<string, string>>): Record<string, string> {
  return { ...stored, 'cache-control': CACHE_CONTROL };
}

/** `filename` for old readers and `filename*` (RFC 8187) for exact ones. The name is the last part of the key. */
export function fileNameParameters(key: string): string {
  const name = key.split('/').findLast((part) => part !== '') ?? 'download';
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const exact = encodeURIComponent(name.toWellFormed()).replace(/['()*!]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  return `filename="${ascii}"; filename*=UTF-8''${exact}`;
}
