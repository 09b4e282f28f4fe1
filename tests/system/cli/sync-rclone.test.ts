import { execFile } from 'node:child_process';
import { mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Machine } from '../../cli/svc-process.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { describeRadosGateway } from '../../support/describe-rados-gateway.ts';
import { missingPrograms } from '../../support/programs.ts';
import { startRadosGateway, type RadosGateway } from '../../support/rados-gateway.ts';

const run = promisify(execFile);
const MIB = 1024 * 1024;
/** Small; larger than what is compared without a request; and in parts. */
const FILES = { 'a.txt': 5, 'in/b.bin': 2 * MIB, 'c.bin': 20 * MIB };

describeRadosGateway('svc sync beside rclone sync', () => {
  let ceph: RadosGateway;
  let app: TestApp;
  let ada: Machine;
  let bucket: string;
  beforeAll(async () => {
    ceph = await startRadosGateway();
    app = await startApp({ config: (config) => ({ ...config, providers: [ceph.provider] }) });
    ada = await Machine.make();
    await ada.login(app.origin, 'ada');
    await ada.svc('mb', 'main/files');
    bucket = ceph.rclone('files');
    await mkdir(join(ada.home, 'a/in'), { recursive: true });
    for (const [name, bytes] of Object.entries(FILES)) {
      await writeFile(join(ada.home, 'a', name), Buffer.alloc(bytes, name));
      await utimes(join(ada.home, 'a', name), new Date(), new Date('2021-02-03T04:05:06.789Z'));
    }
  });
  afterAll(async () => {
    await ada.remove();
    await app.close();
    await ceph.close();
  });

  /** What `rclone` transfers, by name; with times alone it compares nothing else. */
  const rclone = async (from: string, to: string): Promise<string[]> => {
    const { stderr } = await run('rclone', ['sync', '-v', '--no-update-modtime', from, to], {
      cwd: ada.home,
      env: { ...ada.env, RCLONE_CONFIG: '/dev/null' },
    });
    return [...stderr.matchAll(/INFO +: (\S+): (?:Copied|Updated)/g)].map(([, name = '']) => name).sort();
  };
  const svc = async (...args: string[]) => {
    const { stdout, stderr } = await ada.svc('sync', '--json', ...args);
    expect(stderr).toBe('');
    return JSON.parse(stdout) as { copied: number; skipped: number; guessed: number; deleted: number };
  };

  (missingPrograms('rclone').length === 0 ? it : it.skip)(
    'each finds nothing to do after the other, in both directions, and gives the times back',
    async () => {
      const names = Object.keys(FILES).sort();
      expect(await svc('a', 'svc:main/files/svc')).toMatchObject({ copied: 3 });
      expect(await rclone('a', `${bucket}/svc`)).toEqual([]);
      expect(await rclone('a', `${bucket}/rclone`)).toEqual(names);
      expect(await svc('--delete', 'a', 'svc:main/files/rclone')).toMatchObject({ copied: 0, skipped: 3, guessed: 0 });

      expect(await svc('svc:main/files/rclone', 'down')).toMatchObject({ copied: 3 });
      for (const name of names) {
        const [ours, theirs] = [join(ada.home, 'a', name), join(ada.home, 'down', name)];
        expect((await readFile(theirs)).equals(await readFile(ours))).toBe(true);
        expect(Math.abs((await stat(theirs)).mtimeMs - (await stat(ours)).mtimeMs)).toBeLessThan(0.01);
      }
      expect(await svc('--delete', 'svc:main/files/svc', 'down')).toMatchObject({ copied: 0, skipped: 3, guessed: 0 });
      expect(await rclone(`${bucket}/svc`, 'down')).toEqual([]);

      // A copy within storage has other ETags, and the same times.
      expect(await svc('svc:main/files/rclone', 'svc:main/files/copy')).toMatchObject({ copied: 3 });
      expect(await svc('--delete', 'svc:main/files/svc', 'svc:main/files/copy')).toMatchObject({
        copied: 0,
        skipped: 3,
        guessed: 0,
      });
      await writeFile(join(ada.home, 'a/in/b.bin'), Buffer.alloc(2 * MIB, 'other'));
      expect(await svc('a', 'svc:main/files/rclone')).toMatchObject({ copied: 1, skipped: 2 });
      expect(await rclone('a', `${bucket}/svc`)).toEqual(['in/b.bin']);
    },
  );
});
