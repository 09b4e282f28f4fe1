/** Bytes as text, by their byte order mark, else UTF-8; undefined when they are no text. */
export function decodeText(bytes: ArrayBuffer, isCut: boolean): string | undefined {
  const [first, second] = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength));
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  const text = new TextDecoder().decode(bytes, { stream: isCut });
  return text.includes('\0') ? undefined : text;
}
