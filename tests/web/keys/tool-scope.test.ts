import { describe, expect, it } from '@jest/globals';
import { placeOfTool, scopeOfTool } from '../../../src/web/keys/tool-scope.ts';

const FILES = { provider: 'main', bucket: 'files', prefix: '' };

describe('the scope of the key of a tool', () => {
  it('reads, and nothing else, unless it may write', () => {
    expect(scopeOfTool(FILES, 'read').rules[0]!.actions).toEqual(['buckets:list', 'objects:list', 'objects:get']);
    expect(scopeOfTool(FILES, 'write').rules[0]!.actions).toEqual([
      'buckets:list',
      'objects:list',
      'objects:get',
      'objects:write',
      'objects:delete',
    ]);
  });

  it('is for the provider, the bucket or the folder, and not for another folder that begins so', () => {
    expect(scopeOfTool({ ...FILES, bucket: '' }, 'read').rules.map(({ resources }) => resources)).toEqual([
      [{ type: 'provider', provider: 'main' }],
    ]);
    expect(scopeOfTool(FILES, 'read').rules.map(({ resources }) => resources)).toEqual([
      [{ type: 'bucket', provider: 'main', bucket: 'files' }],
    ]);
    expect(scopeOfTool({ ...FILES, prefix: 'a/b' }, 'write').rules).toEqual([
      { actions: ['buckets:list'], resources: [{ type: 'bucket', provider: 'main', bucket: 'files' }] },
      {
        actions: ['objects:list', 'objects:get', 'objects:write', 'objects:delete'],
        resources: [{ type: 'prefix', provider: 'main', bucket: 'files', prefix: 'a/b/' }],
      },
    ]);
  });

  it('says for which place it is', () => {
    for (const prefix of ['', 'a/'])
      expect(placeOfTool(scopeOfTool({ ...FILES, prefix }, 'read'))).toMatchObject({ bucket: 'files', prefix });
    expect(placeOfTool(scopeOfTool({ ...FILES, bucket: '' }, 'read'))).toEqual({ bucket: '', prefix: '' });
  });
});
