import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const MAX_LINES = 250;

describe('a file of the program', () => {
  it('has at most 250 lines, or says why it is one file', () => {
    const files = globSync('{src,scripts}/**/*.{ts,tsx}', { cwd: ROOT });
    const long = files.filter((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      return text.split('\n').length - 1 > MAX_LINES && !/\bone file\b/.test(text);
    });
    expect(files.length).toBeGreaterThan(900);
    expect(long).toEqual([]);
  });
});
