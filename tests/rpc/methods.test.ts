import { expect, it } from '@jest/globals';
import type { Services } from '../../src/operation/services.ts';
import { rpcMethods } from '../../src/rpc/methods.ts';
import { RPC_METHODS } from '../../src/wire/rpc.ts';

it('rpcMethods in `src/rpc/methods.ts` has an operation for each method that clients know, and no other', () => {
  const methods = rpcMethods({ apiKeys: {}, s3Keys: {} } as Services);
  expect([...methods.keys()].sort()).toEqual([...RPC_METHODS].sort());
});
