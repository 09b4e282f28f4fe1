/** The data of a member in the records of a ZIP. The checksum and sizes of a streamed member are known only after its bytes. */
export type Entry = {
  readonly name: Buffer;
  readonly mtime: Date;
  /** Offset of its local header. */
  readonly at: number;
  readonly isStreamed: boolean;
  method: number;
  crc: number;
  size: number;
  packedSize: number;
};

const [VERSION, VERSION_ZIP64, MADE_ON_UNIX] = [20, 45, (3 << 8) | 63] as const;
const [IS_STREAMED, IS_UTF8] = [1 << 3, 1 << 11] as const;
/** The values that mark a number as stored in the zip64 record instead. */
const [ELSEWHERE_16, ELSEWHERE_32] = [0xffff, 0xffffffff] as const;
const [FILE_MODE, FOLDER_MODE] = [0o100664, 0o40775] as const;

/** A little-endian number and its length in bytes. */
type Field = readonly [bytes: 2 | 4 | 8, value: number];

/** @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT (4.3.7) */
export function localHeader(entry: Entry): Buffer {
  const timestamp = timestampOf(entry);
  return record(
    [
      [4, 0x04034b50],
      [2, VERSION],
      ...described(entry),
      ...(entry.isStreamed ? NOT_KNOWN : sums(entry, 4)),
      [2, entry.name.length],
      [2, timestamp.length],
    ],
    entry.name,
    timestamp,
  );
}

/** The data that the local header of a streamed member lacks (4.3.9). */
export function dataDescriptor(entry: Entry): Buffer {
  return record([[4, 0x08074b50], ...sums(entry, Math.max(entry.size, entry.packedSize) < ELSEWHERE_32 ? 4 : 8)]);
}

/** The record of a member in the central directory (4.3.12). */
export function centralRecord(entry: Entry): Buffer {
  const isLarge = Math.max(entry.size, entry.packedSize, entry.at) >= ELSEWHERE_32;
  const timestamp = timestampOf(entry);
  const zip64 = isLarge
    ? record([
        [2, 1],
        [2, 24],
        [8, entry.size],
        [8, entry.packedSize],
        [8, entry.at],
      ])
    : Buffer.alloc(0);
  const mode = entry.name.at(-1) === SLASH ? FOLDER_MODE : FILE_MODE;
  return record(
    [
      ...([
        [4, 0x02014b50],
        [2, MADE_ON_UNIX],
        [2, isLarge ? VERSION_ZIP64 : VERSION],
      ] as const),
      ...described(entry),
      ...(isLarge
        ? ([
            [4, entry.crc],
            [4, ELSEWHERE_32],
            [4, ELSEWHERE_32],
          ] as const)
        : sums(entry, 4)),
      ...([
        [2, entry.name.length],
        [2, timestamp.length + zip64.length],
        [2, 0],
        [2, 0],
        [2, 0],
        [2, 0],
        [2, mode],
        [4, isLarge ? ELSEWHERE_32 : entry.at],
      ] as const),
    ],
    entry.name,
    timestamp,
    zip64,
  );
}

/** The end record: the offset of the central directory and the number of its entries (4.3.14 to 4.3.16). */
export function endOfArchive(entries: number, directoryBytes: number, directoryAt: number): Buffer {
  const isLarge = entries >= ELSEWHERE_16 || directoryAt + directoryBytes >= ELSEWHERE_32;
  const count = isLarge ? ELSEWHERE_16 : entries;
  const end = record([
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, isLarge ? ELSEWHERE_32 : directoryBytes],
    [4, isLarge ? ELSEWHERE_32 : directoryAt],
    [2, 0],
  ]);
  if (!isLarge) return end;
  const place = [
    [8, entries],
    [8, entries],
    [8, directoryBytes],
    [8, directoryAt],
  ] as const;
  const end64 = record([[4, 0x06064b50], [8, 44], [2, MADE_ON_UNIX], [2, VERSION_ZIP64], [4, 0], [4, 0], ...place]);
  const locator = record([
    [4, 0x07064b50],
    [4, 0],
    [8, directoryAt + directoryBytes],
    [4, 1],
  ]);
  return Buffer.concat([end64, locator, end]);
}

const SLASH = 0x2f;
const NOT_KNOWN: readonly Field[] = [
  [4, 0],
  [4, 0],
  [4, 0],
];

/** The fields that the local header and the central record share: flags, method and time. */
function described({ isStreamed, method, mtime }: Entry): Field[] {
  return [[2, IS_UTF8 | (isStreamed ? IS_STREAMED : 0)], [2, method], ...dosTime(mtime)];
}

function sums({ crc, packedSize, size }: Entry, bytes: 4 | 8): Field[] {
  return [
    [4, crc],
    [bytes, packedSize],
    [bytes, size],
  ];
}

/** The extended timestamp: UTC in seconds. The flag says that the local header has it too. */
function timestampOf({ mtime }: Entry): Buffer {
  const seconds = Math.min(Math.max(Math.floor(mtime.getTime() / 1000), 0), 0x7fffffff) || 0;
  return Buffer.concat([
    record([
      [2, 0x5455],
      [2, 5],
    ]),
    Buffer.of(1),
    record([[4, seconds]]),
  ]);
}

/** The DOS time: local time in steps of two seconds, from 1980 to 2107. */
function dosTime(time: Date): [Field, Field] {
  const year = time.getFullYear();
  if (!(year >= 1980))
    return [
      [2, 0],
      [2, (1 << 5) | 1],
    ];
  const date = (Math.min(year - 1980, 127) << 9) | ((time.getMonth() + 1) << 5) | time.getDate();
  return [
    [2, (time.getHours() << 11) | (time.getMinutes() << 5) | (time.getSeconds() >> 1)],
    [2, date],
  ];
}

function record(fields: readonly Field[], ...rest: readonly Buffer[]): Buffer {
  const fixed = Buffer.alloc(fields.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 8) fixed.writeBigUInt64LE(BigInt(value), at);
    else fixed.writeUIntLE(value, at, bytes);
    at += bytes;
  }
  return rest.length === 0 ? fixed : Buffer.concat([fixed, ...rest]);
}
