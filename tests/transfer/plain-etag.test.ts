import { expect, it } from '@jest/globals';
import { mayBeCopy } from '../../src/transfer/plain-etag.ts';

it.each([
  ['"a"', '"a"', true],
  ['W/"a"', '"a"', true],
  ['"b"', '"a"', false],
  ['"b"', '"a-2"', true],
  ['"b-1"', '"a-2"', true],
  ['"a-2"', '"a-2"', true],
  // Somebody sent other content of the same length in as many parts.
  ['"b-2"', '"a-2"', false],
  [null, '"a-2"', false],
])('content with the ETag %s may be a copy of content with the ETag %s: %s', (copy, of, may) => {
  expect(mayBeCopy({ etag: copy, size: 1 }, { etag: of, size: 1 })).toBe(may);
  expect(mayBeCopy({ etag: copy, size: 1 }, { etag: of, size: 2 })).toBe(false);
});
