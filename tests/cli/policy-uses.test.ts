import { expect, it } from '@jest/globals';
import { ACTION_OF_ALL_KEYS, usesIn } from '../../src/cli/policy/policy-uses.ts';
import type { AuditLine } from '../../src/cli/terminal/edge.ts';
import { archiveObjects } from '../../src/operation/transfers.ts';
import type { AnyOperation } from '../../src/operation/operation.ts';
import { isUseRecorded } from '../../src/policy/answers/narrowing.ts';
import type { Services } from '../../src/operation/services.ts';
import { rpcMethods } from '../../src/rpc/methods.ts';

const line = (operation: string, place: object): AuditLine =>
  ({
    kind: 'outcome',
    operation,
    time: '2026-05-01T12:00:00Z',
    issuer: 'https://login.example',
    subject: 'ada',
    resources: [{ provider: 'main', bucket: 'files', outcome: 'done', ...place }],
  }) as unknown as AuditLine;

it('every operation that asks about all keys of a place is a use of its action, but for listings', () => {
  const operations: readonly AnyOperation[] = [...rpcMethods({} as Services).values(), archiveObjects];
  const each = operations.flatMap(({ name, access }) =>
    access.kind === 'policy' && access.each !== undefined && isUseRecorded(access.each, true)
      ? [[name, access.each] as const]
      : [],
  );
  // A bulk deletion names each object.
  const others = each.filter(([name]) => name !== 'object/delete');
  expect(new Map([...others, ['object/search', 'objects:get']])).toEqual(ACTION_OF_ALL_KEYS);
});

it.each([
  ['a bucket', {}, ''],
  ['a folder', { prefix: 'a/' }, 'a/'],
])('a look at the versions in %s is a use of them all', (_what, place, prefix) => {
  expect(usesIn(line('object/listVersions', place), 'r')).toMatchObject([
    { action: 'objects:versions', on: { provider: 'main', bucket: 'files', prefix } },
  ]);
  expect(usesIn(line('object/list', place), 'r')).toEqual([]);
});
