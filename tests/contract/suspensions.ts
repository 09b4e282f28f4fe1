import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiKeys } from '../../src/apikey/api-keys.ts';
import type { Keys } from '../../src/key/keys.ts';
import type { KeyActor } from '../../src/key/keys.ts';
import type { Suspensions } from '../../src/key/suspensions.ts';
import { everythingAt } from '../../src/key/scope.ts';
import type { S3Keys } from '../../src/s3key/s3-keys.ts';
import type { Clock } from '../support/clock.ts';

/** The suspensions of a process, and its keys of both kinds. */
export type Process = {
  readonly suspensions: Suspensions;
  readonly apiKeys: ApiKeys;
  readonly s3Keys: S3Keys;
};

export type OpenSuspensions = {
  readonly clock: Clock;
  readonly here: Process;
  /** Another process on the same database. */
  readonly elsewhere: () => Promise<Process>;
  /** A change of another process counts after so many milliseconds. */
  readonly toldWithinMs: number;
  readonly close: () => Promise<void>;
};

const ADA: KeyActor = {
  identity: { issuer: 'https://id.example', subject: 'ada', groups: [] },
  name: 'ADA',
  isAdmin: false,
};
const ada = { issuer: 'https://id.example', subject: 'ada' };
const BOB: KeyActor = { ...ADA, identity: { ...ADA.identity, subject: 'bob' } };

const request = { description: 'x', provider: 'main', scope: everythingAt('main'), expiresAt: null };

/** What suspensions do on every state database. */
export function suspensionsContract(name: string, openSuspensions: () => Promise<OpenSuspensions>): void {
  describe(name, () => {
    let open: OpenSuspensions;
    let elsewhere: Process;
    const make = async ({ apiKeys, s3Keys }: Process, actor: KeyActor) => [
      (await apiKeys.create({ ...request, description: 'y' }, actor)).key.id,
      (await s3Keys.create(request, actor)).key.id,
    ];
    const active = async ({ apiKeys, s3Keys }: Process, [api = '', s3 = '']: readonly string[]) => [
      (await apiKeys.find(api)) !== undefined,
      (await s3Keys.find(s3)) !== undefined,
    ];

    beforeEach(async () => {
      open = await openSuspensions();
      elsewhere = await open.elsewhere();
    });
    afterEach(() => open.close());

    it('make the keys of a person rest, of both kinds, here and elsewhere, and wake them', async () => {
      const { here } = open;
      const [theirs, bobs] = [await make(here, ADA), await make(here, BOB)];
      const see = () => Promise.all([here, elsewhere].map((each) => active(each, theirs)));
      const all = (is: boolean) => [
        [is, is],
        [is, is],
      ];
      expect(await see()).toEqual(all(true));
      await here.suspensions.suspend(ada);
      await wait(open.toldWithinMs);
      expect(await see()).toEqual(all(false));
      expect(await active(elsewhere, bobs)).toEqual([true, true]);
      expect((await here.s3Keys.list(ADA)).map(({ id }) => id)).toEqual([theirs[1]]);
      expect(await here.suspensions.resume(ada)).toBe(true);
      await wait(open.toldWithinMs);
      expect(await see()).toEqual(all(true));
    });

    it('name each person once, since the first time, and are known elsewhere at once', async () => {
      const { clock, here } = open;
      const since = clock.now();
      await here.suspensions.suspend({ ...ada, name: 'Ada Admin' });
      clock.advance(1_000);
      await elsewhere.suspensions.suspend(ada);
      await here.suspensions.suspend({ ...ada, issuer: 'https://other.example' });
      expect(new Set(await elsewhere.suspensions.list())).toEqual(
        new Set([
          { ...ada, name: 'Ada Admin', since },
          { issuer: 'https://other.example', subject: 'ada', name: 'ada', since: since + 1_000 },
        ]),
      );
      for (const [who, is] of [
        [ada, true],
        [{ ...ada, subject: 'bob' }, false],
        [{ issuer: 'https://id.example","ada', subject: '' }, false],
      ] as const)
        expect(await elsewhere.suspensions.includes(who)).toBe(is);
      expect(await elsewhere.suspensions.resume(ada)).toBe(true);
      expect([await here.suspensions.includes(ada), await here.suspensions.resume(ada)]).toEqual([false, false]);
    });

    it('count for keys that are made meanwhile', async () => {
      const { here } = open;
      await here.suspensions.suspend(ada);
      const ids = await make(elsewhere, ADA);
      expect(await active(elsewhere, ids)).toEqual([false, false]);
      await here.suspensions.resume(ada);
      await wait(open.toldWithinMs);
      expect(await active(elsewhere, ids)).toEqual([true, true]);
    });

    it('are enforced by the next start, when the process ended before the keys were told', async () => {
      const { here } = open;
      const ids = await make(here, ADA);
      here.apiKeys.followSuspension = () => Promise.reject(new Error('killed'));
      await expect(here.suspensions.suspend(ada)).rejects.toThrow('killed');
      expect(await active(elsewhere, ids)).toEqual([true, true]);
      await elsewhere.suspensions.enforce();
      await wait(open.toldWithinMs);
      expect(await active(elsewhere, ids)).toEqual([false, false]);
    });

    it('tell who watches a key that it rests, before they are answered', async () => {
      const { here } = open;
      const changed: string[] = [];
      const missed: (string | undefined)[] = [];
      for (const keys of [here.apiKeys, here.s3Keys] as readonly Keys[]) keys.onChanged((id) => changed.push(id));
      for (const keys of [elsewhere.apiKeys, elsewhere.s3Keys] as readonly Keys[])
        keys.onChangesMissed((id) => missed.push(id));
      const ids = await make(here, ADA);
      await here.suspensions.suspend(ada);
      expect(changed).toEqual(ids);
      while (missed.length < 2) await wait(20);
      await here.suspensions.suspend(ada);
      expect(changed).toEqual(ids);
    });

    it('and keys agree after a person was suspended and resumed at once, in whatever order', async () => {
      const { here } = open;
      const ids = await make(here, ADA);
      for (let round = 0; round < 10; round += 1) {
        const changes = [() => here.suspensions.suspend(ada), () => elsewhere.suspensions.resume(ada)];
        await Promise.all((round % 2 === 0 ? changes : changes.toReversed()).map((change) => change()));
        await wait(open.toldWithinMs);
        const is = !(await here.suspensions.includes(ada));
        expect({ round, active: await active(here, ids) }).toEqual({ round, active: [is, is] });
      }
    });
  });
}
