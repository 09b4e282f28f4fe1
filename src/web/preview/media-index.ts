import { inBlocks } from './blocks.ts';
import type { ReadRange } from './zip-directory.ts';

const BLOCK_BYTES = 65_536;
const MOST_BOXES = 20_000;
/** The boxes in which browsers look for others. They take a free one for the description of a file that has no other. */
const OUTER = new Set(
  'moov trak mdia minf stbl edts mvex dinf tref udta wave sinf schi ilst moof traf free hoov'.split(' '),
);
const INDEXES = ['stsz', 'stz2', 'stts', 'stsc', 'stco', 'co64', 'elst', 'hdlr', 'trun', 'keys'];
const WAVES = ['RIFF', 'RIFX', 'RF64', 'BW64'];
/** The kinds of tracks that browsers do not take for sound, whatever else a track says that it is. */
const UNSOUND = ['vide', 'subp', 'clcp'];
/** The samples that a browser keeps together at least, where each lasts one tick. */
const LEAST_TOGETHER = 160;

/** What the boxes of one track say. `more` are entries that belong to no track. */
type Track = {
  samples: number;
  edits: number;
  chunks: number;
  more: number;
  readonly ticks: number[];
  readonly kinds: string[];
  readonly runs: { readonly at: number; readonly count: number }[];
};

/**
 * Finds out how many entries a browser makes for the samples of an MP4 as soon as it opens the file, or how many bytes for the names in a WAV. A few bytes can
 * stand for any number of them.
 *
 * It reads the heads of boxes, but no samples and none of the long tables.
 *
 * @returns 0 for another kind of file, and infinity for one that says so in too many places.
 */
export async function indexLength(file: ReadRange, size: number): Promise<number> {
  try {
    return await new Walk(inBlocks(file, size, BLOCK_BYTES), size).whole();
  } catch (error) {
    if (error instanceof RangeError) return Infinity;
    throw error;
  }
}

class Walk {
  readonly #read: ReadRange;
  readonly #size: number;
  #boxes = 0;

  constructor(read: ReadRange, size: number) {
    this.#read = read;
    this.#size = size;
  }

  /** Browsers pass over tags of ID3 in front of each kind of file. */
  async whole(): Promise<number> {
    let start = 0;
    for (
      let head = await this.#view(start, 10);
      textOf(head, 0).startsWith('ID3');
      head = await this.#view(start, 10)
    ) {
      this.#count();
      const length = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + (head.getUint8(at) & 127), 0);
      start += length + ((head.getUint8(5) & 16) === 0 ? 10 : 20);
    }
    const type = textOf(await this.#view(start, 4), 0);
    return WAVES.includes(type) ? this.#namesIn(start, type !== 'RIFX') : this.#lengthOf(start, this.#size);
  }

  /** The bytes that the longest list of a WAV says that it has. */
  async #namesIn(start: number, isLittle: boolean): Promise<number> {
    let most = 0;
    for (let at = start + 12; at + 8 <= this.#size;) {
      this.#count();
      const head = await this.#view(at, 8);
      const [type, length] = [textOf(head, 0), head.getUint32(4, isLittle)];
      if (type === 'LIST') most = Math.max(most, length);
      // The first chunk of a WAV has the length of longer data.
      const isLong = type === 'data' && length === 0xffffffff;
      at += 8 + (isLong ? Number((await this.#view(start + 28, 8)).getBigUint64(0, true)) : length);
      at += at % 2;
    }
    return most;
  }

  /** The entries for a track, or for a file with all its tracks. */
  async #lengthOf(from: number, end: number): Promise<number> {
    const track: Track = { samples: 0, edits: 1, chunks: 0, more: 0, ticks: [], kinds: [], runs: [] };
    await this.#boxesIn(from, end, track);
    const { kinds, ticks } = track;
    const isSound = kinds.includes('soun') && !UNSOUND.some((kind) => kinds.includes(kind));
    // Sound without compression has a sample for each tick, and the browser keeps many of them together.
    const alone = isSound && ticks.length > 0 && ticks.every((tick) => tick === 1) ? 0 : track.samples;
    const together = ticks.some((tick) => tick === 1 || tick > 0x7fffffff) ? await this.#together(track) : 0;
    return (alone + together) * track.edits + track.more;
  }

  async #boxesIn(from: number, end: number, track: Track): Promise<void> {
    for (let at = from; at + 8 <= end;) {
      const head = await this.#view(at, 16);
      const length = head.getUint32(0);
      const start = at + (length === 1 ? 16 : 8);
      const next = length === 0 ? end : at + (length === 1 ? Number(head.getBigUint64(8)) : length);
      if (next < start) return;
      this.#count();
      await this.#box(textOf(head, 4), start, Math.min(end, next), track);
      at = next;
    }
  }

  async #box(type: string, start: number, end: number, track: Track): Promise<void> {
    if (type === 'trak') track.more += await this.#lengthOf(start, end);
    else if (OUTER.has(type)) await this.#boxesIn(start, end, track);
    else if (type === 'meta') await this.#boxesIn(await this.#startOfMeta(start, end), end, track);
    else if (type === 'stsd') await this.#boxesAnywhere(start, end, track);
    else if (INDEXES.includes(type)) this.#index(type, await this.#view(start, 16), start, end, track);
  }

  #index(type: string, fields: DataView, start: number, end: number, track: Track): void {
    const count = fields.getUint32(4);
    if (type === 'stsz' || type === 'stz2') track.samples += fields.getUint32(8);
    else if (type === 'stts') track.ticks.push(count === 1 ? fields.getUint32(12) : 0);
    else if (type === 'stsc') track.runs.push({ at: start + 8, count });
    else if (type === 'stco' || type === 'co64') track.chunks += count;
    else if (type === 'elst') track.edits = Math.max(track.edits, Math.min(count, Math.floor((end - start) / 12)));
    else if (type === 'hdlr') track.kinds.push(textOf(fields, 8));
    else track.more += count;
  }

  /** Descriptions of samples have fields of any length in front of the boxes in them. */
  async #boxesAnywhere(start: number, end: number, track: Track): Promise<void> {
    if (end - start > BLOCK_BYTES) throw new RangeError('there are too many bytes to look through');
    const text = new TextDecoder('latin1').decode(await this.#view(start, end - start));
    for (const type of INDEXES) {
      for (let at = text.indexOf(type); at !== -1; at = text.indexOf(type, at + 4))
        await this.#box(type, start + at + 4, end, track);
    }
  }

  /** Other boxes begin at the first one, which is this one, behind four bytes or at once. */
  async #startOfMeta(start: number, end: number): Promise<number> {
    if (end - start <= 8) return end;
    const fields = await this.#view(start, 12);
    const offset = [0, 4].find((skipped) => textOf(fields, skipped + 4) === 'hdlr');
    if (offset === undefined) throw new RangeError('its boxes may begin anywhere');
    return start + offset;
  }

  async #together({ runs, chunks }: Track): Promise<number> {
    let most = 0;
    for (const { at, count } of runs) {
      if (count * 12 > BLOCK_BYTES) throw new RangeError('there are too many bytes to look through');
      const fields = await this.#view(at, count * 12);
      for (let run = 0; run < count; run += 1) most = Math.max(most, fields.getUint32(run * 12 + 4));
    }
    return chunks * Math.ceil(most / LEAST_TOGETHER);
  }

  #count(): void {
    this.#boxes += 1;
    if (this.#boxes > MOST_BOXES) throw new RangeError('there are too many boxes');
  }

  /** Bytes behind the end are zero. */
  async #view(at: number, length: number): Promise<DataView<ArrayBuffer>> {
    const bytes = new Uint8Array(length);
    const end = Math.min(this.#size, at + length);
    if (at < end) bytes.set(await this.#read(at, end));
    return new DataView(bytes.buffer);
  }
}

function textOf(view: DataView, at: number): string {
  return String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at, 4));
}
