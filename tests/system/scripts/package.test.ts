import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { SESSION_SECRET } from '../../support/app.ts';
import { answers } from '../../support/cluster.ts';
import { signInAndUse, startSurroundings } from '../../support/installed.ts';

const CHECKOUT = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

let prefix: string;
let installed: string;

/** What `npm install -g` makes of the package, beneath an empty prefix. The build is the one that `npm test` made. */
beforeAll(async () => {
  prefix = await mkdtemp(join(tmpdir(), 'svc-package-'));
  // A program that is installed finds `node` in the path, so this one comes first there.
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', prefix], {
    cwd: CHECKOUT,
    env,
  });
  await run(
    'npm',
    [
      'install',
      '--global',
      '--prefix',
      prefix,
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      join(prefix, stdout.trim()),
    ],
    { cwd: prefix, env },
  );
  installed = join(prefix, 'lib/node_modules/svc');
}, 300_000);

afterAll(() => rm(prefix, { recursive: true, force: true }));

describe('the installed package', () => {
  it('has no TypeScript of ours, which Node would refuse to read there, and says what is built into it', async () => {
    const files = await readdir(installed, { recursive: true });
    expect(
      files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !file.startsWith('node_modules/')),
    ).toEqual([]);
    for (const [part, name] of [
      ['server', 'express'],
      ['web', 'react'],
    ] as const)
      expect(await readFile(join(installed, 'dist', part, 'licenses/THIRD-PARTY.txt'), 'utf8')).toMatch(
        new RegExp(`^${name} [\\d.]+ \\(MIT\\)$`, 'm'),
      );
  });

  it('serves people who sign in: the page with its parts, the API reference, and files', async () => {
    const surroundings = await startSurroundings();
    const { origin, config } = surroundings;
    await writeFile(join(prefix, 'svc.config.yaml'), JSON.stringify(config));
    const child = spawn(join(prefix, 'bin/svc'), ['serve', '--config', join(prefix, 'svc.config.yaml')], {
      cwd: prefix,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
        HOME: prefix,
        SVC_SESSION_SECRET: SESSION_SECRET,
      },
    });
    try {
      await answers(origin);
      await signInAndUse(origin);
    } finally {
      child.kill();
      await once(child, 'exit');
      await surroundings.close();
    }
  });
});
