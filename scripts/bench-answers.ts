/** How long exact answers about policies take, beside what the policies themselves cost: compiling them, and reading them from their text. */
import { diffPolicies } from '../src/policy/answers/diff.ts';
import { compileGrants } from '../src/policy/index/grants.ts';
import type { PolicySetDefinition } from '../src/policy/index/policy-set.ts';
import type { Policy } from '../src/policy/model/rule.ts';
import { shadowedRules } from '../src/policy/answers/shadowed.ts';
import { whoMay } from '../src/policy/answers/who.ts';
import { formatTime, medians } from './bench-policy/measure.ts';
import { makeWorkload, type Layout } from './bench-policy/workload.ts';

const RULES = 10_000;
const PER_POLICY = 100;
const LIMIT_NS = 1e9;

let isReached = true;
console.log(
  '| 10,000 rules against 10,000, 100 groups | diff | superfluous rules | compiling both | parsing both as JSON | changes |\n|---|---|---|---|---|---|',
);
for (const layout of ['spread', 'hot'] as const) {
  const [before, after] = [definitionOf(layout, 0), definitionOf(layout, 97)];
  const texts = [before, after].map((one) => JSON.stringify(one));
  const timed = (work: () => unknown) => ({ run: (_: number, count: number) => Array.from({ length: count }, work) });
  const [diff, superfluous, compiling, parsing] = medians([
    timed(() => diffPolicies(before, after)),
    timed(() => shadowedRules(after)),
    timed(() => [before, after].map(({ policies }) => compileGrants(policies))),
    timed(() => texts.map((text) => JSON.parse(text) as unknown)),
  ]) as [number, number, number, number];
  console.log(
    `| ${layout} | ${[diff, superfluous, compiling, parsing].map(formatTime).join(' | ')} | ${diffPolicies(before, after).length} |`,
  );
  if (diff > LIMIT_NS || superfluous > LIMIT_NS) isReached = false;
}
const crowd = crowdOf(10_000, 50);
const question = [{ action: 'objects:get', place: { provider: 'p0', bucket: 'b0', prefix: '' } }] as const;
const began = performance.now();
whoMay(crowd, question, { from: 0, limit: 200 });
const first = (performance.now() - began) * 1e6;
const [again] = medians([
  {
    run: (_: number, count: number) =>
      Array.from({ length: count }, () => whoMay(crowd, question, { from: 0, limit: 200 })),
  },
]) as [number];
console.log(
  `\n10,000 people with 50 policies each, 200 of them named: ${formatTime(first)} the first time, ${formatTime(again)} again`,
);
if (first > LIMIT_NS) isReached = false;

console.log(
  `\n${isReached ? 'reached    ' : 'NOT REACHED'}  a diff of 10,000 rules against 10,000, the superfluous ones of 10,000, and the first question who may (each at most ${formatTime(LIMIT_NS)})`,
);
if (!isReached) process.exitCode = 1;

/** A hundred groups with a policy each. Of every `turned` rules one has the other effect; 0 for none. */
function definitionOf(layout: Layout, turned: number): PolicySetDefinition & { readonly policies: readonly Policy[] } {
  const { rules } = makeWorkload(layout, RULES).policy;
  const written = rules.map((rule, i) =>
    turned > 0 && i % turned === 0 ? ({ ...rule, effect: rule.effect === 'deny' ? 'allow' : 'deny' } as const) : rule,
  );
  const policies = Array.from({ length: RULES / PER_POLICY }, (_, i): Policy => ({
    name: `policy-${i}`,
    source: 'config',
    rules: written.slice(i * PER_POLICY, (i + 1) * PER_POLICY),
  }));
  return {
    policies,
    roles: [],
    bindings: policies.map(({ name }, i) => ({ groups: [`group-${i}`], policies: [name] })),
    localUsers: [],
    enabled: true,
  };
}

/** Everybody holds every policy, by bindings of their own. */
function crowdOf(people: number, policies: number): PolicySetDefinition {
  const rules: Policy['rules'] = [{ effect: 'allow', actions: ['objects:get'], resources: [{ type: 'all' }] }];
  const named = Array.from({ length: policies }, (_, i): Policy => ({ name: `policy-${i}`, source: 'config', rules }));
  const bindings = Array.from({ length: people }, (_, i) => ({
    subjects: [{ issuer: 'https://login.example.com', subject: `person-${i}` }],
    policies: named.map(({ name }) => name),
  }));
  return { policies: named, roles: [], bindings, localUsers: [], enabled: true };
}
