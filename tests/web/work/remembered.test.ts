import { describe, expect, it } from '@jest/globals';
import { withoutThoseUnderway, type RememberedUpload } from '../../../src/web/work/remembered.ts';

const target = { provider: 'main', bucket: 'files', key: 'a.bin' };
const upload: RememberedUpload = {
  owner: 'me',
  target,
  uploadId: 'u',
  partBytes: 1,
  file: { name: 'a.bin', size: 1, lastModified: 1 },
  startedAtMs: 1,
};

describe('interrupted uploads', () => {
  it('are those whose key in this bucket of this provider nobody uploads now', () => {
    expect(withoutThoseUnderway([upload], [{ target }])).toEqual([]);
    for (const other of [{ provider: 'archive' }, { bucket: 'photos' }, { key: 'b.bin' }])
      expect(withoutThoseUnderway([upload], [{ target: { ...target, ...other } }])).toEqual([upload]);
  });
});
