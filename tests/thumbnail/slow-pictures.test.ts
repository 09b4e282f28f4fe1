import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { PictureStore } from '../../src/thumbnail/picture-store.ts';
import { Thumbnails } from '../../src/thumbnail/thumbnails.ts';

it('pictures that storage sends too slowly leave their places to those of other people', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-slow-'));
  const thumbnails = new Thumbnails({
    store: new PictureStore(folder, 1_000_000),
    warn: () => undefined,
    readTimeoutMs: 200,
  });
  const of = (key: string, person: string, body: Readable) =>
    thumbnails.of(
      { provider: 'p', bucket: 'b', key, etag: 'e', lastModified: '', size: 100 },
      (signal) => {
        signal.addEventListener('abort', () => body.destroy(signal.reason as Error), { once: true });
        return Promise.resolve(body);
      },
      { person, signal: new AbortController().signal },
    );
  const slow = ['ada', 'eve'].flatMap((person) =>
    [1, 2, 3].map((number) => of(`${person} ${number}`, person, slowly())),
  );
  const outcomes = Promise.allSettled(slow);
  await expect(of('text', 'vic', Readable.from([Buffer.alloc(100)]))).rejects.toMatchObject({ code: 'not_supported' });
  expect(await outcomes).toEqual(
    slow.map(() => ({ status: 'rejected', reason: expect.objectContaining({ code: 'storage_timeout' }) })),
  );
  thumbnails.close();
  await rm(folder, { recursive: true });
});

/** A picture whose beginning comes, and no end. */
function slowly(): Readable {
  const body = new PassThrough();
  body.write(Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(40)]));
  return body.on('error', () => undefined);
}
