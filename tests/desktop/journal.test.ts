import { mkdir, mkdtemp, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Journal } from '../../src/desktop/journal.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-journal-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('Journal', () => {
  it('loses no later change when a full disk cut one off', async () => {
    const path = join(folder, 'values.jsonl');
    const journal = new Journal<string>(path);
    journal.set([[1, 'one']]);
    // A folder in the place of the file makes the write fail, as a full disk does after a part of the line.
    await rename(path, `${path}.aside`);
    await mkdir(path);
    expect(() => journal.set([[2, 'two']])).toThrow('EISDIR');
    await rmdir(path);
    await writeFile(path, '{"id":1,"is":"one"}\n{"id":2,"is":"t');
    journal.set([[3, 'three']]);
    expect(new Journal<string>(path).open()).toEqual(
      new Map([
        [1, 'one'],
        [3, 'three'],
      ]),
    );
  });
});
