/** Moves many bytes through storage in a process of its own, and prints by how much its memory grew: `volume-worker.ts ENDPOINT WHAT BYTES`. */
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { putPart } from '../../src/storage/multipart.ts';
import { getObject } from '../../src/storage/object-read.ts';
import { putObject } from '../../src/storage/object-write.ts';
import { Storage } from '../../src/storage/storage.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';

const [endpoint = '', what = '', size = ''] = process.argv.slice(2);
const bytes = Number(size);
const storage = new Storage([
  {
    name: 'stub',
    type: 's3',
    endpoint,
    region: 'us-east-1',
    pathStyle: true,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    connectTimeoutMs: 1000,
    idleTimeoutMs: 10_000,
  },
]);
const provider = storage.providers.provider('stub');
const chunk = Buffer.alloc(64 * 1024, 'x');

function body(total: number): Readable {
  return Readable.from(
    (function* () {
      for (let left = total; left > 0; left -= chunk.length) yield chunk.subarray(0, Math.min(left, chunk.length));
    })(),
    // One chunk waits at most, as with a request: the stream's iterator joins those that wait, by copying them.
    { objectMode: false, highWaterMark: 1 },
  );
}

const work: Record<string, (total: number) => Promise<unknown>> = {
  'put of known length': (total) =>
    putObject(withoutPolicy({ provider, bucket: 'bucket', key: 'x' }), body(total), { contentLength: total }),
  'put of unknown length': (total) => putObject(withoutPolicy({ provider, bucket: 'bucket', key: 'x' }), body(total)),
  'put of one part': (total) =>
    putPart(withoutPolicy({ provider, bucket: 'bucket', key: 'x' }), {
      id: 'stub',
      number: 1,
      size: total,
      body: body(total),
    }),
  get: async (total) => {
    const { body: source } = await getObject(withoutPolicy({ provider, bucket: 'bucket', key: String(total) }));
    let seen = 0;
    await pipeline(
      source!,
      new Writable({ write: (data: Buffer, _encoding, done) => ((seen += data.length), setImmediate(done)) }),
    );
    if (seen !== total) throw new Error(`${seen} bytes of ${total}`);
  },
};

/** Not the memory of the process: of that, the allocator keeps now more and now less for later. */
function heldBytes(): number {
  // Memory outside of the heap is given back after a collection, in another thread; the next collection waits for it.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

await work[what]!(32 * 2 ** 20);
const before = heldBytes();
let peak = before;
// What is held counts, not what the collector has yet to look at.
const watch = setInterval(() => (peak = Math.max(peak, heldBytes())), 50);
await work[what]!(bytes);
clearInterval(watch);
storage.close();
console.log(JSON.stringify({ grownBytes: peak - before }));
