import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dump } from 'js-yaml';
import { loadPolicy } from '../../../src/config/load.ts';
import { policyEdits } from '../../../src/config/edit/policy-patch.ts';
import { unifiedDiff } from '../../../src/config/edit/unified-diff.ts';
import { editYaml, type Cut } from '../../../src/config/edit/yaml-edit.ts';
import { applyNarrowings, narrowingOf } from '../../../src/policy/answers/narrowing.ts';
import type { PolicySetDefinition } from '../../../src/policy/index/policy-set.ts';
import type { WrittenRule } from '../../../src/policy/model/rule.ts';
import { objectResource } from '../../../src/policy/model/resource.ts';
import { Usage, type Use } from '../../../src/policy/answers/usage.ts';
import { definition as anyDefinition } from '../../policy/definitions.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-patch-'));
const FILE = join(folder, 'svc.yaml');
afterAll(() => rmSync(folder, { recursive: true }));

const HEAD = {
  auth: { public_origin: 'https://files.example.com', oidc: { issuer: 'https://login.example.com', client_id: 'svc' } },
  providers: ['p', 'P', 'main', 'other'].map((name) => ({ name, endpoint: 'https://s3.example.com' })),
};

function compiled(source: string): {
  readonly definition: PolicySetDefinition;
  readonly pathOf: (rule: { readonly policy: string; readonly rule: number }) => string;
} {
  const { policy, lines, faults } = loadPolicy({
    file: FILE,
    instead: new Map([[FILE, source]]),
    env: { BUCKET: 'photos' },
  });
  if (faults !== undefined) throw new Error(JSON.stringify(faults));
  return { definition: policy, pathOf: (rule) => lines.ofRule(rule)!.path };
}

/** The edits that make the rules as narrow as these uses, and what has to come out. */
function edited(
  source: string,
  uses: readonly Omit<Use, 'person' | 'time' | 'counts'>[],
): { readonly cuts: readonly Cut[]; readonly after: string; readonly meant: PolicySetDefinition } {
  const { definition, pathOf } = compiled(source);
  const usage = new Usage(definition);
  for (const use of uses)
    usage.take({ ...use, person: { issuer: 'https://login.example.com', subject: 's1' }, time: 1, counts: true });
  const narrowings = usage.rules().flatMap((rule) => {
    const narrowing = narrowingOf(rule, true);
    return narrowing === undefined ? [] : [{ ...narrowing, written: rule.written, path: pathOf(rule.rule) }];
  });
  const { text, cuts } = editYaml(source, policyEdits(source, narrowings));
  return { cuts, after: text, meant: applyNarrowings(definition, narrowings) };
}

/** The order of rules decides nothing. */
function unordered({ policies, ...rest }: PolicySetDefinition): unknown {
  const placed = (rules: readonly WrittenRule[]) =>
    rules
      .map(({ actions, resources, effect }) =>
        JSON.stringify([effect, actions, resources.map((selector) => Object.entries(selector).sort())]),
      )
      .sort();
  return { ...rest, policies: policies.map((policy) => ({ ...policy, rules: placed(policy.rules) })) };
}

/** Both tools, each on a copy. */
function applied(source: string, cuts: readonly Cut[], name = 'svc.yaml'): string[] {
  const patch = unifiedDiff(name, source, cuts);
  return [
    ['git', 'apply', '--whitespace=nowarn'],
    ['patch', '-p1', '-s', '--binary'],
  ].map(([tool, ...args]) => {
    writeFileSync(join(folder, name), source);
    execFileSync(tool!, args, { cwd: folder, input: patch });
    return readFileSync(join(folder, name), 'utf8');
  });
}

const photos = (action: Use['action'], key: string, rule?: Use['rule']) => ({
  action,
  on: objectResource('main', 'photos', key),
  rule,
});

describe('policyEdits', () => {
  it('makes the definition that was meant, in every style of YAML, and a patch that git and patch take', () => {
    let [patched, rounds] = [0, 0];
    fc.assert(
      fc.property(
        anyDefinition,
        fc.array(
          fc.record({
            policy: fc.constantFrom('one', 'two', 'three'),
            rule: fc.nat(3),
            action: fc.nat(),
            tail: fc.constantFrom('a/x', 'a/b/x', 'a: b/#x', "$q/'x", '\u0085/x', 'true', '😀/x', '\u202e\u0007/x'),
          }),
          { maxLength: 6 },
        ),
        fc.record({
          flowLevel: fc.constantFrom(-1, 2, 3, 4, 5, 6),
          isCompact: fc.boolean(),
          hasComments: fc.boolean(),
          isWindows: fc.boolean(),
          isOpen: fc.boolean(),
        }),
        (one, picks, { flowLevel, isCompact, hasComments, isWindows, isOpen }) => {
          const document = (policy: PolicySetDefinition['policies'][number]) => ({
            version: 1,
            name: policy.name,
            rules: policy.rules
              .map((rule) => ({
                ...rule,
                resources: rule.resources.filter((selector) => !('key' in selector) || selector.key !== ''),
              }))
              .filter(({ resources }) => resources.length > 0),
          });
          const given = {
            ...HEAD,
            bindings: [{ groups: ['g'], policies: ['one', 'two', 'three'] }],
            policies: one.policies.map(document),
          };
          let source = dump(given, { flowLevel, seqNoIndent: isCompact, lineWidth: 60, noRefs: true });
          if (hasComments && flowLevel === -1)
            source = source
              .replaceAll(/^( *)- (effect|type)/gm, '$1# about it\n$1- $2')
              .replaceAll(/^( *actions:)$/gm, '$1 # what');
          if (isWindows) source = source.replaceAll('\n', '\r\n');
          if (isOpen) source = source.trimEnd();
          const { definition } = compiled(source);
          const uses = picks.flatMap(({ policy, rule, action, tail }) => {
            const written = definition.policies.find(({ name }) => name === policy)!.rules[rule];
            const [selector] = written?.resources ?? [];
            const [provider, bucket] =
              selector === undefined
                ? []
                : ['provider' in selector ? selector.provider : 'p', 'bucket' in selector ? selector.bucket : 'bucket'];
            return written === undefined || selector === undefined
              ? []
              : [
                  {
                    action: written.actions[action % written.actions.length]!,
                    on: objectResource(
                      provider!,
                      bucket!,
                      'key' in selector ? selector.key : `${'prefix' in selector ? selector.prefix : ''}${tail}`,
                    ),
                    rule: { policy, rule },
                  },
                ];
          });
          const { cuts, after, meant } = edited(source, uses);
          expect(unordered(compiled(after).definition)).toEqual(unordered(meant));
          rounds++;
          if (cuts.length === 0) return;
          patched++;
          if (rounds % 10 === 0) expect(applied(source, cuts)).toEqual([after, after]);
        },
      ),
      { numRuns: Number(process.env['SVC_TEST_PATCHES'] ?? 300) },
    );
    expect(patched).toBeGreaterThan(100);
  });

  it('keeps comments, layout and references', () => {
    const source = `auth: {public_origin: https://files.example.com, oidc: {issuer: https://login.example.com, client_id: svc}}
providers: [{name: main, endpoint: https://s3.example.com}]
bindings: [{groups: [g], policies: [team, flow]}]   # everybody

policies:
  # What the team has.
  - version: 1
    name: team
    rules:
      # It looks around.
      - effect: allow
        actions: [objects:list]   # names alone
        resources: [{type: all}]

      # Nobody does this.
      - effect: allow
        actions:
          - objects:delete
        resources: [{type: all}]
      # Work: reading and writing.
      - effect: allow
        actions:
          # long ago
          - objects:presign
          - objects:read   # both
          - objects:write
        resources:
          - {type: prefix, provider: main, bucket: "\${BUCKET}", prefix: 'team/'}   # ours
          # theirs
          - type: bucket
            provider: main
            bucket: papers

  - {version: 1, name: flow, rules: [{effect: allow, actions: [buckets:read, objects:get, objects:write, objects:delete], resources: [{type: bucket, provider: main, bucket: photos}]}, {effect: allow, actions: [objects:write], resources: [{type: all}]}]}
`;
    const { cuts, after, meant } = edited(source, [
      photos('objects:get', 'team/a/x', { policy: 'team', rule: 2 }),
      photos('objects:get', 'team/a/b/y', { policy: 'team', rule: 2 }),
      photos('objects:get', 'z/x', { policy: 'flow', rule: 0 }),
    ]);
    expect(unordered(compiled(after).definition)).toEqual(unordered(meant));
    expect(unifiedDiff('svc.yaml', source, cuts)).toBe(`--- a/svc.yaml
+++ b/svc.yaml
@@ -13,22 +13,17 @@
         resources: [{type: all}]
 
       # Nobody does this.
-      - effect: allow
-        actions:
-          - objects:delete
-        resources: [{type: all}]
       # Work: reading and writing.
       - effect: allow
         actions:
           # long ago
-          - objects:presign
-          - objects:read   # both
+          - objects:list   # both
-          - objects:write
         resources:
           - {type: prefix, provider: main, bucket: "\${BUCKET}", prefix: 'team/'}   # ours
           # theirs
           - type: bucket
             provider: main
             bucket: papers
+      - { effect: allow, actions: [objects:get], resources: [{ type: prefix, provider: main, bucket: "\${BUCKET}", prefix: team/a/ }] }
 
-  - {version: 1, name: flow, rules: [{effect: allow, actions: [buckets:read, objects:get, objects:write, objects:delete], resources: [{type: bucket, provider: main, bucket: photos}]}, {effect: allow, actions: [objects:write], resources: [{type: all}]}]}
+  - {version: 1, name: flow, rules: [{effect: allow, actions: [buckets:read], resources: [{type: bucket, provider: main, bucket: photos}]}, { effect: allow, actions: [objects:get], resources: [{ type: prefix, provider: main, bucket: photos, prefix: z/ }] }]}
`);
    for (const name of ['svc.yaml', 'our own.yaml']) expect(applied(source, cuts, name)).toEqual([after, after]);
  });
});
