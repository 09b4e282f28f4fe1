import { describe, expect, it } from '@jest/globals';
import { BUILT_IN_POLICIES } from '../../src/policy/model/builtin.ts';
import type { Policy, Rule } from '../../src/policy/model/rule.ts';
import { unfindableObjects } from '../../src/policy/answers/unfindable.ts';

const inCampaigns = { type: 'prefix', provider: 'main', bucket: 'media', prefix: 'campaigns/' } as const;
const policy = (name: string, ...rules: Rule[]): Policy => ({ name, source: 'config', rules });
const write = policy('write', { effect: 'allow', actions: ['objects:write'], resources: [inCampaigns] });
const seeMain = policy('see-main', {
  effect: 'allow',
  actions: ['providers:list'],
  resources: [{ type: 'provider', provider: 'main' }],
});
const seeMedia = policy('see-media', {
  effect: 'allow',
  actions: ['buckets:list'],
  resources: [{ type: 'bucket', provider: 'main', bucket: 'media' }],
});
const none = policy('none', { effect: 'deny', actions: ['objects:write'], resources: [{ type: 'all' }] });

const find = (...bindings: string[][]) =>
  unfindableObjects(
    {
      policies: [...BUILT_IN_POLICIES, write, seeMain, seeMedia, none],
      roles: [],
      bindings: bindings.map((policies) => ({ groups: ['g'], policies })),
    },
    ['main', 'other'],
  );

describe('unfindableObjects', () => {
  it('names the provider and the bucket that a binding does not show', () => {
    expect(find(['write'])).toEqual([
      { policies: ['write'], missing: 'providers:list', place: 'main' },
      { policies: ['write'], missing: 'buckets:list', place: 'main/media' },
    ]);
    expect(find(['write', 'see-main'])).toEqual([
      { policies: ['write', 'see-main'], missing: 'buckets:list', place: 'main/media' },
    ]);
  });

  it('takes the policies of a binding together, and says the same once', () => {
    expect(find(['write', 'see-main', 'see-media'], ['default-viewer', 'write'], ['default-admin'])).toEqual([]);
    expect(find(['write'], ['write'])).toHaveLength(2);
  });

  it('asks for every provider where a rule means all', () => {
    expect(find(['default-write']).map(({ place }) => place)).toEqual(['main', 'main', 'other', 'other']);
  });

  it('finds nothing where nothing is allowed, or what it allows is denied', () => {
    expect(find([], ['see-main'], ['write', 'none'])).toEqual([]);
  });

  it('looks into roles', () => {
    const definition = {
      policies: [write],
      roles: [{ name: 'writer', policies: ['write'] }],
      bindings: [{ groups: ['g'], role: 'writer' }],
    };
    expect(unfindableObjects(definition, ['main'])).toHaveLength(2);
  });
});
