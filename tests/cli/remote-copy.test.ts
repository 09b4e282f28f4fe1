import { expect, it } from '@jest/globals';
import { copyRemote } from '../../src/cli/objects/remote-copy.ts';
import { ClientFailure } from '../../src/client/client-failure.ts';
import type { Connection } from '../../src/client/connection.ts';
import { SvcError } from '../../src/errors/svc-error.ts';

/** Moves an object that is gone; the first `lost` answers are lost. The target has 4 bytes and an ETag that no storage made of the content, such as with KMS. */
function move(size: number, lost: number): Promise<void> {
  const call = (method: string) => {
    if (method === 'object/head') return Promise.resolve({ size: 4, etag: 'oftarget' });
    return Promise.reject((lost -= 1) >= 0 ? new ClientFailure('', 'unreachable') : new SvcError('not_found'));
  };
  const place = { provider: 'main', bucket: 'files' };
  const task = { kind: 'copy', from: { ...place, key: 'a' }, to: { ...place, key: 'b' }, size: 0 } as const;
  return copyRemote({ call } as unknown as Connection, { ...task, known: { size, etag: 'ofsource' } }, true);
}

it('a move whose answer is lost is done where the copy has another ETag, and the same size', async () => {
  await expect(move(4, 1)).resolves.toBeUndefined();
  await expect(move(5, 1)).rejects.toMatchObject({ code: 'not_found' });
  await expect(move(4, 0)).rejects.toMatchObject({ code: 'not_found' });
});
