import { create } from 'content-disposition';

/** Types that a browser would show as a page of this service. They are always downloaded. So is a list of types, because browsers use the last one. */
const ACTIVE_TYPE = /^(?:text\/(?:html|xml|xsl)|image\/svg|application\/(?:xhtml|xml|.*\+xml))|\+xml/i;

const CACHE_CONTROL = 'private, no-cache';

/**
 * The headers of an object for the client: those from storage, and a sandbox that keeps it out of the service's own origin.
 *
 * @param download - whether the client asked for an attachment.
 */
export function objectHeaders(
  stored: Readonly<Record<string, string>>,
  key: string,
  download: boolean,
): Record<string, string> {
  const type = stored['content-type'] ?? 'application/octet-stream';
  const attachment = download || ACTIVE_TYPE.test(type.trim()) || type.includes(',');
  return {
    ...stored,
    'content-type': type,
    'content-disposition': dispositionOf(attachment ? 'attachment' : 'inline', key),
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'; sandbox",
    'cache-control': CACHE_CONTROL,
  };
}

/** The headers of a picture that the service drew itself. It is sandboxed as well. */
export function thumbnailHeaders(drawn: Readonly<Record<string, string>>): Record<string, string> {
  return {
    ...drawn,
    'content-type': 'image/webp',
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': CACHE_CONTROL,
  };
}

/** The headers of a 304. Type and name are left out, because a cache keeps those of the 200. */
export function unchangedHeaders(stored: Readonly<Record<string, string>>): Record<string, string> {
  return { ...stored, 'cache-control': CACHE_CONTROL };
}

/** `Content-Disposition` with the last part of a key as the name: `filename` for old clients and, if that is not exact, `filename*` (RFC 8187). */
export function dispositionOf(type: 'attachment' | 'inline', key: string): string {
  const name = key.split('/').findLast((part) => part !== '') ?? 'download';
  // Most names need neither quotes nor a second spelling.
  if (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) return `${type}; filename=${name}`;
  return create(name.toWellFormed(), { type });
}
