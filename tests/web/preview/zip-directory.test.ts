import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readZipDirectory } from '../../../src/web/preview/zip-directory.ts';
import { archiveOf } from '../../support/archive-of.ts';

async function directoryOf(bytes: Buffer) {
  const ranges: (readonly [number, number])[] = [];
  const read = (from: number, to: number) => {
    ranges.push([from, to]);
    if (from < 0 || to > bytes.length || from >= to) throw new Error(`the range ${from} to ${to} is not in the object`);
    return Promise.resolve(new Uint8Array(bytes.subarray(from, to)));
  };
  return {
    directory: await readZipDirectory(read, bytes.length),
    bytesRead: ranges.reduce((sum, [from, to]) => sum + to - from, 0),
  };
}

describe('readZipDirectory', () => {
  it('names the members with their sizes, folders and large ones too, and reads nothing else', async () => {
    const members = [
      { name: 'fotos/', size: 0 },
      { name: 'fotos/Küste.jpg', size: 1234 },
      { name: 'huge.bin', size: 5_000_000_000 },
    ];
    const { directory, bytesRead } = await directoryOf(
      archiveOf(members, { comment: 'packed at home', padding: 1_000_000 }),
    );
    expect(directory).toEqual({
      count: 3,
      members: members.map((member) => ({ ...member, isFolder: member.name.endsWith('/') })),
    });
    expect(bytesRead).toBeLessThan(70_000);
  });

  it('finds the directory of an archive with more than 65,535 entries', async () => {
    const { directory } = await directoryOf(archiveOf([{ name: 'a', size: 1 }], { entries: 70_000 }));
    expect(directory).toEqual({ count: 70_000, members: [{ name: 'a', isFolder: false, size: 1 }] });
  });

  it('is told of an empty archive, and of what is none', async () => {
    expect((await directoryOf(archiveOf([]))).directory).toEqual({ count: 0, members: [] });
    for (const none of [
      Buffer.from('x'),
      Buffer.alloc(100_000, 'PK'),
      archiveOf([{ name: 'a', size: 1 }]).subarray(0, -1),
    ])
      expect((await directoryOf(none)).directory).toBeUndefined();
  });

  it('stays inside of the object, whatever its bytes are', async () => {
    const whole = archiveOf(
      [
        { name: 'a', size: 1 },
        { name: 'b/', size: 5_000_000_000 },
      ],
      { entries: 70_000 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 8 }), async (changes) => {
        const changed = Buffer.from(whole);
        for (const [at, value] of changes) changed[at] = value;
        await directoryOf(changed);
      }),
    );
  });
});
