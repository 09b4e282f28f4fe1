import { expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { SvcError } from '../../src/errors/svc-error.ts';
import { joinParts } from '../../src/transfer/send-in-parts.ts';

const MD5 = 'd41d8cd98f00b204e9800998ecf8427e';
const WRITTEN = 'Mon, 30 Nov 2026 11:00:00 GMT';

/** Joins an upload that is gone, at the key of which an object of its size has appeared meanwhile. */
async function joinGone(etag: string): Promise<void> {
  let looks = 0;
  const gone = () => Promise.reject(new SvcError('not_found'));
  await joinParts(
    { size: 3, target: { provider: 'main', bucket: 'files', key: 'a' }, whenTaken: 'replace' },
    { uploadId: 'x' },
    [],
    {
      transport: {
        find: () =>
          Promise.resolve((looks += 1) === 1 ? undefined : { size: 3, version: `${etag} ${WRITTEN}`, contentType: '' }),
        complete: gone,
        arrivedParts: gone,
      },
      signal: new AbortController().signal,
      requests: pLimit(1),
    },
  );
}

it.each([`"${MD5}"`, `"${MD5}-2"`, `"${MD5.toUpperCase()}-2"`, `${MD5}-2`, MD5, `W/"${MD5}-2"`])(
  'does not take an object for the joined one whose ETag %s would have shown it to the service',
  async (etag) => {
    await expect(joinGone(etag)).rejects.toMatchObject({ code: 'not_found' });
  },
);

it.each(['"of its own form-2"', '', 'null'])(
  'takes an object for the joined one whose ETag %j tells nothing',
  joinGone,
);
