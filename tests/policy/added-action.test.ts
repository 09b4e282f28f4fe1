import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ATOMIC_ACTIONS, type AtomicAction } from '../../src/policy/model/action.ts';
import * as beneathNow from '../../src/policy/listing/beneath.ts';
import * as decideNow from '../../src/policy/index/decide.ts';
import * as grantsNow from '../../src/policy/index/grants.ts';
import { interestingResources, policies } from './arbitraries.ts';

const SOURCE = new URL('../../src/policy', import.meta.url).pathname;
const LAST = "  'objects:purge',\n] as const;";

/** The policy core as it would be with one more action behind all others, which is none on objects. */
let directory: string;
let beneathThen: typeof beneathNow;
let decideThen: typeof decideNow;
let grantsThen: typeof grantsNow;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'svc-policy-'));
  cpSync(SOURCE, directory, { recursive: true });
  const file = join(directory, 'model/action.ts');
  const text = readFileSync(file, 'utf8');
  if (!text.includes(LAST)) throw new Error('the list of actions ends otherwise: change this test');
  writeFileSync(file, text.replace(LAST, "  'objects:purge',\n  'buckets:tag',\n] as const;"));
  beneathThen = (await import(join(directory, 'listing/beneath.ts'))) as typeof beneathNow;
  decideThen = (await import(join(directory, 'index/decide.ts'))) as typeof decideNow;
  grantsThen = (await import(join(directory, 'index/grants.ts'))) as typeof grantsNow;
});
afterAll(() => rmSync(directory, { recursive: true }));

describe('an action that is added last', () => {
  it('changes no decision on the others', () => {
    fc.assert(
      fc.property(policies, (given) => {
        const [now, then] = [grantsNow.compileGrants(given), grantsThen.compileGrants(given)];
        for (const resource of interestingResources(given)) {
          for (const action of ATOMIC_ACTIONS) {
            const [before, after] = [
              decideNow.decide(now, action, resource).reason,
              decideThen.decide(then, action, resource).reason,
            ];
            if (before !== after)
              throw new Error(`${action} on ${JSON.stringify(resource)}: ${before} became ${after}`);
          }
        }
      }),
    );
  });

  it('is not allowed on keys, where nobody asks about buckets', () => {
    const rule = {
      effect: 'allow',
      actions: ['objects:get', 'buckets:tag' as AtomicAction],
      resources: [{ type: 'prefix', provider: 'p', bucket: 'b', prefix: 'a' }],
    } as const;
    const [now, then] = [grantsNow, grantsThen].map(({ compileGrants }) =>
      compileGrants([{ name: 'test', source: 'config', rules: [rule] }]),
    );
    const scope = { provider: 'p', bucket: 'b', key: 'a/b' };
    expect(beneathThen.allowedBeneath(then!, scope)).toBe(beneathNow.allowedBeneath(now!, scope));
  });
});
