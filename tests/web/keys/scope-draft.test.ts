import { describe, expect, it } from '@jest/globals';
import type { Scope } from '../../../src/web/admin/key-kinds.ts';
import { draftsOf, faultOfDraft, newDraft, scopeOf } from '../../../src/web/keys/scope-draft.ts';

describe('draftsOf and scopeOf', () => {
  it('give back the scope, with one resource to a rule and each action by its own name', () => {
    const scope: Scope = {
      rules: [
        { actions: ['objects:read'], resources: [{ type: 'all' }, { type: 'provider', provider: 'main' }] },
        { actions: ['objects:write'], resources: [{ type: 'prefix', provider: 'main', bucket: 'team', prefix: '' }] },
        { actions: ['objects:get'], resources: [{ type: 'object', provider: 'main', bucket: 'team', key: '/a' }] },
      ],
    };
    expect(scopeOf(draftsOf(scope))).toEqual({
      rules: scope.rules.flatMap(({ actions, resources }) =>
        resources.map((resource) => ({
          actions: actions.flatMap((name) => (name === 'objects:read' ? ['objects:list', 'objects:get'] : [name])),
          resources: [resource],
        })),
      ),
    });
  });

  it('leaves out the fields that the type does not use', () => {
    const draft = {
      ...newDraft(),
      actions: ['objects:get' as const],
      type: 'all' as const,
      provider: 'main',
      bucket: 'team',
      path: 'x',
    };
    expect(scopeOf([draft])).toEqual({ rules: [{ actions: ['objects:get'], resources: [{ type: 'all' }] }] });
  });
});

describe('faultOfDraft', () => {
  const complete = { ...newDraft(), actions: ['objects:get' as const], provider: 'main', bucket: 'team' };

  it.each([
    [complete, undefined],
    [{ ...complete, actions: [] }, 'Choose at least one action.'],
    [{ ...complete, provider: '' }, 'Name the provider.'],
    [{ ...complete, bucket: '' }, 'Name the bucket.'],
    [{ ...complete, type: 'prefix' as const }, undefined],
    [{ ...complete, type: 'object' as const }, 'Name the key.'],
  ])('of %j is %j', (draft, fault) => {
    expect(faultOfDraft(draft)).toBe(fault);
  });
});
