import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Targets } from '../../../src/access/target.ts';
import { Trail } from '../../../src/audit/trail.ts';
import type { Audit } from '../../../src/audit/record.ts';
import { SvcError } from '../../../src/errors/svc-error.ts';
import { restoreFolder } from '../../../src/operation/restore-folder.ts';
import { EVERYTHING } from '../../../src/policy/index/grants.ts';
import { copyVersion, deleteOver } from '../../../src/storage/object-restore.ts';
import { withoutPolicy } from '../../../src/storage/without-policy.ts';
import { auditLines } from '../../support/audit-cases.ts';
import { describeRadosGateway } from '../../support/describe-rados-gateway.ts';
import { setVersioning } from '../../support/versioning.ts';
import { BUCKET, Moments } from './moments.ts';

describeRadosGateway('object/restoreFolder on the gateway of Ceph', () => {
  let on: Moments;
  beforeAll(async () => {
    on = await Moments.start();
  });
  afterAll(() => on.close());

  describe('POST …/objects/restore', () => {
    it('plans, then brings back what was overwritten or deleted, deletes what is new, and touches no denied key', async () => {
      await on.put('m/null', 'before');
      await on.put('m/null deleted', 'before');
      await setVersioning(on.provider, BUCKET, 'Enabled');
      const keys = ['overwritten', 'deleted', 'recreated', 'unchanged', 'same', 'secret/a', 'secret', 'readonly/a'];
      const first = new Map<string, string>();
      for (const key of keys) first.set(key, await on.put(`m/${key}`, `one of ${key}`));
      await on.put('m/marker', 'one');
      await on.drop('m/marker');
      const at = await on.now();
      const before = await on.contentOf('m/');
      for (const key of ['overwritten', 'null', 'secret/a', 'secret', 'readonly/a']) await on.put(`m/${key}`, 'second');
      for (const key of ['deleted', 'recreated', 'null deleted']) await on.drop(`m/${key}`);
      for (const key of ['recreated', 'marker', 'created', 'kept/created', 'secret/created'])
        await on.put(`m/${key}`, 'x');
      await on.put('m/same', 'one of same');
      await on.put('m/short-lived', 'x');
      await on.drop('m/short-lived');
      await on.put('outside', 'x');
      const denied = await on.versionsOf('m/secret');

      const planned = await on.restore({ prefix: 'm/', at, dry_run: true });
      const change = (key: string, version: unknown, size: number) => ({
        key: `m/${key}`,
        change: 'restore',
        version,
        size,
        why: null,
      });
      const other = (key: string, what: string, why: string | null, size = 1) => ({
        key: `m/${key}`,
        change: what,
        version: null,
        size,
        why,
      });
      expect(planned.entries).toEqual([
        other('created', 'delete', null),
        change('deleted', first.get('deleted'), 14),
        other('kept/created', 'leave', 'access_denied'),
        other('marker', 'delete', null),
        change('null', 'null', 6),
        change('null deleted', 'null', 6),
        change('overwritten', first.get('overwritten'), 18),
        other('readonly/a', 'leave', 'access_denied', 6),
        change('recreated', first.get('recreated'), 16),
      ]);
      expect(planned.counts).toEqual({
        restore: { objects: 5, bytes: 14 + 6 + 6 + 18 + 16 },
        delete: { objects: 2, bytes: 2 },
        leave: { objects: 2, bytes: 7 },
        unchanged: { objects: 2, bytes: 27 },
      });

      const { entries, counts } = await on.restore({ prefix: 'm/', at });
      expect({ entries, counts }).toEqual({ entries: planned.entries, counts: planned.counts });
      const after = await on.contentOf('m/');
      const isLeft = (key: string) => /secret|readonly|kept/.test(key);
      const allowed = (content: Record<string, string>) => Object.entries(content).filter(([key]) => !isLeft(key));
      expect(allowed(after)).toEqual(allowed(before));
      expect(Object.keys(after).filter(isLeft)).toEqual([
        'm/kept/created',
        'm/readonly/a',
        'm/secret',
        'm/secret/a',
        'm/secret/created',
      ]);
      expect(await on.versionsOf('m/secret')).toEqual(denied);
      expect(await on.contentOf('outside')).toHaveProperty('outside');

      const again = await on.restore({ prefix: 'm/', at });
      expect(again.entries.map(({ key, change: what }) => [key, what])).toEqual([
        ['m/kept/created', 'leave'],
        ['m/readonly/a', 'leave'],
      ]);
    });

    it('names each changed object in the audit, with its version, and no denied one', async () => {
      const kept = await on.put('m/audit/kept', 'one');
      await on.put('m/secret/audit', 'one');
      const at = await on.now();
      await on.drop('m/audit/kept');
      await on.drop('m/secret/audit');
      const created = await on.put('m/audit/new', 'x');
      const { requestId } = await on.restore({ prefix: 'm/', at });
      const lines = await auditLines(on.app, requestId);
      const named = lines.flatMap(({ resources }) =>
        (resources as Record<string, string>[]).map(({ key, action, version, outcome }) => [
          key,
          action,
          version,
          outcome,
        ]),
      );
      expect(named).toHaveLength(4);
      expect(named).toEqual(
        expect.arrayContaining([
          ['m/audit/kept', 'objects:restore', kept, 'done'],
          ['m/audit/kept', 'objects:write', kept, 'done'],
          ['m/audit/new', 'objects:delete', created, 'done'],
          [undefined, undefined, undefined, 'done'],
        ]),
      );
    });

    it('leaves nothing that the same request has brought back which a proxy has sent before', async () => {
      await setVersioning(on.provider, BUCKET, 'Enabled');
      const keys = Array.from({ length: 20 }, (_, i) => `m/twice/${i}`);
      for (const key of keys) await on.put(key, 'first');
      const before = await on.contentOf('m/twice/');
      const at = await on.now();
      for (const key of keys.slice(0, 10)) await on.put(key, 'second');
      for (const key of keys.slice(10)) await on.drop(key);
      for (let i = 0; i < 5; i += 1) await on.put(`m/twice/new ${i}`, 'x');
      const both = await Promise.all([1, 2].map(() => on.restore({ prefix: 'm/twice/', at })));
      for (const { entries } of both) expect(entries.filter(({ change }) => change === 'leave')).toEqual([]);
      expect(await on.contentOf('m/twice/')).toEqual(before);
    });

    it('leaves what was changed since the plan, and does nothing for whom policy allows no versions', async () => {
      await on.put('m/agreed/a', 'one');
      await on.put('m/agreed/b', 'one');
      const at = await on.now();
      await on.put('m/agreed/a', 'second');
      await on.put('m/agreed/b', 'second');
      await setTimeout(1_000);
      const body = { prefix: 'm/agreed/', at };
      const { plannedAt } = await on.restore({ ...body, dry_run: true });
      await on.put('m/agreed/b', 'third');
      expect(await on.restore(body, 'nobody')).toMatchObject({ entries: [], counts: { restore: { objects: 0 } } });
      const { entries } = await on.restore({ ...body, if_unmodified_since: plannedAt });
      expect(entries.map(({ key, change, why }) => [key, change, why])).toEqual([
        ['m/agreed/a', 'restore', null],
        ['m/agreed/b', 'leave', 'changed'],
      ]);
    });

    it('loses nothing in a bucket whose versioning is suspended', async () => {
      await setVersioning(on.provider, BUCKET, 'Suspended');
      await on.put('m/off/null beneath', 'only here');
      await setVersioning(on.provider, BUCKET, 'Enabled');
      const old = await on.put('m/off/old', 'one');
      await on.put('m/off/null beneath', 'one');
      const at = await on.now();
      for (const key of ['old', 'null beneath', 'new']) await on.put(`m/off/${key}`, 'second');
      await setVersioning(on.provider, BUCKET, 'Suspended');
      try {
        await on.put('m/off/overwritten', 'x');
        const before = await on.versionsOf('m/off/');
        const { entries } = await on.restore({ prefix: 'm/off/', at });
        expect(entries.map(({ key, change, version, why }) => [key, change, version, why])).toEqual([
          ['m/off/new', 'leave', null, 'not_versioned'],
          ['m/off/null beneath', 'leave', null, 'not_versioned'],
          ['m/off/old', 'restore', old, null],
          ['m/off/overwritten', 'leave', null, 'not_kept'],
        ]);
        const after = await on.versionsOf('m/off/');
        expect(after).toHaveLength(before.length + 1);
        expect((await on.restore({ prefix: 'm/off/', at })).counts.restore.objects).toBe(0);
      } finally {
        await setVersioning(on.provider, BUCKET, 'Enabled');
      }
    });

    it('gives every key that policy allows the content of the moment, after any history, and touches no other', async () => {
      let run = 0;
      const change = fc.record({
        key: fc.constantFrom('run/a', 'run/b', 'run/b/c', 'run/ü%20+', 'secret/a', 'secret-run/b'),
        content: fc.constantFrom('', 'a', 'b', undefined),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 4, maxLength: 24 }), fc.nat(23), async (changes, moment) => {
          run += 1;
          let [at, before] = ['', {} as Record<string, string>];
          for (const [i, { key, content }] of changes.entries()) {
            if (i === Math.min(moment, changes.length - 1)) [before, at] = [await on.contentOf('m/'), await on.now()];
            const name = `m/${key}/${run}`;
            await (content === undefined ? on.drop(name) : on.put(name, content));
          }
          const denied = await on.versionsOf('m/secret');
          const { entries } = await on.restore({ prefix: 'm/', at });
          const allowed = (content: Record<string, string>) =>
            Object.entries(content).filter(([key]) => !key.startsWith('m/secret'));
          expect(entries.filter(({ change: what }) => what === 'leave')).toEqual([]);
          expect(allowed(await on.contentOf('m/'))).toEqual(allowed(before));
          expect(await on.versionsOf('m/secret')).toEqual(denied);
        }),
        { numRuns: 8, endOnFailure: true },
      );
    });
  });

  describe('POST …/object/purge', () => {
    it('deletes no content that got its version after `if_unmodified_since`, and no key on which it is denied', async () => {
      await setVersioning(on.provider, BUCKET, 'Suspended');
      try {
        await on.put('m/purge/a', 'seen');
        const [seen] = await on.versionsOf('m/purge/a');
        await setTimeout(20);
        await on.put('m/purge/a', 'newer');
        const purge = async (key: string, since?: string | null) => {
          const { status } = await on.post('/object/purge', { key, version: 'null', if_unmodified_since: since });
          return [status, Object.keys(await on.contentOf(key))];
        };
        expect(await purge('m/purge/a', seen!.lastModified)).toEqual([412, ['m/purge/a']]);
        expect(await purge('m/purge/a', 'yesterday')).toEqual([400, ['m/purge/a']]);
        await on.put('m/no purge', 'x');
        expect(await purge('m/no purge')).toEqual([403, ['m/no purge']]);
        expect(await purge('m/purge/a', (await on.versionsOf('m/purge/a'))[0]!.lastModified)).toEqual([200, []]);
      } finally {
        await setVersioning(on.provider, BUCKET, 'Enabled');
      }
    });
  });

  describe('a run of object/restoreFolder', () => {
    /** Runs the operation itself, with an audit of the test. */
    function runWith(audit: Pick<Audit, 'intend'>, prefix: string, at: string, signal = new AbortController().signal) {
      const written: unknown[] = [];
      const whole: Audit = {
        reads: 'all',
        ready: () => undefined,
        write: (record) => void written.push(record),
        ...audit,
      };
      const trail = new Trail(whole, 'object/restoreFolder', { requestId: 'r', address: undefined, face: 'http' });
      const lines = restoreFolder.lines!({
        input: { provider: 'main', bucket: BUCKET, prefix, at },
        caller: { effective: EVERYTHING, grants: EVERYTHING, identity: { issuer: 'i', subject: 's', groups: [] } },
        storage: on.storage.providers,
        services: { targets: new Targets(() => 'keep') },
        trail,
        signal,
      } as never);
      return { lines, written };
    }

    async function deleted(prefix: string): Promise<string> {
      const keys = Array.from({ length: 60 }, (_, i) => `${prefix}${i}`);
      for (const key of keys) await on.put(key, 'x');
      const at = await on.now();
      await Promise.all(keys.map((key) => on.drop(key)));
      return at;
    }

    it('ends when the audit cannot be written, and changes nothing without a line', async () => {
      const at = await deleted('m/closed/');
      let intents = 0;
      const intend = async () => {
        if ((intents += 1) > 11) throw new SvcError('audit_unavailable');
        return Promise.resolve(intents);
      };
      const { lines, written } = runWith({ intend }, 'm/closed/', at);
      await expect(Array.fromAsync(lines)).rejects.toMatchObject({ code: 'audit_unavailable' });
      // The first intent is that of the whole run.
      expect(Object.keys(await on.contentOf('m/closed/'))).toHaveLength(10);
      expect(written.filter((record) => (record as { outcome: string }).outcome === 'done')).toHaveLength(10);
    });

    it('stops when its client leaves, and tells the audit what it did', async () => {
      const at = await deleted('m/left/');
      const gone = new AbortController();
      let intents = 0;
      const { lines, written } = runWith({ intend: () => Promise.resolve((intents += 1)) }, 'm/left/', at, gone.signal);
      const leaving = (async () => {
        for await (const [line] of lines) if (line?.entry !== undefined) gone.abort();
      })();
      await expect(leaving).rejects.toMatchObject({ name: 'AbortError' });
      const restored = Object.keys(await on.contentOf('m/left/')).length;
      expect([restored > 0, restored < 60, written.length, intents]).toEqual([true, true, restored, restored + 1]);
    });

    it('writes over no version that came after the listing', async () => {
      const old = await on.put('m/late', 'one');
      await on.put('m/late', 'second');
      const listed = await on.versionsOf('m/late');
      const object = withoutPolicy({ provider: on.provider, bucket: BUCKET, key: 'm/late' });
      const [over, wanted] = [listed[0]!, listed.find(({ version }) => version === old)!];
      await on.put('m/late', 'third');
      const refused = { code: 'precondition_failed' };
      await expect(copyVersion(object, wanted, { over })).rejects.toMatchObject(refused);
      await expect(copyVersion(object, wanted, { over }, { single: 1, part: 5 * 2 ** 20 })).rejects.toMatchObject(
        refused,
      );
      await expect(deleteOver(object, over, {})).rejects.toMatchObject(refused);
      await on.drop('m/late');
      await expect(copyVersion(object, wanted, { over })).rejects.toMatchObject(refused);
      expect(await on.versionsOf('m/late')).toHaveLength(4);
    });
  });
});
