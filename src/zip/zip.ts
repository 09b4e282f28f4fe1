import { pipeline, type Readable } from 'node:stream';
import { crc32, createDeflateRaw, deflateRawSync } from 'node:zlib';
import { centralRecord, dataDescriptor, endOfArchive, localHeader, type Entry } from './records.ts';

/** A file or a folder. The name of a folder ends with `/`, and its body is empty. A buffer is compressed at once, so it must be small. */
export type ZipMember = { readonly name: string; readonly mtime: Date; readonly body: Buffer | Readable };

/** A fast compression level. It is enough for text, and most large files are compressed already. */
const LEVEL = 1;
const [STORED, DEFLATED] = [0, 8] as const;

/**
 * The bytes of a ZIP archive. Each member is requested after the bytes of the previous ones were read; an error of a member ends the archive.
 *
 * @param before - number of bytes that precede the archive in its file.
 */
export async function* zip(
  members: AsyncIterable<ZipMember> | Iterable<ZipMember>,
  before = 0,
): AsyncGenerator<Buffer, void, void> {
  const records: Buffer[] = [];
  let at = before;
  for await (const { name, mtime, body } of members) {
    const entry: Entry = {
      name: Buffer.from(name),
      mtime,
      at,
      method: DEFLATED,
      isStreamed: !Buffer.isBuffer(body),
      crc: 0,
      size: 0,
      packedSize: 0,
    };
    for await (const chunk of Buffer.isBuffer(body) ? [whole(entry, body)] : streamed(entry, body)) {
      at += chunk.length;
      yield chunk;
    }
    records.push(centralRecord(entry));
  }
  const directory = Buffer.concat(records);
  yield Buffer.concat([directory, endOfArchive(records.length, directory.length, at)]);
}

/** Compresses a small body; stores it when compression would not make it smaller. */
function whole(entry: Entry, body: Buffer): Buffer {
  const deflated = deflateRawSync(body, { level: LEVEL });
  const isShorter = deflated.length < body.length;
  const packed = isShorter ? deflated : body;
  Object.assign(entry, {
    method: isShorter ? DEFLATED : STORED,
    crc: crc32(body),
    size: body.length,
    packedSize: packed.length,
  });
  return Buffer.concat([localHeader(entry), packed]);
}

async function* streamed(entry: Entry, body: Readable): AsyncGenerator<Buffer, void, void> {
  yield localHeader(entry);
  const deflate = createDeflateRaw({ level: LEVEL });
  body.on('data', (chunk: Buffer) => {
    entry.crc = crc32(chunk, entry.crc);
    entry.size += chunk.length;
  });
  // An error in `body` destroys `deflate` too, so that the loop below throws it.
  pipeline(body, deflate, () => undefined);
  for await (const chunk of deflate as AsyncIterable<Buffer>) {
    entry.packedSize += chunk.length;
    yield chunk;
  }
  yield dataDescriptor(entry);
}
