import { expect, it } from '@jest/globals';
import { wav } from '../../../scripts/demo/samples/wav.ts';
import { indexLength } from '../../../src/web/preview/media-index.ts';
import { box, mp4Of, numbers, trackOf } from '../../support/mp4-file.ts';

const MANY = 80_000_000;
const META = box('hdlr', numbers(0, 0), 'mdta', Buffer.alloc(13));

function lengthOf(bytes: Uint8Array): Promise<number> {
  return indexLength((from, to) => Promise.resolve(bytes.slice(from, to)), bytes.length);
}

it.each<[string, Uint8Array]>([
  ['in its table', mp4Of({ samples: MANY })],
  ['in a short table', mp4Of({ inTable: [box('stz2', numbers(0, 8, MANY))] })],
  ['in another box', mp4Of({ inTable: [box('wave', box('stsz', numbers(0, 4, MANY)))] })],
  ['in the description of a sample', mp4Of({ inEntry: [box('stsz', numbers(0, 4, MANY))] })],
  [
    'in a table whose length has 64 bits',
    mp4Of({ inTable: [Buffer.concat([numbers(1), Buffer.from('stsz'), numbers(0, 28, 0, 4, MANY)])] }),
  ],
  [
    'in a table to the end',
    mp4Of({ inTable: [Buffer.concat([numbers(0), Buffer.from('stsz'), numbers(0, 4, MANY)])] }),
  ],
  ['in a track in front of the others', mp4Of({}, { before: [trackOf({ samples: MANY })] })],
  ['in a track behind the samples', mp4Of({}, { behind: [trackOf({ samples: MANY })] })],
  ['in a description that is free', mp4Of({}, { before: [box('free', trackOf({ samples: MANY }))] })],
  ['in several tracks', mp4Of({}, { before: Array.from({ length: 10 }, () => trackOf({ samples: MANY / 10 })) })],
  ['by its edits', mp4Of({ samples: MANY / 100, edits: 100 })],
  ['in its chunks', mp4Of({ entry: 'sowt', ticks: 1, chunks: 1_000, inChunk: MANY / 6 })],
  [
    'in chunks of ticks that browsers correct',
    mp4Of({ entry: 'sowt', ticks: 0xffffffff, chunks: 1_000, inChunk: MANY / 6 }),
  ],
  ['of one tick each in a video', mp4Of({ samples: MANY, ticks: 1, handler: 'vide' })],
  ['in fragments', mp4Of({}, { behind: [box('moof', box('traf', box('trun', numbers(0, MANY))))] })],
  ['as names', mp4Of({}, { behind: [box('meta', numbers(0), META, box('keys', numbers(0, MANY)))] })],
  ['as names in QuickTime', mp4Of({}, { behind: [box('meta', META, box('keys', numbers(0, MANY)))] })],
  ['behind unknown bytes', mp4Of({}, { behind: [box('meta', numbers(0, 0), META, box('keys', numbers(0, MANY)))] })],
  ['behind very many boxes', mp4Of({}, { before: Array.from({ length: 20_000 }, () => box('free')) })],
  ['behind a tag', Buffer.concat([Buffer.from('ID3\u0003\0\0\0\0\0\u0005title'), mp4Of({ samples: MANY })])],
])('an MP4 with very many entries %s is found', async (_, bytes) => {
  expect(await lengthOf(bytes)).toBeGreaterThanOrEqual(MANY);
});

it.each<[string, number, Uint8Array]>([
  ['a song', 10, mp4Of({})],
  ['its edits', 20, mp4Of({ edits: 2 })],
  [
    'hours of sound without compression',
    63_000,
    mp4Of({ samples: 10_080_000_000 % 2 ** 32, ticks: 1, entry: 'sowt', chunks: 1_000, inChunk: 10_080 }),
  ],
  ['fragments', 110, mp4Of({}, { behind: [box('moof', box('traf', box('trun', numbers(0, 100)))), box('mdat')] })],
  ['a cut file', 10, mp4Of({}).subarray(0, -4_000)],
  ['a WAV', 0, new Uint8Array(wav([{ hertz: 440, seconds: 1 }]))],
  ['a few bytes', 0, new Uint8Array([0, 0, 0])],
  ['an Ogg', 0, Buffer.from('OggS\0\u0002\0\0')],
])('%s makes as many entries as it has: %d', async (_, count, bytes) => {
  expect(await lengthOf(bytes)).toBe(count);
});

const chunk = (type: string, length: number, content = '') => {
  const head = Buffer.from(`${type}\0\0\0\0${content}`, 'latin1');
  head.writeUInt32LE(length, 4);
  return head;
};
const NAMES = chunk('LIST', MANY, 'INFOINAM');

it.each<[string, Uint8Array]>([
  ['in front of its sound', Buffer.concat([chunk('RIFF', 0, 'WAVE'), NAMES, chunk('data', 0)])],
  ['behind its sound', Buffer.concat([chunk('RIFF', 0, 'WAVE'), chunk('data', 3, 'abc\0'), NAMES])],
  [
    'behind long sound',
    Buffer.concat([
      chunk('RF64', 0, 'WAVE'),
      chunk('ds64', 28, `${'\0'.repeat(8)}\u0004${'\0'.repeat(19)}`),
      chunk('data', 0xffffffff, 'abcd'),
      NAMES,
    ]),
  ],
])('a WAV with very long names %s is found', async (_, bytes) => {
  expect(await lengthOf(bytes)).toBe(MANY);
});

it('neither samples nor long tables are read, wherever they are', async () => {
  const rest = Buffer.alloc(20_000_000);
  const sizes = box('stsz', numbers(0, 0, 5_000_000), rest);
  const bytes = mp4Of({ inTable: [sizes] }, { before: [box('mdat', rest)] });
  let read = 0;
  const length = await indexLength((from, to) => {
    read += to - from;
    return Promise.resolve(bytes.slice(from, to));
  }, bytes.length);
  expect(length).toBe(5_000_010);
  expect(read).toBeLessThan(300_000);
});

it('an MP4 of very many fragments is not read on', async () => {
  const fragment = Buffer.concat([
    box('moof', box('traf', box('trun', numbers(0, 1)))),
    box('mdat', Buffer.alloc(100_000)),
  ]);
  let reads = 0;
  const bytes = mp4Of({}, { behind: Array.from({ length: 100 }, () => fragment) });
  const length = await indexLength((from, to) => {
    reads += 1;
    return Promise.resolve(bytes.slice(from, to));
  }, bytes.length);
  expect(length).toBe(Infinity);
  expect(reads).toBeLessThan(70);
});

it('a file that cannot be read is no file of many entries', async () => {
  await expect(indexLength(() => Promise.reject(new Error('gone')), 100)).rejects.toThrow('gone');
});
