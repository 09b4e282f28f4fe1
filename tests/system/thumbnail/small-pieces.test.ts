import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { PictureStore } from '../../../src/thumbnail/picture-store.ts';
import { Thumbnails } from '../../../src/thumbnail/thumbnails.ts';
import { heldBytes } from '../../support/held-bytes.ts';

const PIECES = 300_000;

it('a picture that storage sends byte by byte takes about as much memory as its bytes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-pieces-'));
  const thumbnails = new Thumbnails({ store: new PictureStore(folder, 1_000_000), warn: () => undefined });
  const all = Promise.withResolvers<undefined>();
  const end = Promise.withResolvers<undefined>();
  async function* bytes(): AsyncGenerator<Buffer, void, void> {
    yield Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(40)]);
    for (let i = 0; i < PIECES; i++) yield Buffer.alloc(1);
    all.resolve(undefined);
    await end.promise;
  }
  const before = heldBytes();
  const source = { provider: 'p', bucket: 'b', key: 'k', etag: 'e', lastModified: '', size: PIECES };
  const drawn = thumbnails.of(source, () => Promise.resolve(Readable.from(bytes())), {
    person: 'ada',
    signal: new AbortController().signal,
  });
  await all.promise;
  await wait(100);
  const held = heldBytes() - before;
  end.resolve(undefined);
  await expect(drawn).rejects.toMatchObject({ code: 'not_supported' });
  thumbnails.close();
  await rm(folder, { recursive: true });
  expect(held).toBeLessThan(PIECES * 10);
});
