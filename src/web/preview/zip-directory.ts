/** A member of a ZIP archive, from the directory at its end. */
export type ZipMember = {
  readonly name: string;
  readonly isFolder: boolean;
  /** The uncompressed size in bytes. */ readonly size: number;
};
export type ZipDirectory = {
  readonly members: readonly ZipMember[];
  /** The number of members that the archive declares. */ readonly count: number;
};

/** Reads the bytes from `from` up to, but not including, `to`. */
export type ReadRange = (from: number, to: number) => Promise<Uint8Array>;

const END = { signature: 0x06054b50, bytes: 22, mostBytes: 22 + 0xffff };
const END_64 = { signature: 0x06064b50, bytes: 56, locatorSignature: 0x07064b50, locatorBytes: 20 };
const RECORD = { signature: 0x02014b50, bytes: 46 };
/** The values that refer to a number in a zip64 record. */
const ELSEWHERE_16 = 0xffff;
const ELSEWHERE_32 = 0xffffffff;
const IS_UTF8 = 1 << 11;
const SIZES_64 = 1;
const MOST_DIRECTORY_BYTES = 2_097_152;
const UTF_8 = new TextDecoder();
const STRICT_UTF_8 = new TextDecoder('utf-8', { fatal: true });
const WINDOWS_1252 = new TextDecoder('windows-1252');

/**
 * Reads the directory at the end of a ZIP archive, with two or three range requests for an archive of any size.
 *
 * @returns undefined if it is not a ZIP archive. A directory that is too large is read in part.
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT (4.3)
 */
export async function readZipDirectory(read: ReadRange, size: number): Promise<ZipDirectory | undefined> {
  const tailAt = Math.max(0, size - END.mostBytes - END_64.locatorBytes);
  const tail = viewOf(await read(tailAt, size));
  const end = findEnd(tail);
  if (end === undefined) return undefined;
  const place = (await placeIn64(read, size, tail, end)) ?? {
    count: tail.getUint16(end + 10, true),
    bytes: tail.getUint32(end + 12, true),
    at: tail.getUint32(end + 16, true),
  };
  if (place.at + place.bytes > size) return undefined;
  if (place.bytes === 0) return { members: [], count: 0 };
  const records = await read(place.at, place.at + Math.min(place.bytes, MOST_DIRECTORY_BYTES));
  return { members: [...membersIn(viewOf(records))], count: place.count };
}

type Place = { readonly count: number; readonly bytes: number; readonly at: number };

/** The position of the end record, which contains the length of the comment that follows it. */
function findEnd(tail: DataView): number | undefined {
  for (let at = tail.byteLength - END.bytes; at >= 0; at--) {
    if (
      tail.getUint32(at, true) === END.signature &&
      at + END.bytes + tail.getUint16(at + 20, true) === tail.byteLength
    )
      return at;
  }
  return undefined;
}

async function placeIn64(read: ReadRange, size: number, tail: DataView, end: number): Promise<Place | undefined> {
  const locator = end - END_64.locatorBytes;
  if (tail.getUint16(end + 10, true) !== ELSEWHERE_16 && tail.getUint32(end + 16, true) !== ELSEWHERE_32)
    return undefined;
  if (locator < 0 || tail.getUint32(locator, true) !== END_64.locatorSignature) return undefined;
  const at = Number(tail.getBigUint64(locator + 8, true));
  if (at + END_64.bytes > size) return undefined;
  const record = viewOf(await read(at, at + END_64.bytes));
  if (record.getUint32(0, true) !== END_64.signature) return undefined;
  return {
    count: Number(record.getBigUint64(32, true)),
    bytes: Number(record.getBigUint64(40, true)),
    at: Number(record.getBigUint64(48, true)),
  };
}

function* membersIn(records: DataView<ArrayBuffer>): Generator<ZipMember> {
  for (let at = 0; at + RECORD.bytes <= records.byteLength && records.getUint32(at, true) === RECORD.signature;) {
    const [nameBytes, extraBytes, commentBytes] = [
      records.getUint16(at + 28, true),
      records.getUint16(at + 30, true),
      records.getUint16(at + 32, true),
    ];
    const nameAt = at + RECORD.bytes;
    const next = nameAt + nameBytes + extraBytes + commentBytes;
    if (next > records.byteLength) return;
    const name = nameOf(
      new Uint8Array(records.buffer, records.byteOffset + nameAt, nameBytes),
      (records.getUint16(at + 8, true) & IS_UTF8) !== 0,
    );
    const size = records.getUint32(at + 24, true);
    yield {
      name,
      isFolder: name.endsWith('/'),
      size: size === ELSEWHERE_32 ? (sizeIn64(records, nameAt + nameBytes, extraBytes) ?? size) : size,
    };
    at = next;
  }
}

/** The uncompressed size in the extra field for 64-bit sizes, where it is the first. */
function sizeIn64(records: DataView, extraAt: number, extraBytes: number): number | undefined {
  for (let at = extraAt; at + 4 <= extraAt + extraBytes; at += 4 + records.getUint16(at + 2, true)) {
    if (records.getUint16(at, true) === SIZES_64 && at + 12 <= extraAt + extraBytes)
      return Number(records.getBigUint64(at + 4, true));
  }
  return undefined;
}

/** Decodes a name. Old programs use the character set of their system without declaring it. */
function nameOf(bytes: Uint8Array<ArrayBuffer>, isUtf8: boolean): string {
  try {
    return (isUtf8 ? UTF_8 : STRICT_UTF_8).decode(bytes);
  } catch {
    return WINDOWS_1252.decode(bytes);
  }
}

function viewOf(bytes: Uint8Array): DataView<ArrayBuffer> {
  const own = new Uint8Array(bytes);
  return new DataView(own.buffer);
}
