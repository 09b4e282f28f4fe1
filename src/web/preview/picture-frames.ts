/** How each frame of a GIF, a PNG and a WebP begins, as bytes of Latin-1. Other data is seldom the same. */
const FRAME = /!\u00f9\u0004[^]|fcTL|ANMF/g;
const FRAME_LENGTH = 4;
/** A PNG tells before its pixels whether it is animated. */
const MOST_BEFORE_PIXELS = 1_000_000;

/** Counts the frames of a picture while it arrives, if it may be animated. @param most - it counts no further. */
export async function countFrames(body: ReadableStream<Uint8Array<ArrayBuffer>>, most: number): Promise<number> {
  const reader = body.getReader();
  const decoder = new TextDecoder('latin1');
  let unread = new Uint8Array();
  let animated: boolean | undefined;
  let text = '';
  let frames = 0;
  for (let next = await reader.read(); !next.done && frames <= most; next = await reader.read()) {
    unread = new Uint8Array(await new Blob([unread, next.value]).arrayBuffer());
    animated ??= mayBeAnimated(unread);
    if (animated === false) break;
    if (animated === undefined) continue;
    text += decoder.decode(unread);
    unread = new Uint8Array();
    frames += text.match(FRAME)?.length ?? 0;
    text = text.slice(1 - FRAME_LENGTH);
  }
  reader.cancel().catch(() => undefined);
  return frames;
}

/** Whether a picture that begins with these bytes may be animated; undefined if more are needed. */
function mayBeAnimated(bytes: Uint8Array<ArrayBuffer>): boolean | undefined {
  if (bytes.length < 16) return undefined;
  const text = (from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));
  if (text(0, 4) === 'RIFF') return text(12, 16) === 'VP8X';
  if (text(1, 4) !== 'PNG') return text(0, 4) === 'GIF8';
  const view = new DataView(bytes.buffer);
  for (let at = 8; at + 8 <= bytes.length; at += 12 + view.getUint32(at)) {
    const type = text(at + 4, at + 8);
    if (type === 'acTL') return true;
    if (type === 'IDAT') return false;
  }
  return bytes.length > MOST_BEFORE_PIXELS || undefined;
}
