import { decide } from '../../src/policy/index/decide.ts';
import { compileGrants } from '../../src/policy/index/grants.ts';
import { keyFilter } from '../../src/policy/listing/key-filter.ts';
import { permissionList } from '../../src/policy/listing/permission-list.ts';
import { PolicySet } from '../../src/policy/index/policy-set.ts';
import { formatTime, medians, type Timed } from './measure.ts';
import type { Workload } from './workload.ts';

/** A figure to reach, and what was measured. */
export type Figure = {
  readonly name: string;
  readonly value: string;
  readonly limit: string;
  readonly reached: boolean;
};

/** What our engine has to reach by itself, measured side by side. */
export function ownFigures(workloads: readonly Workload[]): Figure[] {
  const named = (name: string) => workloads.find((workload) => workload.name === name)!;
  const spread = named('spread 10,000');
  const hot = named('hot 10,000');

  const [spread10, spread10k, hot10, hot10k, list, filter, compileSpread, compileHot, holding10, holding10k] = medians([
    deciding(named('spread 10')),
    deciding(spread),
    deciding(named('hot 10')),
    deciding(hot),
    listing(spread),
    filtering(hot),
    compiling(spread),
    compiling(hot),
    holding(10),
    holding(10_000),
  ]) as [number, number, number, number, number, number, number, number, number, number];

  return [
    atMost('a decision, 10,000 rules against 10, spread', spread10k / spread10, 2.5, times),
    atMost('a decision, 10,000 rules against 10, one bucket', hot10k / hot10, 2.5, times),
    atMost("a bucket's permission list, in decisions", list / spread10k, 3, times),
    atMost('filtering 1,000 keys, 10,000 rules in their bucket', filter, 1e6, formatTime),
    atMost('compiling 10,000 rules, spread', compileSpread, 100e6, formatTime),
    atMost('compiling 10,000 rules, one bucket', compileHot, 100e6, formatTime),
    atMost(
      'what a session of a store holds, 10,000 policies and bindings against 10',
      holding10k / holding10,
      1.2,
      times,
    ),
  ];
}

const times = (value: number) => `${value.toFixed(2)}x`;

function atMost(name: string, value: number, limit: number, format: (value: number) => string): Figure {
  return { name, value: format(value), limit: `at most ${format(limit)}`, reached: value <= limit };
}

function deciding({ policy, requests }: Workload): Timed {
  const grants = compileGrants([policy]);
  return {
    run(from, count) {
      let allowed = 0;
      for (let i = from; i < from + count; i++) {
        const { action, resource } = requests[i % requests.length]!;
        if (decide(grants, action, resource).allowed) allowed++;
      }
      return allowed;
    },
  };
}

function listing({ policy, requests }: Workload): Timed {
  const grants = compileGrants([policy]);
  const scopes = requests.map(({ resource: { provider, bucket } }) => ({ provider, bucket }));
  return {
    run(from, count) {
      for (let i = from; i < from + count; i++) permissionList(grants, scopes[i % scopes.length]!);
    },
  };
}

function filtering({ policy, requests }: Workload): Timed {
  const grants = compileGrants([policy]);
  const { provider, bucket } = requests[0]!.resource;
  const keys = requests.slice(0, 1000).map(({ resource }) => resource.key);
  return {
    run(_, count) {
      for (let i = 0; i < count; i++) keys.filter(keyFilter(grants, 'objects:list', { provider, bucket }));
    },
  };
}

function compiling({ policy }: Workload): Timed {
  return {
    run(_, count) {
      for (let i = 0; i < count; i++) compileGrants([policy]);
    },
  };
}

/** A session that comes from a store is an identity of its own at each request. */
function holding(count: number): Timed {
  const policies = Array.from({ length: count }, (_, i) => ({ name: `p${i}`, source: 'config' as const, rules: [] }));
  const bindings = policies.map(({ name }, i) => ({ groups: [`g${i}`], policies: [name] }));
  const set = new PolicySet({ policies, roles: [], bindings, localUsers: [], enabled: true });
  return {
    run(from, times) {
      let held = 0;
      for (let i = from; i < from + times; i++)
        held += set.grantsFor({
          issuer: 'https://idp.example',
          subject: `s${i}`,
          groups: ['everybody', `g${i % 10}`, `g${(i + 1) % 10}`],
        }).policies.length;
      return held;
    },
  };
}
