import { Crc32c, Crc64Nvme } from '@aws-sdk/checksums/crc';
import { createHash, hash, type Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

export type Checksum = { update(bytes: Buffer): void; digest(): Buffer | Promise<Buffer> };

const NOTHING = Buffer.alloc(0);

/** What a client may send of the checksum of a body, by the name of its header. The lengths are those of the digests, in bytes. */
const CHECKSUMS: Readonly<Record<string, { readonly length: number; readonly begin: () => Checksum }>> = {
  'x-amz-checksum-crc32': { length: 4, begin: () => new Crc32() },
  'x-amz-checksum-crc32c': { length: 4, begin: () => ofPackage(new Crc32c()) },
  'x-amz-checksum-crc64nvme': { length: 8, begin: () => ofPackage(new Crc64Nvme()) },
  'x-amz-checksum-sha1': { length: 20, begin: () => ofHash('sha1') },
  'x-amz-checksum-sha256': { length: 32, begin: () => ofHash('sha256') },
  'content-md5': { length: 16, begin: () => ofHash('md5') },
};

export function isChecksum(header: string): boolean {
  return Object.hasOwn(CHECKSUMS, header);
}

/** @param header - one for which {@link isChecksum} is true. */
export function beginChecksum(header: string): Checksum {
  return CHECKSUMS[header]!.begin();
}

/** The bytes of a digest in base64; undefined when the text is no such digest. */
export function readDigest(header: string, text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === CHECKSUMS[header]!.length && bytes.toString('base64') === text ? bytes : undefined;
}

export function ofHash(algorithm: 'md5' | 'sha1' | 'sha256'): Checksum {
  return new HashSum(algorithm);
}

function ofPackage(sum: { update(bytes: Uint8Array): void; digest(): Promise<Uint8Array> }): Checksum {
  return { update: (bytes) => sum.update(bytes), digest: async () => Buffer.from(await sum.digest()) };
}

class Crc32 implements Checksum {
  #value = 0;

  update(bytes: Buffer): void {
    this.#value = crc32(bytes, this.#value);
  }

  digest(): Buffer {
    const digest = Buffer.alloc(4);
    digest.writeUInt32BE(this.#value);
    return digest;
  }
}

/** Most bodies are one piece, for which a `Hash` would cost more than the hash. */
class HashSum implements Checksum {
  readonly #algorithm: string;
  #piece: Buffer = NOTHING;
  #hash: Hash | undefined;

  constructor(algorithm: string) {
    this.#algorithm = algorithm;
  }

  update(bytes: Buffer): void {
    if (this.#piece.length > 0) {
      this.#hash = createHash(this.#algorithm).update(this.#piece);
      this.#piece = NOTHING;
    }
    if (this.#hash === undefined) this.#piece = bytes;
    else this.#hash.update(bytes);
  }

  digest(): Buffer {
    return this.#hash?.digest() ?? hash(this.#algorithm, this.#piece, 'buffer');
  }
}
