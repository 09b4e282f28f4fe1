/** Decodes text by its byte order mark or as UTF-8; undefined if the bytes are not text. @param isCut - whether the text may end within a character. */
export function decodeText(bytes: ArrayBuffer, isCut: boolean): string | undefined {
  const [first, second] = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength));
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  const text = new TextDecoder().decode(bytes, { stream: isCut });
  return text.includes('\0') ? undefined : text;
}
