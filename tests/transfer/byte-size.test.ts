import { describe, expect, it } from '@jest/globals';
import { formatBytes } from '../../src/format/byte-size.ts';

describe('formatBytes', () => {
  it.each([
    [0, '0 B', /^0 bytes$/],
    [999, '999 B', /^999 bytes$/],
    [1024, '1.0 KiB', /^1\Dkb/i],
    [262_144, '256 KiB', /^262\D1\Dkb/i],
    [999_999, '977 KiB', /^1\Dmb/i],
    [1_048_575, '1.0 MiB', /^1\Dmb/i],
    [5 * 2 ** 60, '5120 PiB', /^5\D?764\D6\Dpb/i],
  ])('%d bytes are `%s` in a terminal', (bytes, binary, decimal) => {
    expect(formatBytes(bytes, 'binary')).toBe(binary);
    expect(formatBytes(bytes)).toMatch(decimal);
  });
});
