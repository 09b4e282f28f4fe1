/** How each frame of a GIF, a PNG and a WebP begins, as bytes of Latin-1. Other data is seldom the same. */
const FRAME = /!\u00f9\u0004[^]|fcTL|ANMF/g;
const FRAME_LENGTH = 4;
/** A PNG tells before its pixels whether it is animated. */
const MOST_BEFORE_PIXELS = 1_000_000;
/** The boxes of an AVIF within which its tables are. */
const AROUND_TABLES = ['moov', 'trak', 'mdia', 'minf', 'stbl'];
/** So that the beginning of a last box can be read that is cut off. */
const ROOM = new Uint8Array(24);

/** Counts the frames of a picture while it arrives, if it may be animated. @param most - it counts no further. */
export async function countFrames(body: ReadableStream<Uint8Array<ArrayBuffer>>, most: number): Promise<number> {
  const reader = body.getReader();
  const decoder = new TextDecoder('latin1');
  let unread = new Uint8Array();
  let animated: boolean | 'in tables' | undefined;
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let text = '';
  let frames = 0;
  for (let next = await reader.read(); !next.done && frames <= most; next = await reader.read()) {
    unread = new Uint8Array(await new Blob([unread, next.value]).arrayBuffer());
    animated ??= mayBeAnimated(unread);
    if (animated === false) break;
    if (animated === undefined) continue;
    if (animated === 'in tables') {
      pieces.push(unread);
      unread = new Uint8Array();
      continue;
    }
    text += decoder.decode(unread);
    unread = new Uint8Array();
    frames += text.match(FRAME)?.length ?? 0;
    text = text.slice(1 - FRAME_LENGTH);
  }
  reader.cancel().catch(() => undefined);
  return pieces.length > 0 ? framesInTables(new DataView(await new Blob([...pieces, ROOM]).arrayBuffer())) : frames;
}

/** The number of frames in the longest track of an AVIF, or more. A few bytes can stand for any number of frames: so many chunks, and so many frames in each. */
function framesInTables(file: DataView): number {
  let [frames, chunks, inEach] = [0, 0, 0];
  let end: number;
  for (let at = 0; at + 24 <= file.byteLength; at = end) {
    const size = file.getUint32(at);
    const head = at + (size === 1 ? 16 : 8);
    end = size === 0 ? file.byteLength : at + (size === 1 ? Number(file.getBigUint64(at + 8)) : size);
    if (end < head) break;
    const type = String.fromCharCode(
      file.getUint8(at + 4),
      file.getUint8(at + 5),
      file.getUint8(at + 6),
      file.getUint8(at + 7),
    );
    if (AROUND_TABLES.includes(type)) end = head;
    if (type === 'trak') [chunks, inEach] = [0, 0];
    if (type === 'stco' || type === 'co64') chunks = file.getUint32(head + 4);
    if (type === 'stsc')
      for (let entry = head + 8; entry + 12 <= Math.min(end, file.byteLength); entry += 12)
        inEach = Math.max(inEach, file.getUint32(entry + 4));
    frames = Math.max(frames, chunks * inEach);
  }
  return frames;
}

/** Whether a picture that begins with these bytes is surely not animated. */
export function isStill(beginning: Uint8Array<ArrayBuffer>): boolean {
  return mayBeAnimated(beginning) === false;
}

/** Whether a picture that begins with these bytes may be animated, and whether tables tell how many frames it has; undefined if more are needed. */
function mayBeAnimated(bytes: Uint8Array<ArrayBuffer>): boolean | 'in tables' | undefined {
  if (bytes.length < 20) return undefined;
  const text = (from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));
  // The brand stands behind the size of its box, which may have 64 bits.
  if (text(4, 8) === 'ftyp') return text(8, 20).includes('avis') && 'in tables';
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
