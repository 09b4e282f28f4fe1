import { describe, expect, it } from '@jest/globals';
import type { Selector } from '../../src/policy/model/resource.ts';
import type { Rule } from '../../src/policy/model/rule.ts';
import { unmatchableRules } from '../../src/policy/answers/unmatchable.ts';

const bucket: Selector = { type: 'bucket', provider: 'p', bucket: 'photos' };
const prefix: Selector = { type: 'prefix', provider: 'p', bucket: 'photos', prefix: 'a/' };

function faultsOf(actions: Rule['actions'], ...resources: Selector[]): string[] {
  const harmless: Rule = { effect: 'allow', actions: ['objects:get'], resources: [{ type: 'all' }] };
  const faults = unmatchableRules({
    name: 'test',
    source: 'config',
    rules: [harmless, { effect: 'deny', actions, resources }],
  });
  for (const { rule } of faults) expect(rule).toEqual({ policy: 'test', rule: 1 });
  return faults.map(({ message }) => message);
}

describe('unmatchableRules', () => {
  it('finds nothing where every action and every resource does something', () => {
    expect(faultsOf(['buckets:list', 'objects:get'], bucket, prefix)).toEqual([]);
    expect(faultsOf(['providers:list', 'objects:get'], { type: 'provider', provider: 'p' })).toEqual([]);
    expect(faultsOf(['buckets:create', 'providers:list'], { type: 'all' })).toEqual([]);
  });

  it('names an action that no resource of its rule covers', () => {
    expect(faultsOf(['providers:list', 'buckets:list'], bucket)).toEqual([
      '`providers:list` applies to a provider, but no resource of the rule covers one',
    ]);
  });

  it('names a resource that none of the actions is asked on', () => {
    expect(faultsOf(['buckets:list'], bucket, prefix)).toEqual([
      "the prefix `a/` covers no resource to which the rule's actions apply",
    ]);
  });

  it('says which resource it is, whatever its type', () => {
    expect(
      faultsOf(['providers:list'], { type: 'all' }, bucket, prefix, {
        type: 'object',
        provider: 'p',
        bucket: 'photos',
        key: 'a/1',
      }),
    ).toEqual([
      "the bucket `photos` covers no resource to which the rule's actions apply",
      "the prefix `a/` covers no resource to which the rule's actions apply",
      "the object `a/1` covers no resource to which the rule's actions apply",
    ]);
    expect(faultsOf([], { type: 'all' }, { type: 'provider', provider: 'p' })).toEqual([
      "the selector `all` covers no resource to which the rule's actions apply",
      "the provider `p` covers no resource to which the rule's actions apply",
    ]);
  });

  it('names bucket names, keys and prefixes that cannot be', () => {
    expect(faultsOf(['objects:get'], { type: 'bucket', provider: 'p', bucket: 'Photos' })).toEqual([
      'no request can ask for the bucket `Photos`: a bucket name holds only a-z, 0-9, `-` and `.`',
    ]);
    expect(faultsOf(['objects:get'], { type: 'object', provider: 'p', bucket: 'photos', key: '' })).toEqual([
      'no request can ask for the key ``: a key is 1 to 1024 bytes of UTF-8',
    ]);
    expect(faultsOf(['objects:get'], { ...prefix, prefix: 'x'.repeat(1025) })).toEqual([
      `no key can start with \`${'x'.repeat(60)}…\`: a key is 1 to 1024 bytes of UTF-8`,
    ]);
  });

  it('names keys with a segment `.` or `..`, unless the provider keeps them apart', () => {
    const dotted: Selector[] = [
      { type: 'object', provider: 'p', bucket: 'photos', key: 'a/../b' },
      { ...prefix, prefix: './a' },
    ];
    expect(faultsOf(['objects:get'], ...dotted)).toEqual([
      expect.stringMatching(/^no request can ask for the key `a\/\.\.\/b`: has a segment/),
      expect.stringMatching(/^no key can start with `\.\/a`: has a segment/),
    ]);
    expect(
      unmatchableRules(
        { name: 'test', source: 'config', rules: [{ effect: 'deny', actions: ['objects:get'], resources: dotted }] },
        () => 'keep',
      ),
    ).toEqual([]);
    expect(faultsOf(['objects:get'], { ...prefix, prefix: 'a/.' }, { ...prefix, prefix: '..' })).toEqual([]);
  });
});
