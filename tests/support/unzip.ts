import { inflateRawSync } from 'node:zlib';

export type ZipEntry = { readonly name: string; readonly content: string };

/** Reads a ZIP by its central directory, as unpacking tools do; throws when it is cut short. */
export function unzip(zip: Buffer): ZipEntry[] {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end === -1) throw new Error('no end of central directory');
  const count = zip.readUInt16LE(end + 10);
  const entries: ZipEntry[] = [];
  for (let i = 0, at = zip.readUInt32LE(end + 16); i < count; i++) {
    const [method, compressed] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20)];
    const [nameLength, extraLength, commentLength] = [
      zip.readUInt16LE(at + 28),
      zip.readUInt16LE(at + 30),
      zip.readUInt16LE(at + 32),
    ];
    const local = zip.readUInt32LE(at + 42);
    const name = zip.subarray(at + 46, at + 46 + nameLength).toString();
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const data = zip.subarray(start, start + compressed);
    entries.push({ name, content: (method === 0 ? data : inflateRawSync(data)).toString() });
    at += 46 + nameLength + extraLength + commentLength;
  }
  return entries;
}
