import { describe, expect, it } from '@jest/globals';
import { scopeRules, type KeyScope } from '../../src/policy/model/key-scope.ts';
import { checkScope } from '../../src/key/scope.ts';

const ALL = { type: 'all' } as const;

describe('scopeRules', () => {
  it('gives rules that allow the atomic actions, each once', () => {
    const scope: KeyScope = {
      rules: [{ actions: ['objects:read', 'objects:get', 'buckets:create'], resources: [ALL] }],
    };
    expect(scopeRules(scope)).toEqual([
      { effect: 'allow', actions: ['objects:list', 'objects:get', 'buckets:create'], resources: [ALL] },
    ]);
  });
});

describe('checkScope', () => {
  it('takes every selector', () => {
    const resources = [
      ALL,
      { type: 'provider', provider: 'p' },
      { type: 'bucket', provider: 'p', bucket: 'b' },
      { type: 'prefix', provider: 'p', bucket: 'b', prefix: 'ä /%2F' },
      { type: 'object', provider: 'p', bucket: 'b', key: '//x' },
    ] as const;
    expect(() => checkScope({ rules: [{ actions: ['objects:get'], resources }] })).not.toThrow();
  });

  it.each([
    ['rules', { rules: [] }],
    ['rules', { rules: Array.from({ length: 101 }, () => ({ actions: ['objects:get'], resources: [ALL] })) }],
    ['rules.0.actions', { rules: [{ actions: [], resources: [ALL] }] }],
    ['rules.0.actions.1', { rules: [{ actions: ['objects:get', 'objects:steal'], resources: [ALL] }] }],
    ['rules.0.actions.0', { rules: [{ actions: ['*'], resources: [ALL] }] }],
    ['rules.0.actions.0', { rules: [{ actions: ['constructor'], resources: [ALL] }] }],
    ['rules.0.resources', { rules: [{ actions: ['objects:get'], resources: [] }] }],
    ['rules.0.resources.0.type', { rules: [{ actions: ['objects:get'], resources: [{ type: 'everything' }] }] }],
    ['rules.0.resources.0.type', { rules: [{ actions: ['objects:get'], resources: [{ type: 'toString' }] }] }],
    [
      'rules.0.resources.0.bucket',
      { rules: [{ actions: ['objects:get'], resources: [{ type: 'bucket', provider: 'p' }] }] },
    ],
    [
      'rules.0.resources.0.bucket',
      { rules: [{ actions: ['objects:get'], resources: [{ type: 'bucket', provider: 'p', bucket: 'logs-*' }] }] },
    ],
    [
      'rules.0.resources.0.prefix',
      {
        rules: [{ actions: ['objects:get'], resources: [{ type: 'prefix', provider: 'p', bucket: 'b', prefix: '' }] }],
      },
    ],
  ])('refuses a fault at scope.%s', (path, scope) => {
    expect(() => checkScope(scope as unknown as KeyScope)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        members: { errors: [{ path: `scope.${path}`, message: expect.any(String) }] },
      }),
    );
  });

  const rules = (count: number, resources: number) =>
    Array.from({ length: count }, () => ({
      actions: ['objects:get'],
      resources: Array.from({ length: resources }, () => ALL),
    }));

  it('takes 100 rules and 1,000 resources, and looks no further than that', () => {
    expect(() => checkScope({ rules: rules(100, 1) } as unknown as KeyScope)).not.toThrow();
    expect(() => checkScope({ rules: rules(1, 1_000) } as unknown as KeyScope)).not.toThrow();
    const wrongAfterTheLast = [
      { path: 'scope.rules', rules: [...rules(100, 1), { actions: [], resources: [] }] },
      {
        path: 'scope.rules.0.resources',
        rules: [{ actions: ['objects:get'], resources: [...rules(1, 1_000)[0]!.resources, { type: 'everything' }] }],
      },
    ];
    for (const { path, rules } of wrongAfterTheLast) {
      expect(() => checkScope({ rules } as unknown as KeyScope)).toThrow(
        expect.objectContaining({ members: { errors: [{ path, message: expect.stringMatching(/^name at most/) }] } }),
      );
    }
  });

  it('names every fault at once', () => {
    const scope = {
      rules: [
        { actions: [], resources: [] },
        { actions: ['nothing'], resources: [{ type: 'bucket', provider: '*', bucket: '' }] },
      ],
    };
    expect(() => checkScope(scope as unknown as KeyScope)).toThrow(
      expect.objectContaining({
        members: {
          errors: ['0.actions', '0.resources', '1.actions.0', '1.resources.0.provider', '1.resources.0.bucket'].map(
            (path): unknown => expect.objectContaining({ path: `scope.rules.${path}` }),
          ),
        },
      }),
    );
  });
});
