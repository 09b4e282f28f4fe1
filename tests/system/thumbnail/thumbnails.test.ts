import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import sharp from 'sharp';
import { codeOf } from '../../../src/errors/svc-error.ts';
import type { DrawerOptions } from '../../../src/thumbnail/drawer.ts';
import { PictureStore } from '../../../src/thumbnail/picture-store.ts';
import { Thumbnails, type PictureSource } from '../../../src/thumbnail/thumbnails.ts';
import { animation, bomb, photo } from '../../thumbnail/pictures.ts';

const MEBIBYTE = 1_048_576;
const SEEN = new AbortController().signal;

let folder: string;
let thumbnails: Thumbnails;
let warnings: string[];
const opened = ({ maxBytes = MEBIBYTE, ...options }: { readonly maxBytes?: number } & Partial<DrawerOptions> = {}) => {
  (thumbnails as Thumbnails | undefined)?.close();
  return new Thumbnails({
    store: new PictureStore(folder, maxBytes),
    warn: (message) => void warnings.push(message),
    ...options,
  });
};
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-thumbnails-'));
  warnings = [];
  thumbnails = opened();
});
afterEach(async () => {
  thumbnails.close();
  await rm(folder, { recursive: true, force: true });
});

const ADA = { person: 'ada', signal: SEEN };
const sourceOf = (key: string, size: number, etag = '"1"'): PictureSource => ({
  provider: 'main',
  bucket: 'photos',
  key,
  etag,
  lastModified: '',
  size,
});
const drawn = (content: Buffer, key = 'a.jpg', signal = SEEN) =>
  thumbnails.of(sourceOf(key, content.length), () => Promise.resolve(Readable.from(pieces(content))), {
    person: 'ada',
    signal,
  });
const outcome = (drawing: Promise<unknown>) =>
  drawing.then(
    () => 'drawn',
    (error: unknown) => codeOf(error),
  );
const kept = async () => (await readdir(folder, { recursive: true })).filter((path) => path.includes('/'));

/** As storage sends it, with a first piece that tells nothing. */
function* pieces(content: Buffer) {
  yield content.subarray(0, 3);
  for (let at = 3; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536);
}

describe('a thumbnail', () => {
  it.each(['jpeg', 'png', 'webp', 'gif', 'avif', 'tiff'] as const)(
    'is made of %s: a small WebP without the metadata',
    async (format) => {
      const picture = await drawn(await photo(format, { width: 1200, height: 600 }));
      const { format: made, width, height, exif } = await sharp(picture).metadata();
      expect({ made, width, height, exif }).toEqual({ made: 'webp', width: 400, height: 200, exif: undefined });
    },
  );

  it('is upright, and no larger than the picture', async () => {
    const { width, height } = await sharp(
      await drawn(await photo('jpeg', { width: 120, height: 60, orientation: 6 })),
    ).metadata();
    expect([width, height]).toEqual([60, 120]);
  });

  it('is made of the first of ten thousand frames', async () => {
    const { pages = 1, width } = await sharp(await drawn(animation(10_000))).metadata();
    expect([pages, width]).toEqual([1, 1]);
  });

  it.each([
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>')],
    ['PDF', Buffer.from('%PDF-1.7\n1 0 obj<<>>endobj')],
    ['text', Buffer.from('no picture at all, under the name of one')],
    ['nothing', Buffer.alloc(0)],
    ['a PNG with 900 million pixels', bomb(30_000, 30_000)],
    ['a PNG with 26 million pixels of eight bytes', bomb(5_200, 5_000, { deep: true })],
    ['the beginning of a JPEG', Buffer.from('ffd8ffe000104a46494600010101006000600000', 'hex')],
  ])('is not made of %s, and that is known the next time', async (_what, content) => {
    let reads = 0;
    const ask = () =>
      thumbnails.of(
        sourceOf('a.jpg', content.length),
        () => {
          reads += 1;
          return Promise.resolve(Readable.from(content.length === 0 ? [] : [content]));
        },
        ADA,
      );
    expect(await outcome(ask())).toBe('not_supported');
    expect(await outcome(ask())).toBe('not_supported');
    expect(reads).toBe(1);
  });

  it('is not made of a picture that was cut off', async () => {
    const whole = await photo('png', { width: 900, height: 900 });
    expect(await outcome(drawn(whole.subarray(0, whole.length / 2)))).toBe('not_supported');
  });

  it('is not made of an object that is too large: it is not even opened', async () => {
    const open = () => Promise.reject(new Error('it was opened'));
    expect(await outcome(thumbnails.of(sourceOf('a.jpg', 33 * MEBIBYTE), open, ADA))).toBe('not_supported');
  });

  it('is given up when it takes too long, which ends the process, and is tried again by another service only', async () => {
    thumbnails = opened({ timeoutMs: 1 });
    const content = await photo('jpeg');
    let reads = 0;
    const ask = () =>
      outcome(
        thumbnails.of(
          sourceOf('a.jpg', content.length),
          () => Promise.resolve(Readable.from([content]).once('end', () => (reads += 1))),
          ADA,
        ),
      );
    expect([await ask(), await ask(), reads]).toEqual(['not_supported', 'not_supported', 1]);
    thumbnails = opened();
    expect([await ask(), reads]).toEqual(['drawn', 2]);
  });
});

describe('without the package that draws', () => {
  it('there are no thumbnails: storage is asked once, and it is said once', async () => {
    const program = join(folder, 'drawing.ts');
    await copyFile(join(import.meta.dirname, '../../../src/thumbnail/drawing.ts'), program);
    thumbnails = opened({ program });
    const content = await photo('jpeg');
    expect([await outcome(drawn(content, 'a')), await outcome(drawn(content, 'b'))]).toEqual([
      'not_supported',
      'not_supported',
    ]);
    expect(warnings).toEqual([expect.stringContaining('`sharp` cannot be loaded')]);
  });
});

describe('many requests', () => {
  it('draw a picture once, and only so many others wait', async () => {
    const content = await photo('jpeg');
    let reads = 0;
    const ask = (key: string) =>
      outcome(
        thumbnails.of(
          sourceOf(key, content.length),
          () => Promise.resolve(Readable.from([content]).once('end', () => (reads += 1))),
          ADA,
        ),
      );
    const same = await Promise.all(Array.from({ length: 500 }, () => ask('same')));
    expect([new Set(same), reads]).toEqual([new Set(['drawn']), 1]);
    const others = await Promise.all(Array.from({ length: 500 }, (_, index) => ask(`other ${index}`)));
    expect(new Set(others)).toEqual(new Set(['drawn', 'rate_limited']));
    expect(others.filter((each) => each === 'rate_limited').length).toBeGreaterThan(200);
  });

  it('of one person leave others room', async () => {
    const content = await photo('jpeg');
    const never = () => new Promise<Readable>(() => undefined);
    for (let i = 0; i < 10; i++) void outcome(thumbnails.of(sourceOf(`endless ${i}`, content.length), never, ADA));
    const ask = () => Promise.resolve(Readable.from([content]));
    expect(await outcome(thumbnails.of(sourceOf('small', content.length), ask, { ...ADA, person: 'vic' }))).toBe(
      'drawn',
    );
  });

  it('for one picture wait for nobody else: whoever has room first draws it for all', async () => {
    const content = await photo('jpeg');
    const never = () => new Promise<Readable>(() => undefined);
    const ask = (person: string, key: string, open = () => Promise.resolve(Readable.from([content]))) =>
      outcome(thumbnails.of(sourceOf(key, content.length), open, { person, signal: SEEN }));
    for (let i = 0; i < 3; i++) void ask('ada', `endless ${i}`, never);
    const waiting = [ask('ada', 'same'), ask('ada', 'same')];
    expect([await ask('vic', 'same'), ...(await Promise.all(waiting))]).toEqual(['drawn', 'drawn', 'drawn']);
  });

  it('keep the event loop free', async () => {
    const content = await photo('png', { width: 4000, height: 3000 });
    const drawing = Promise.all(Array.from({ length: 6 }, (_, index) => drawn(content, `large ${index}`)));
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    await drawing;
    delay.disable();
    expect(delay.percentile(90) / 1e6).toBeLessThan(100);
  });

  it('stop reading when whoever asked has left, unless others wait', async () => {
    const content = await photo('jpeg');
    const [leaver, other] = [new AbortController(), new AbortController()];
    let stopped = 0;
    const open = (signal: AbortSignal) =>
      new Promise<Readable>((resolve, reject) => {
        signal.addEventListener('abort', () => {
          stopped += 1;
          reject(signal.reason as Error);
        });
        void wait(200).then(() => resolve(Readable.from([content])));
      });
    const ask = (key: string, signal: AbortSignal) =>
      outcome(thumbnails.of(sourceOf(key, content.length), open, { person: 'ada', signal }));
    const [left, stayed, alone] = [ask('shared', leaver.signal), ask('shared', SEEN), ask('alone', other.signal)];
    await wait(50);
    leaver.abort();
    other.abort();
    expect([await left, await stayed, await alone, stopped]).toEqual([undefined, 'drawn', undefined, 1]);
  });
});

describe('what is kept', () => {
  it('is found by another process, tells no names, and is drawn again for a new version', async () => {
    const content = await photo('jpeg');
    await drawn(content, 'secret plans.jpg');
    expect((await kept()).join()).toMatch(/^[0-9a-f]{2}\/[0-9a-f]{64}$/);
    thumbnails = opened();
    const never = () => Promise.reject(new Error('it was opened again'));
    await thumbnails.of(sourceOf('secret plans.jpg', content.length), never, ADA);
    await expect(thumbnails.of(sourceOf('secret plans.jpg', content.length, '"2"'), never, ADA)).rejects.toThrow(
      'opened again',
    );
    await expect(
      thumbnails.of({ ...sourceOf('secret plans.jpg', content.length), bucket: 'other' }, never, ADA),
    ).rejects.toThrow('opened again');
  });

  it('takes no more of the disk than it may: what was not used for longest goes first', async () => {
    thumbnails = opened({ maxBytes: 3 * 4096 });
    const content = await photo('jpeg');
    for (const key of ['a', 'b', 'c', 'a', 'd']) await drawn(content, key);
    await wait(100);
    const names = await kept();
    expect(names.map((path) => path.slice(3)).sort()).toEqual(
      ['a', 'c', 'd'].map((key) => thumbnails.nameOf(sourceOf(key, content.length))).sort(),
    );
  });

  it('leaves the files and folders of others alone, and takes away what an earlier process left unfinished', async () => {
    const name = thumbnails.nameOf(sourceOf('a.jpg', 1));
    const own = name.slice(0, 2);
    for (const path of [own, 'lost+found']) await mkdir(join(folder, path));
    for (const path of ['notes.txt', `${own}/notes.txt`, `${own}/${name}.x.part`, `lost+found/${name}.x.part`])
      await writeFile(join(folder, path), 'mine');
    await symlink('nowhere', join(folder, own, name));
    const content = await photo('jpeg');
    await drawn(content);
    const picture = thumbnails.nameOf(sourceOf('a.jpg', content.length));
    expect((await readdir(folder, { recursive: true })).sort()).toEqual(
      [
        ...new Set([
          'notes.txt',
          own,
          `${own}/notes.txt`,
          `${own}/${name}`,
          'lost+found',
          `lost+found/${name}.x.part`,
          picture.slice(0, 2),
          `${picture.slice(0, 2)}/${picture}`,
        ]),
      ].sort(),
    );
    expect(warnings).toEqual([]);
  });

  it('is drawn again when it was cut off by a loss of power', async () => {
    const content = await photo('jpeg');
    const whole = await drawn(content);
    const [path = ''] = await kept();
    await writeFile(join(folder, path), whole.subarray(0, 20));
    thumbnails = opened();
    expect(await drawn(content)).toEqual(whole);
  });

  it('is not needed: without a folder that can be written to, pictures are drawn, and it is said once; with one they are kept again', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    folder = join(file, 'inside');
    thumbnails = opened();
    expect([await outcome(drawn(await photo('jpeg'), 'a')), await outcome(drawn(await photo('jpeg'), 'b'))]).toEqual([
      'drawn',
      'drawn',
    ]);
    expect(warnings).toEqual([expect.stringContaining('thumbnails cannot be kept')]);
    await rm(file);
    await drawn(await photo('jpeg'), 'a');
    expect(await kept()).toHaveLength(1);
    folder = file;
  });
});
