/** The work of the browser grows with the square of the number of frames, and of the segments of a JPEG. */
const MOST_FRAMES = 5_000;
const MOST_SEGMENTS = 5_000;
const MOST_CHUNKS = 100_000;
/** The browser shows nothing else while it makes the passes of a JPEG, each over all pixels. Programs write up to 18. */
const MOST_PASSES = 20;
/** How long what an AVIF says of its parts may be, and that times how long its list is of the properties of each: the browser copies a property each time. */
const MOST_DESCRIBED = 5_000_000;
const MOST_COPIED = 100_000_000;
const MOST_BOXES = 1_000;
/** How long the lists of the parts of an AVIF may be, and what it says of its kind. */
const MOST_OF_ITEMS = 200_000;
const MOST_BRANDED = 100_000;
/** The page takes some 20 ms for so many bytes. */
const AT_ONCE = 4_000_000;
/** The chunks of a WebP that have pixels. The browser reads all others again and again. */
const WEBP_PIXELS = ['VP8 ', 'VP8L', 'ALPH'].map(codeOf);
const WEBP_FRAME = codeOf('ANMF');

/**
 * Whether the page may stand still for long while it draws a picture, because of the number of its parts. The file of one may be small. The page goes on while a large
 * file is looked through.
 */
export async function mayTakeLong(bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const text = textOf(bytes, 0, 4);
  if (text.startsWith('\u00ff\u00d8')) return isFoundIn(bytes, manyMarkers(bytes));
  if (text === 'GIF8') return isFoundIn(bytes, manyGifFrames(bytes));
  if (text === 'RIFF') return hasManyWebpChunks(bytes);
  if (text === '\u0089PNG') return hasManyPngChunks(bytes);
  return textOf(bytes, 4, 8) === 'ftyp' && (isAnimatedAvif(bytes) || hasManyProperties(bytes));
}

/** Looks at one stretch after the other for too many parts. */
type Look = (from: number, to: number) => boolean;

async function isFoundIn({ length }: Uint8Array, look: Look): Promise<boolean> {
  for (let from = 0; from < length; from += AT_ONCE) {
    if (from > 0) await new Promise((resolve) => setTimeout(resolve));
    if (look(from, Math.min(length, from + AT_ONCE))) return true;
  }
  return false;
}

/** Passes, and segments that the browser keeps. Other bytes follow 255 among the pixels. */
function manyMarkers(bytes: Uint8Array): Look {
  let [passes, segments] = [0, 0];
  return (from, to) => {
    // A search for each of these bytes would take seconds where a file has no others.
    for (let at = from; at < to; at += 1) {
      if (bytes[at] !== 0xff) continue;
      const marker = bytes[at + 1]!;
      if (marker === 0xda && bytes[at + 2] === 0) passes += 1;
      if (marker >= 0xe0 && marker <= 0xe2) segments += 1;
      if (passes > MOST_PASSES || segments > MOST_SEGMENTS) return true;
    }
    return false;
  };
}

/** Each frame begins at the end of another block. Other data is seldom the same. */
function manyGifFrames(bytes: Uint8Array): Look {
  let frames = 0;
  return (from, to) => {
    for (let at = from; at < to && frames <= MOST_FRAMES; at += 1)
      if (bytes[at] === 0x2c && bytes[at - 1] === 0) frames += 1;
    return frames > MOST_FRAMES;
  };
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
  let [chunks, others] = [0, 0];
  for (let at = 12; at + 8 <= bytes.length;) {
    const type = view.getUint32(at);
    const size = type === WEBP_FRAME ? 16 : view.getUint32(at + 4, true);
    chunks += 1;
    if (!WEBP_PIXELS.includes(type)) others += 1;
    if (chunks > MOST_CHUNKS || others > MOST_FRAMES) return true;
    at += 8 + size + (size % 2);
  }
  return false;
}

/** A few bytes in the tables of an animated AVIF can stand for any number of frames. Its first box says what it is. */
function isAnimatedAvif(bytes: Uint8Array<ArrayBuffer>): boolean {
  const size = new DataView(bytes.buffer).getUint32(0);
  // Other values stand for a length that is told elsewhere.
  const box = bytes.subarray(8, size > 1 ? size : undefined);
  return box.length > MOST_BRANDED || new TextDecoder('latin1').decode(box).includes('avis');
}

/** The boxes at the top of the file, and the lists within those that describe its parts. */
function hasManyProperties(bytes: Uint8Array<ArrayBuffer>): boolean {
  const view = new DataView(bytes.buffer);
  const endOf = (at: number, most: number): number => {
    const size = view.getUint32(at);
    // Other values stand for a length that is told elsewhere.
    return size < 8 ? most : Math.min(most, at + size);
  };
  let [boxes, described, listed, items] = [0, 0, 0, 0];
  for (let at = 0; at + 16 <= bytes.length; boxes += 1) {
    const isLong = view.getUint32(at) === 1 && textOf(bytes, at + 4, at + 8) !== 'meta';
    const end = isLong ? at + Math.max(16, view.getUint32(at + 12)) : endOf(at, bytes.length);
    if (textOf(bytes, at + 4, at + 8) === 'meta') {
      described += end - at;
      if (described > MOST_DESCRIBED) return true;
      const text = new TextDecoder('latin1').decode(bytes.subarray(at, end));
      const lengthOf = (type: string): number => {
        let length = 0;
        for (let list = text.indexOf(type, 8); list !== -1; list = text.indexOf(type, list + 4))
          length += endOf(at + list - 4, end) - (at + list - 4);
        return length;
      };
      listed += lengthOf('ipma');
      items += lengthOf('iinf') + lengthOf('iloc') + lengthOf('iref');
    }
    if (boxes > MOST_BOXES || described * listed > MOST_COPIED || items > MOST_OF_ITEMS) return true;
    at = end;
  }
  return false;
}

function codeOf(type: string): number {
  return new DataView(new TextEncoder().encode(type).buffer).getUint32(0);
}

function textOf(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}
