/** The work of the browser grows with the square of the number of frames, and of the segments of a JPEG. */
const MOST_FRAMES = 5_000;
const MOST_SEGMENTS = 5_000;
const MOST_CHUNKS = 100_000;
/** The browser shows nothing else while it makes the passes of a JPEG, each over all pixels. Programs write up to 18. */
const MOST_PASSES = 20;
/** The chunks of a WebP that have pixels. The browser reads all others again and again. */
const WEBP_PIXELS = ['VP8 ', 'VP8L', 'ALPH'];

/** Whether the page may stand still for long while it draws a picture, because of the number of its parts. The file of one may be small. */
export function mayTakeLong(bytes: Uint8Array<ArrayBuffer>): boolean {
  const text = textOf(bytes, 0, 4);
  if (text.startsWith('\u00ff\u00d8')) return hasManyMarkers(bytes);
  if (text === 'GIF8') return hasManyGifFrames(bytes);
  if (text === 'RIFF') return hasManyWebpChunks(bytes);
  if (text === '\u0089PNG') return hasManyPngChunks(bytes);
  return textOf(bytes, 4, 8) === 'ftyp' && isAnimatedAvif(bytes);
}

/** Passes, and segments that the browser keeps. Other bytes follow 255 among the pixels. */
function hasManyMarkers(bytes: Uint8Array): boolean {
  let [passes, segments] = [0, 0];
  for (let at = bytes.indexOf(0xff); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const marker = bytes[at + 1]!;
    if (marker === 0xda && bytes[at + 2] === 0) passes += 1;
    if (marker >= 0xe0 && marker <= 0xe2) segments += 1;
    if (passes > MOST_PASSES || segments > MOST_SEGMENTS) return true;
  }
  return false;
}

/** Each frame begins at the end of another block. Other data is seldom the same. */
function hasManyGifFrames(bytes: Uint8Array): boolean {
  let frames = 0;
  for (let at = bytes.indexOf(0x2c); at !== -1 && frames <= MOST_FRAMES; at = bytes.indexOf(0x2c, at + 1))
    if (bytes[at - 1] === 0) frames += 1;
  return frames > MOST_FRAMES;
}

function hasManyPngChunks(bytes: Uint8Array<ArrayBuffer>): boolean {
  const view = new DataView(bytes.buffer);
  let [chunks, frames] = [0, 0];
  for (let at = 8; at + 8 <= bytes.length; at += 12 + view.getUint32(at)) {
    chunks += 1;
    if (textOf(bytes, at + 4, at + 8) === 'fcTL') frames += 1;
    if (chunks > MOST_CHUNKS || frames > MOST_FRAMES) return true;
  }
  return false;
}

/** The chunks of a frame follow after 16 bytes. */
function hasManyWebpChunks(bytes: Uint8Array<ArrayBuffer>): boolean {
  const view = new DataView(bytes.buffer);
  let others = 0;
  for (let at = 12; at + 8 <= bytes.length && others <= MOST_FRAMES;) {
    const type = textOf(bytes, at, at + 4);
    const size = type === 'ANMF' ? 16 : view.getUint32(at + 4, true);
    if (!WEBP_PIXELS.includes(type)) others += 1;
    at += 8 + size + (size % 2);
  }
  return others > MOST_FRAMES;
}

/** A few bytes in the tables of an animated AVIF can stand for any number of frames. Its first box says what it is. */
function isAnimatedAvif(bytes: Uint8Array<ArrayBuffer>): boolean {
  const size = new DataView(bytes.buffer).getUint32(0);
  // Other values stand for a length that is told elsewhere.
  const box = bytes.subarray(8, size > 1 ? size : undefined);
  return new TextDecoder('latin1').decode(box).includes('avis');
}

function textOf(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}
