import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { NOT_BUILT_IN } from '../../../scripts/build/not-built-in.ts';
import { makeNpmPackage, WITH_THIS_NODE } from '../../../scripts/package/npm-package.ts';
import { SESSION_SECRET } from '../../support/app.ts';
import { answers } from '../../support/cluster.ts';
import { signInAndUse, startSurroundings } from '../../support/installed.ts';

const run = promisify(execFile);

let prefix: string;
let installed: string;

/** What `npm install -g` makes of the package, beneath an empty prefix. The build is the one that `npm test` made. */
beforeAll(async () => {
  prefix = await mkdtemp(join(tmpdir(), 'svc-package-'));
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
      await makeNpmPackage(prefix),
    ],
    { cwd: prefix, env: WITH_THIS_NODE },
  );
  installed = join(prefix, 'lib/node_modules/svc');
}, 900_000);

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

  it('has a manual page for each command', async () => {
    const pages = await readdir(join(prefix, 'share/man/man1'));
    expect(pages).toEqual(expect.arrayContaining(['svc.1', 'svc-cp.1', 'svc-key-create.1']));
  });

  it('brings only what is not built in', async () => {
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as Record<string, object>;
    expect(Object.keys(manifest['dependencies']!)).toEqual(NOT_BUILT_IN);
    expect(Object.keys(manifest['optionalDependencies']!)).toEqual(['sharp']);
    expect(manifest['devDependencies']).toBeUndefined();
    const modules = await readdir(join(installed, 'node_modules'));
    expect(modules).toContain('open');
    expect(modules).not.toContain('express');
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
