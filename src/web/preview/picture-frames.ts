/** How each frame begins, as four bytes of Latin-1. Other data is seldom the same. In a GIF, a frame begins at the end of another block. */
const GIF_FRAME = /\0,[^]{2}/g;
const FRAME = /fcTL|ANMF/g;
const FRAME_LENGTH = 4;
/** A PNG tells before its pixels whether it is animated. */
const MOST_BEFORE_PIXELS = 1_000_000;
/** The boxes of a track of an AVIF within which its tables are. */
const AROUND_TABLES = ['mdia', 'minf', 'stbl'];

/** Counts the frames of a picture while it arrives, if it may be animated. @param most - it counts no further. */
export async function countFrames(body: ReadableStream<Uint8Array<ArrayBuffer>>, most: number): Promise<number> {
  const reader = body.getReader();
  const decoder = new TextDecoder('latin1');
  let unread = new Uint8Array();
  let animated: RegExp | 'in tables' | false | undefined;
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let text = '';
  let frames = 0;
  for (let next = await reader.read(); !next.done && frames <= most; next = await reader.read()) {
    unread = new Uint8Array(await new Blob([unread, next.value]).arrayBuffer());
    animated ??= howAnimated(unread);
    if (animated === false) break;
    if (animated === undefined) continue;
    if (animated === 'in tables') {
      pieces.push(unread);
      unread = new Uint8Array();
      continue;
    }
    text += decoder.decode(unread);
    unread = new Uint8Array();
    frames += text.match(animated)?.length ?? 0;
    text = text.slice(1 - FRAME_LENGTH);
  }
  reader.cancel().catch(() => undefined);
  return pieces.length > 0 ? framesInTables(new DataView(await new Blob(pieces).arrayBuffer())) : frames;
}

/** The number of frames in the longest track of an AVIF, or more. A few bytes can stand for any number of frames: so many chunks, and so many frames in each. */
function framesInTables(file: DataView): number {
  let frames = 0;
  for (const track of boxesWithin(file, ['moov', 'trak'])) {
    let [chunks, inEach] = [0, 0];
    for (const type of ['stco', 'co64'])
      for (const table of boxesWithin(track, [...AROUND_TABLES, type])) chunks += table.getUint32(4);
    for (const table of boxesWithin(track, [...AROUND_TABLES, 'stsc']))
      for (let entry = 8; entry + 12 <= table.byteLength; entry += 12)
        inEach = Math.max(inEach, table.getUint32(entry + 4));
    frames = Math.max(frames, chunks * inEach);
  }
  return frames;
}

/** The contents of the boxes along a path of types. */
function* boxesWithin(around: DataView, [type, ...deeper]: readonly string[]): Generator<DataView> {
  const { buffer, byteOffset, byteLength } = around;
  let end: number;
  for (let at = 0; at + 16 <= byteLength; at = end) {
    const size = around.getUint32(at);
    const head = at + (size === 1 ? 16 : 8);
    end = size === 0 ? byteLength : at + (size === 1 ? Number(around.getBigUint64(at + 8)) : size);
    if (end < head) break;
    if (String.fromCharCode(...new Uint8Array(buffer, byteOffset + at + 4, 4)) !== type) continue;
    const content = new DataView(buffer, byteOffset + head, Math.min(end, byteLength) - head);
    if (deeper.length > 0) yield* boxesWithin(content, deeper);
    else if (content.byteLength >= 8) yield content;
  }
}

/** Whether a picture that begins with these bytes is surely not animated. */
export function isStill(beginning: Uint8Array<ArrayBuffer>): boolean {
  return howAnimated(beginning) === false;
}

/** How the frames of a picture that begins with these bytes are found; false if it is not animated, and undefined if more are needed. */
function howAnimated(bytes: Uint8Array<ArrayBuffer>): RegExp | 'in tables' | false | undefined {
  if (bytes.length < 20) return undefined;
  const text = (from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));
  // The brand stands behind the size of its box, which may have 64 bits.
  if (text(4, 8) === 'ftyp') return text(8, 20).includes('avis') && 'in tables';
  if (text(0, 4) === 'RIFF') return text(12, 16) === 'VP8X' && FRAME;
  if (text(1, 4) !== 'PNG') return text(0, 4) === 'GIF8' && GIF_FRAME;
  const view = new DataView(bytes.buffer);
  for (let at = 8; at + 8 <= bytes.length; at += 12 + view.getUint32(at)) {
    const type = text(at + 4, at + 8);
    if (type === 'acTL') return FRAME;
    if (type === 'IDAT') return false;
  }
  return bytes.length > MOST_BEFORE_PIXELS ? FRAME : undefined;
}
