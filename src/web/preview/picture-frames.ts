/** How the frames of a picture are counted; false if it surely takes no long work, and undefined if more of its bytes are needed. */
type Animation = RegExp | 'chunks' | 'uncountable' | false | undefined;

/** How each frame begins, as four bytes of Latin-1. Other data is seldom the same. In a GIF, a frame begins at the end of another block. */
const GIF_FRAME = /\0,[^]{2}/g;
const PNG_FRAME = /fcTL/g;
/** How each pass of a JPEG begins. */
const JPEG_PASS = /\u00ff\u00da\0[^]/g;
/** How the segments of a JPEG begin that the browser keeps. The time for each grows with the number of those before it. */
const JPEG_SEGMENT = /\u00ff[\u00e0-\u00e2][^]{2}/g;
const MOST_SEGMENTS = 5_000;
const FRAME_LENGTH = 4;
/** The beginnings of WebP chunks: of a frame, whose other chunks follow after 16 bytes, and of its pixels. */
const WEBP_FRAME = 'ANMF';
const WEBP_PIXELS = ['VP8 ', 'VP8L', 'ALPH'];
/** The browser shows nothing else while it makes the passes of a JPEG, each over all pixels. Programs write up to 18. */
const MOST_PASSES = 20;
/** A PNG and an AVIF tell before their pixels whether they are animated. */
const MOST_BEFORE_PIXELS = 1_000_000;

/**
 * Counts the frames of a picture while it arrives, if it may be animated, or the chunks of a WebP, with which the work of the browser grows as well.
 *
 * @param most - it counts no further.
 * @returns Infinity for an animated AVIF, in whose tables a few bytes can stand for any number of frames, and for a JPEG of more passes than programs write.
 */
export async function countFrames(body: ReadableStream<Uint8Array<ArrayBuffer>>, most: number): Promise<number> {
  const reader = body.getReader();
  const decoder = new TextDecoder('latin1');
  let unread = new Uint8Array();
  let animated: Animation;
  let text = '';
  /** Where the next chunk of a WebP begins, from the beginning of what is unread. */
  let next = 12;
  let frames = 0;
  let segments = 0;
  for (let read = await reader.read(); !read.done && frames <= most; read = await reader.read()) {
    unread = new Uint8Array(await new Blob([unread, read.value]).arrayBuffer());
    animated ??= howAnimated(unread);
    if (animated === false) break;
    if (animated === undefined) continue;
    if (animated === 'uncountable') {
      frames = Infinity;
      break;
    }
    if (animated === 'chunks') {
      const view = new DataView(unread.buffer);
      while (next + 8 <= unread.length && frames <= most) {
        const type = String.fromCharCode(...unread.subarray(next, next + 4));
        const size = type === WEBP_FRAME ? 16 : view.getUint32(next + 4, true);
        next += 8 + size + (size % 2);
        if (!WEBP_PIXELS.includes(type)) frames += 1;
      }
      unread = unread.slice(next);
      next = Math.max(0, next - view.byteLength);
      continue;
    }
    text += decoder.decode(unread);
    unread = new Uint8Array();
    frames += text.match(animated)?.length ?? 0;
    if (animated === JPEG_PASS) segments += text.match(JPEG_SEGMENT)?.length ?? 0;
    if (segments > MOST_SEGMENTS || (animated === JPEG_PASS && frames > MOST_PASSES)) frames = Infinity;
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
  if (text(0, 4) === 'RIFF') return text(12, 16) === 'VP8X' && 'chunks';
  if (text(0, 3) === '\u00ff\u00d8\u00ff') return passesOf(view);
  if (text(1, 4) !== 'PNG') return text(0, 4) === 'GIF8' && GIF_FRAME;
  const room = Math.min(bytes.length, MOST_BEFORE_PIXELS);
  for (let at = 8; at + 8 <= room; at += 12 + view.getUint32(at)) {
    const type = text(at + 4, at + 8);
    if (type === 'acTL') return PNG_FRAME;
    if (type === 'IDAT') return false;
  }
  return bytes.length > MOST_BEFORE_PIXELS ? 'uncountable' : undefined;
}

/** A JPEG has a single pass if its first one has all components, and does not only begin them. */
function passesOf(view: DataView): Animation {
  let components = 0;
  let segments = 0;
  for (let at = 2; at + 10 <= view.byteLength;) {
    const marker = view.getUint16(at) - 0xff00;
    // Other bytes and fill bytes may stand before a marker.
    if (marker <= 0 || marker === 0xff) at += 1;
    else if (marker === 0xda) return view.getUint8(at + 4) === components ? false : JPEG_PASS;
    else {
      segments += 1;
      if (segments > MOST_SEGMENTS) return 'uncountable';
      const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
      if (isFrame && marker % 4 === 2) return JPEG_PASS;
      if (isFrame) components = view.getUint8(at + 9);
      at += 2 + (marker === 1 || (marker >= 0xd0 && marker <= 0xd7) ? 0 : view.getUint16(at + 2));
    }
  }
  return view.byteLength > MOST_BEFORE_PIXELS ? JPEG_PASS : undefined;
}
