const ENCODED_WORD = /=\?utf-8\?([bq])\?([^?]*)\?=(?:\s+(?==\?))?/gi;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Decodes a value of custom metadata. Text that is not ASCII arrives as RFC 2047 encoded words, or as UTF-8 that the browser decoded as Latin-1. Other values stay
 * as they are.
 */
export function metadataValue(header: string): string {
  try {
    const words = header.replace(ENCODED_WORD, (_, encoding: string, text: string) =>
      encoding.toLowerCase() === 'b' ? atob(text) : quoted(text),
    );
    return utf8.decode(Uint8Array.from(words, (char) => char.charCodeAt(0)));
  } catch {
    return header;
  }
}

function quoted(text: string): string {
  return text
    .replaceAll('_', ' ')
    .replace(/=([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
