import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Findings } from '../../../src/doctor/finding.ts';
import { examineProvider } from '../../../src/doctor/storage-provider.ts';
import { Storage } from '../../../src/storage/storage.ts';
import { startBehindProxy } from '../../cli/behind-proxy.ts';
import { Machine } from '../../cli/svc-process.ts';
import { describeRadosGateway } from '../../support/describe-rados-gateway.ts';
import { startRadosGateway, type RadosGateway } from '../../support/rados-gateway.ts';
import { setVersioning } from '../../support/versioning.ts';

describeRadosGateway('svc versions, svc undelete and svc restore', () => {
  let ceph: RadosGateway;
  let app: Awaited<ReturnType<typeof startBehindProxy>>;
  /** What happens to the next request of this method. */
  let spoiled: { readonly method: string; readonly how: 'lose the answer' | 'send twice' } | undefined;
  let admin: Machine;
  let denied: Machine;

  beforeAll(async () => {
    ceph = await startRadosGateway();
    app = await startBehindProxy(
      (_method, body) => {
        if (spoiled === undefined || !body.includes(`"method":"${spoiled.method}"`)) return 'pass';
        const { how } = spoiled;
        spoiled = undefined;
        return how;
      },
      { providers: [ceph.provider] },
    );
    [admin, denied] = [await Machine.make(), await Machine.make()];
    await admin.login(app.origin, 'ada');
    await denied.login(app.origin, 'dan');
    await admin.svc('mb', 'main/files');
    const storage = new Storage([ceph.options]);
    await setVersioning(storage.providers.provider('ceph'), 'files', 'Enabled');
    storage.close();
    for (const content of ['one', 'second']) {
      await writeFile(join(admin.home, 'a.txt'), content);
      for (const key of ['team/a', 'team/b c%20', 'team/kept'])
        await admin.svc('cp', join(admin.home, 'a.txt'), `svc:main/files/${key}`);
    }
    await admin.svc('rm', 'main/files/team/a', 'main/files/team/b c%20');
  });
  afterAll(async () => {
    await Promise.all([admin.remove(), denied.remove()]);
    await app.close();
    await ceph.close();
  });

  it('lists the versions, brings back what was deleted, once, and leaves the rest', async () => {
    const listed = await admin.svc('versions', '--json', 'main/files/team/a');
    const versions = JSON.parse(listed.stdout) as { isDeleteMarker: boolean; size: number }[];
    expect(versions.map(({ isDeleteMarker, size }) => [isDeleteMarker, size])).toEqual([
      [true, 0],
      [false, 6],
      [false, 3],
    ]);
    const { stdout } = await admin.svc('versions', '-r', 'main/files/team');
    expect(stdout.trim().split('\n')).toHaveLength(8);
    expect(await admin.svc('undelete', '-r', '-n', 'main/files/team')).toMatchObject({
      status: 0,
      stdout: 'team/a\nteam/b c%20\n',
    });
    expect(await admin.svc('undelete', '-r', 'main/files/team')).toMatchObject({
      status: 0,
      stdout: 'brought back 2 objects\n',
    });
    expect((await admin.svc('ls', 'main/files/team/')).stdout).toBe('team/a\nteam/b c%20\nteam/kept\n');
    expect(await admin.svc('undelete', '-r', 'main/files/team')).toMatchObject({ status: 1 });
    const after = JSON.parse((await admin.svc('versions', '--json', 'main/files/team/a')).stdout) as { size: number }[];
    expect(after.map(({ size }) => size)).toEqual([6, 0, 6, 3]);
  });

  it.each(['send twice', 'lose the answer'] as const)(
    'brings deleted objects back once behind a proxy that may %s',
    async (how) => {
      const place = `main/files/undeleted/${how}`;
      await writeFile(join(admin.home, 'u.txt'), 'text');
      await admin.svc('cp', join(admin.home, 'u.txt'), `svc:${place}/a`);
      await admin.svc('rm', `${place}/a`);
      spoiled = { method: 'object/restore', how };
      expect(await admin.svc('undelete', '-r', place)).toEqual({
        status: 0,
        stdout: 'brought back 1 object\n',
        stderr: '',
      });
      expect(spoiled).toBeUndefined();
      expect((await admin.svc('versions', `${place}/a`)).stdout.trim().split('\n')).toHaveLength(3);
    },
  );

  it('says how much is as it was then, also where a proxy sends the restore twice', async () => {
    const place = 'main/files/restored';
    await writeFile(join(admin.home, 'r.txt'), 'text');
    for (const key of ['a', 'b']) await admin.svc('cp', join(admin.home, 'r.txt'), `svc:${place}/${key}`);
    await setTimeout(50);
    const at = new Date().toISOString();
    await setTimeout(50);
    await admin.svc('rm', `${place}/a`);
    spoiled = { method: 'object/restoreFolder', how: 'send twice' };
    expect(await admin.svc('restore', '--at', at, place)).toEqual({
      status: 0,
      stdout:
        'brought back 0 objects (0 B), deleted 0 objects (0 B), left 0 objects (0 B); now as then: 2 objects (8 B)\n',
      stderr: '',
    });
    expect(spoiled).toBeUndefined();
  });

  it('brings a folder back to a moment: prints the plan, asks at a terminal, and does nothing the second time', async () => {
    const place = 'main/files/moment/';
    const put = async (content: string, ...keys: string[]) => {
      await writeFile(join(admin.home, 'm.txt'), content);
      for (const key of keys) await admin.svc('cp', join(admin.home, 'm.txt'), `svc:${place}${key}`);
    };
    await put('one', 'changed', 'gone', 'same');
    await setTimeout(50);
    const at = new Date().toISOString();
    await setTimeout(50);
    await put('second', 'changed', 'new');
    await admin.svc('rm', `${place}gone`);
    // The time of a plan is in whole seconds.
    await setTimeout(1_000);
    const restore = ['restore', '--at', at, place];
    expect(await admin.svc(...restore, '--dry-run')).toEqual({
      status: 0,
      stdout: [
        'restore  3 B  moment/changed',
        'restore  3 B  moment/gone',
        'delete   6 B  moment/new',
        'would bring back 2 objects (6 B), delete 1 object (6 B), leave 0 objects (0 B)',
        '',
      ].join('\n'),
      stderr: '',
    });
    const declined = await admin.onTerminal(restore, { at: '[y/N]', text: 'n\n' });
    expect(declined).toMatchObject({ status: 1, screen: expect.stringContaining('would bring back 2 objects') });
    expect((await admin.svc('ls', place)).stdout).toContain('new');
    // What is written after the question stays, and is told.
    const accepted = await admin.onTerminal(restore, {
      at: '[y/N]',
      text: 'y\n',
      after: () => put('third', 'changed'),
    });
    expect(accepted).toMatchObject({ status: 1, screen: expect.stringContaining('somebody changed it meanwhile') });
    expect(accepted.screen).toContain('brought back 1 object (3 B), deleted 1 object (6 B), left 1 object (5 B)');
    expect(await admin.svc(...restore, '--json')).toMatchObject({ status: 0, stderr: '' });
    expect((await admin.svc('cat', `${place}changed`, `${place}gone`, `${place}same`)).stdout).toBe('oneoneone');
    expect((await admin.svc('ls', place)).stdout).toBe('moment/changed\nmoment/gone\nmoment/same\n');
    const again = await admin.svc(...restore, '--json');
    expect([again.status, JSON.parse(again.stdout)]).toMatchObject([
      0,
      { dryRun: false, entries: [], counts: { unchanged: { objects: 3, bytes: 9 } } },
    ]);
  });

  it('downloads a version, also with an API key, and refuses to upload or copy one', async () => {
    const { stdout } = await admin.svc('versions', '--json', 'main/files/team/a');
    const [, , , oldest] = JSON.parse(stdout) as { version: string }[];
    const cp = ['cp', '--version-id', oldest!.version];
    expect(await admin.svc(...cp, 'svc:main/files/team/a', '-')).toMatchObject({ status: 0, stdout: 'one' });
    expect(await admin.svc(...cp, 'svc:main/files/team/a', 'old.txt')).toMatchObject({ status: 0 });
    expect(await readFile(join(admin.home, 'old.txt'), 'utf8')).toBe('one');
    const allow = '--allow=objects:get,objects:versions=main/files';
    const credential = (await admin.svc('key', 'create', 'versions', allow)).stdout.trim();
    const withKey = admin.start([...cp, 'svc:main/files/team/a', '-'], { SVC_CREDENTIAL: credential });
    expect(await withKey.ended).toMatchObject({ status: 0, stdout: 'one' });
    expect(await admin.svc('cp', 'svc:main/files/team/a', '-')).toMatchObject({ stdout: 'second' });
    for (const rest of [
      ['old.txt', 'svc:main/files/x'],
      ['svc:main/files/team/a', 'svc:main/files/x'],
      ['-r', 'svc:main/files/team', 'folder'],
      ['svc:main/files/team/a', 'svc:main/files/team/kept', 'folder'],
    ])
      expect([rest, await admin.svc(...cp, ...rest)]).toMatchObject([rest, { status: 2 }]);
    expect(await denied.svc(...cp, 'svc:main/files/team/a', '-')).toMatchObject({ status: 3, stdout: '' });
  });

  it('is what svc doctor misses in a bucket in which people may delete', async () => {
    await admin.svc('mb', 'main/unkept');
    const storage = new Storage(app.settings.providers);
    const provider = storage.providers.provider('main');
    /** The warnings when only these groups have policies. */
    const warnings = async (...groups: string[]) => {
      const found: string[] = [];
      const findings = new Findings('storage', ({ state, text }) => {
        if (state !== 'ok') found.push(text);
      });
      const bindings = app.settings.policy.bindings.filter(
        (binding) => 'groups' in binding && binding.groups.some((group) => groups.includes(group)),
      );
      await examineProvider(provider, [], { ...app.settings, policy: { ...app.settings.policy, bindings } }, findings);
      return found;
    };
    try {
      expect(await warnings('viewers', 'team')).toEqual([]);
      expect(await warnings('editors')).toEqual([expect.stringMatching(/^`unkept` keeps no versions/)]);
      await setVersioning(provider, 'files', 'Suspended');
      expect(await warnings('team')).toEqual([expect.stringMatching(/^`files` keeps no versions/)]);
    } finally {
      await setVersioning(provider, 'files', 'Enabled');
      storage.close();
    }
  });

  it('takes a local time, and refuses what is no moment of the past', async () => {
    // Without its zone, this would be in the future.
    const inBerlin = new Date().toLocaleString('sv', { timeZone: 'Europe/Berlin' });
    const args = ['restore', '-n', '--json', '--at', inBerlin, 'main/files/moment'];
    const { stdout } = await admin.start(args, { TZ: 'Europe/Berlin' }).ended;
    expect(JSON.parse(stdout)).toMatchObject({ counts: { unchanged: { objects: 3 } } });
    expect(await admin.start(args, { TZ: 'UTC' }).ended).toMatchObject({ status: 2 });
    for (const at of ['2026-02-30', 'yesterday', '2999-01-01', '12:00'])
      expect([at, await admin.svc('restore', '-n', '--at', at, 'main/files/moment')]).toMatchObject([
        at,
        { status: 2 },
      ]);
  });

  it('shows nothing to whom policy allows no versions', async () => {
    expect(await denied.svc('versions', 'main/files/team/a')).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('`objects:versions`'),
    });
    expect(await denied.svc('versions', '-r', 'main/files/team')).toMatchObject({ status: 1, stdout: '' });
    expect(await denied.svc('undelete', '-r', 'main/files/team')).toMatchObject({ status: 1 });
    expect(await denied.svc('restore', '--at', new Date().toISOString(), 'main/files/team')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('nothing here'),
    });
  });
});
