import { afterEach, expect, it } from '@jest/globals';
import { LivePolicies } from '../../src/access/live-policies.ts';
import { Targets } from '../../src/access/target.ts';
import { whoMayDo } from '../../src/operation/who.ts';
import type { Identity } from '../../src/policy/model/identity.ts';

const KEYS = 1_000;
const key = {
  id: 'k',
  description: '',
  scope: { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] },
  expiresAt: null,
  createdAt: 0,
  creator: { issuer: 'https://id.example', subject: 'ada', groups: [], name: 'Ada' },
} as const;

let isOver = false;
let turn = 0;
const count = (): void => {
  turn += 1;
  if (!isOver) setImmediate(count);
};
afterEach(() => void (isOver = true));

it('asks what each key may in a turn of its own, because scopes can be long, and once for all actions', async () => {
  const turns: number[] = [];
  const policies = new (class extends LivePolicies {
    override grantsFor(identity: Identity) {
      turns.push(turn);
      return super.grantsFor(identity);
    }
  })({ policies: [], bindings: [], localUsers: [], roles: [] } as never);
  const apiKeys = { unexpired: () => Array.from({ length: KEYS }, () => key) };
  const input = { action: 'objects:read', provider: 'main', bucket: 'files', key: 'x' };
  count();
  await whoMayDo.run({ input, services: { apiKeys, policies, targets: new Targets(() => 'keep') } } as never);
  expect(turns).toHaveLength(KEYS);
  expect(new Set(turns).size).toBe(KEYS);
});
