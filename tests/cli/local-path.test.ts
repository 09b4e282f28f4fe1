import { describe, expect, it } from '@jest/globals';
import { pathBeneath } from '../../src/cli/argument/local-path.ts';

const unsafe = 'cannot be a local name';

describe('the local path of a key', () => {
  it.each(['../x', 'a/../../x', 'a//x', '/x', '', '.', 'a/.', 'a\0b', 'a/\ud800', '\udfffb/c'])(
    'is refused anywhere: %j',
    (key) => {
      expect(() => pathBeneath('out', key, 'linux')).toThrow(unsafe);
    },
  );

  it.each([
    ...['C:x', 'a\\..\\b', 'a|b', 'a ', 'a.', 'a\nb'],
    ...['con', 'CON.txt', 'nul .txt', 'com1', 'LPT\u00b2.a', 'COM\u00b9', 'conin$', 'CONOUT$.x', 'a/aux'],
  ])('is refused on Windows: %j', (key) => {
    expect(() => pathBeneath('out', key, 'win32')).toThrow(unsafe);
    expect(pathBeneath('out', key, 'linux')).toBe(`out/${key}`);
  });

  it.each(['console', 'com', 'a/nul0', '.bashrc', 'e\u0301', '🎉'])('is taken everywhere: %j', (key) => {
    expect(pathBeneath('out', key, 'win32')).toBe(`out/${key}`);
  });
});
