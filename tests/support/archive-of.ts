import { centralRecord, endOfArchive, localHeader } from '../../src/zip/records.ts';

type Member = { readonly name: string; readonly size: number };

/** An archive of members without content; `padding` bytes of it lie before its directory. */
export function archiveOf(
  members: readonly Member[],
  {
    comment = '',
    padding = 0,
    entries = members.length,
  }: { readonly comment?: string; readonly padding?: number; readonly entries?: number } = {},
): Buffer {
  const described = members.map(({ name, size }) => ({
    name: Buffer.from(name),
    mtime: new Date(0),
    at: 0,
    isStreamed: true,
    method: 0,
    crc: 0,
    size,
    packedSize: 0,
  }));
  const bodies = Buffer.concat([...described.map(localHeader), Buffer.alloc(padding)]);
  const directory = Buffer.concat(described.map(centralRecord));
  const end = endOfArchive(entries, directory.length, bodies.length);
  end.writeUInt16LE(comment.length, end.length - 2);
  return Buffer.concat([bodies, directory, end, Buffer.from(comment)]);
}
