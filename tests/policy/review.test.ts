import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ATOMIC_ACTIONS, resourceKindOf } from '../../src/policy/model/action.ts';
import { SOMEBODY, SOME_GROUP } from '../../src/policy/answers/claims-to-tell.ts';
import { principalId } from '../../src/policy/index/principal.ts';
import { keyFault } from '../../src/policy/model/name.ts';
import type { PolicySetDefinition } from '../../src/policy/index/policy-set.ts';
import type { Region } from '../../src/policy/answers/region.ts';
import { reviewAccess, reviewedPlaces, type ReviewedLine } from '../../src/policy/answers/review.ts';
import type { Resource } from '../../src/policy/model/resource.ts';
import { interestingResources } from './arbitraries.ts';
import { bucketName, definition, heldNaively, people } from './definitions.ts';
import { coversNaively, decideNaively } from './oracle.ts';
import { workedMs } from '../support/worked.ts';

/** The whole of it takes minutes: `SVC_TEST_PAIRS=10000`. */
const DEFINITIONS = Number(process.env['SVC_TEST_PAIRS'] ?? 60);

const isIn =
  (resource: Resource) =>
  ({ selector, except }: Region) =>
    coversNaively(selector, resource) && !except.some((one) => coversNaively(one, resource));

describe('reviewAccess', () => {
  it(
    'says of every holder alone what a scan of the rules says, at every place, by one allowing line at least',
    () => {
      fc.assert(
        fc.property(definition, (given) => {
          const resources = interestingResources(given.policies)
            .map((one) => ('bucket' in one ? { ...one, bucket: bucketName(one.bucket) } : one))
            .filter((one) => one.kind !== 'object' || keyFault(one.key, 'keep') === undefined);
          const places = reviewedPlaces(
            given,
            resources.map(({ provider }) => ({ provider, names: [] })),
          );
          const lines = [...reviewAccess(given, places)];
          for (const [holder] of people.filter(({ length }) => length === 1)) {
            const { policies, isAdmin } = heldNaively(given, [holder!]);
            const own = lines.filter(
              (line) => line.kind === 'unrestricted' || principalId(line.holder) === principalId(holder!),
            );
            expect(own.some(({ kind }) => kind === 'admin')).toBe(isAdmin);
            for (const resource of resources) {
              const isListed =
                'bucket' in resource &&
                places.some(({ provider, bucket }) => provider === resource.provider && bucket === resource.bucket);
              const here = own.filter(
                (line) =>
                  line.kind !== 'admin' &&
                  line.place.provider === resource.provider &&
                  line.place.bucket === (isListed ? resource.bucket : undefined),
              ) as Exclude<ReviewedLine, { kind: 'admin' }>[];
              for (const action of ATOMIC_ACTIONS.filter((one) => resourceKindOf(one) === resource.kind)) {
                const says = here.some(
                  (line) =>
                    (line.kind === 'unrestricted' || line.effect === 'allow') &&
                    line.regions.filter(isIn(resource)).some(({ actions }) => actions.includes(action)),
                );
                if (says !== (decideNaively(policies, action, resource) === 'allowed'))
                  throw new Error(
                    `${JSON.stringify(holder)} ${action} on ${JSON.stringify(resource)}: told ${JSON.stringify(here)}`,
                  );
              }
            }
          }
        }),
        { numRuns: DEFINITIONS },
      );
    },
    30_000 + DEFINITIONS * 1_000,
  );

  const base: PolicySetDefinition = {
    policies: [],
    roles: [],
    bindings: [],
    localUsers: [],
    enabled: true,
    issuer: 'i',
  };

  it('tells folders of each person and each group, and what of them is denied', () => {
    const at = { provider: 'p', bucket: 'home' };
    const given: PolicySetDefinition = {
      ...base,
      policies: [
        {
          name: 'homes',
          source: 'config',
          rules: [
            {
              effect: 'allow',
              actions: ['objects:get'],
              resources: [
                { type: 'prefix', ...at, prefix: 'u/', each: 'subject' },
                { type: 'prefix', ...at, prefix: 'g/', each: 'group' },
              ],
            },
          ],
        },
        {
          name: 'not',
          source: 'config',
          rules: [
            {
              effect: 'deny',
              actions: ['objects:get'],
              resources: [{ type: 'prefix', ...at, prefix: 'g/staff/pay/' }],
            },
          ],
        },
      ],
      bindings: [
        { groups: ['staff'], policies: ['homes', 'not'] },
        { subjects: [{ issuer: 'i', subject: 'ada' }], policies: ['homes'] },
      ],
    };
    const told = [...reviewAccess(given, [at])].map((line) =>
      line.kind === 'rule'
        ? [
            principalId(line.holder),
            line.effect,
            ...line.regions.map(({ selector, except }) =>
              [selector, ...except].map((one) => ('prefix' in one ? one.prefix : one.type)),
            ),
          ]
        : [],
    );
    expect(told).toEqual([
      ['["staff"]', 'allow', ['g/staff/', 'g/staff/pay/'], [`g/${SOME_GROUP}/`], [`u/${SOMEBODY}/`]],
      ['["staff"]', 'deny', ['g/staff/pay/']],
      ['["i","ada"]', 'allow', [`g/${SOME_GROUP}/`], ['u/ada/']],
    ]);
  });

  it('tells a rule that a holder has twice once, with both ways, and one of which nothing is left', () => {
    const all = [{ type: 'all' as const }];
    const given: PolicySetDefinition = {
      ...base,
      policies: [
        {
          name: 'x',
          source: 'config',
          rules: [
            { effect: 'allow', actions: ['objects:get'], resources: all },
            { effect: 'deny', actions: ['objects:get'], resources: all },
          ],
        },
      ],
      roles: [{ name: 'r', policies: ['x'] }],
      bindings: [
        { groups: ['g', 'g'], policies: ['x'] },
        { groups: ['g'], role: 'r' },
      ],
    };
    const told = [...reviewAccess(given, reviewedPlaces(given, [{ provider: 'p', names: ['one'] }]))].map((line) =>
      line.kind === 'rule'
        ? [line.place.bucket, line.effect, line.regions.length, line.by.map(({ place, role }) => [place, role])]
        : [],
    );
    const ways = [
      [0, undefined],
      [1, 'r'],
    ];
    expect(told).toEqual([
      ['one', 'allow', 0, ways],
      ['one', 'deny', 1, ways],
      [undefined, 'allow', 0, ways],
      [undefined, 'deny', 1, ways],
    ]);
  });

  it('leaves out a rule whose actions are asked nowhere at a place', () => {
    const given: PolicySetDefinition = {
      ...base,
      policies: [
        {
          name: 'way',
          source: 'config',
          rules: [
            { effect: 'allow', actions: ['providers:list'], resources: [{ type: 'provider', provider: 'p' }] },
            {
              effect: 'allow',
              actions: ['buckets:list'],
              resources: [{ type: 'bucket', provider: 'p', bucket: 'one' }],
            },
          ],
        },
        {
          name: 'not',
          source: 'config',
          rules: [{ effect: 'deny', actions: ['providers:list'], resources: [{ type: 'all' }] }],
        },
      ],
      bindings: [
        { groups: ['g'], policies: ['way'] },
        { groups: ['h'], policies: ['way', 'not'] },
      ],
    };
    const told = [...reviewAccess(given, reviewedPlaces(given, []))].map((line) =>
      line.kind === 'rule'
        ? [principalId(line.holder), line.place.bucket, line.effect, ...line.regions.flatMap(({ actions }) => actions)]
        : [],
    );
    expect(told).toEqual([
      ['["g"]', 'one', 'allow', 'buckets:list'],
      ['["h"]', 'one', 'allow', 'buckets:list'],
      ['["g"]', undefined, 'allow', 'providers:list'],
      ['["h"]', undefined, 'allow'],
      ['["h"]', undefined, 'deny', 'providers:list'],
    ]);
  });

  it('holds what concerns one place at a time, and is quick where no rule is about it', () => {
    const buckets = Array.from({ length: 10_000 }, (_, i) => `bucket-${i}`);
    const given: PolicySetDefinition = {
      ...base,
      policies: [
        {
          name: 'many',
          source: 'config',
          rules: buckets.map((bucket) => ({
            effect: 'allow',
            actions: ['objects:get'],
            resources: [{ type: 'bucket', provider: 'p', bucket }],
          })),
        },
      ],
      bindings: [{ groups: Array.from({ length: 10 }, (_, i) => `g${i}`), policies: ['many'] }],
    };
    const start = workedMs();
    let lines = 0;
    for (const _ of reviewAccess(given, reviewedPlaces(given, []))) lines += 1;
    expect(lines).toBe(100_000);
    expect(workedMs() - start).toBeLessThan(10_000);
  });
});
