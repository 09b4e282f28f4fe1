/** How the frames of a picture are counted; false if it is surely not animated, and undefined if more of its bytes are needed. */
type Animation = RegExp | 'uncountable' | false | undefined;

/** How each frame begins, as four bytes of Latin-1. Other data is seldom the same. In a GIF, a frame begins at the end of another block. */
const GIF_FRAME = /\0,[^]{2}/g;
const FRAME = /fcTL|ANMF/g;
const FRAME_LENGTH = 4;
/** A PNG and an AVIF tell before their pixels whether they are animated. */
const MOST_BEFORE_PIXELS = 1_000_000;

/**
 * Counts the frames of a picture while it arrives, if it may be animated.
 *
 * @param most - it counts no further.
 * @returns Infinity for an animated AVIF, in whose tables a few bytes can stand for any number of frames.
 */
export async function countFrames(body: ReadableStream<Uint8Array<ArrayBuffer>>, most: number): Promise<number> {
  const reader = body.getReader();
  const decoder = new TextDecoder('latin1');
  let unread = new Uint8Array();
  let animated: Animation;
  let text = '';
  let frames = 0;
  for (let next = await reader.read(); !next.done && frames <= most; next = await reader.read()) {
    unread = new Uint8Array(await new Blob([unread, next.value]).arrayBuffer());
    animated ??= howAnimated(unread);
    if (animated === false) break;
    if (animated === undefined) continue;
    if (animated === 'uncountable') {
      frames = Infinity;
      break;
    }
    text += decoder.decode(unread);
    unread = new Uint8Array();
    frames += text.match(animated)?.length ?? 0;
    text = text.slice(1 - FRAME_LENGTH);
  }
  reader.cancel().catch(() => undefined);
  return frames;
}

/** How a picture is animated that begins with these bytes. */
export function howAnimated(bytes: Uint8Array<ArrayBuffer>): Animation {
  if (bytes.length < 20) return undefined;
  const text = (from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));
  const view = new DataView(bytes.buffer);
  if (text(4, 8) === 'ftyp') {
    const size = view.getUint32(0);
    const end = size === 1 ? Number(view.getBigUint64(8)) : size || Infinity;
    if (new TextDecoder('latin1').decode(bytes.subarray(8, end)).includes('avis')) return 'uncountable';
    if (end <= bytes.length) return false;
    return bytes.length > MOST_BEFORE_PIXELS ? 'uncountable' : undefined;
  }
  if (text(0, 4) === 'RIFF') return text(12, 16) === 'VP8X' && FRAME;
  if (text(1, 4) !== 'PNG') return text(0, 4) === 'GIF8' && GIF_FRAME;
  for (let at = 8; at + 8 <= bytes.length; at += 12 + view.getUint32(at)) {
    const type = text(at + 4, at + 8);
    if (type === 'acTL') return FRAME;
    if (type === 'IDAT') return false;
  }
  return bytes.length > MOST_BEFORE_PIXELS ? FRAME : undefined;
}
