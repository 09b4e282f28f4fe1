import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { register } from '../../../src/desktop/register.ts';
import { missingPrograms } from '../../support/programs.ts';

const missing = missingPrograms('xdg-mime');
const unless = missing.length > 0 ? `: ${missing.join()} is missing` : '';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-register-'));
});
afterEach(() => rm(home, { recursive: true }));

describe('register', () => {
  (missing.length > 0 ? it.skip : it)(
    `has the system open \`svc://\` addresses with the application${unless}`,
    async () => {
      const { PATH = '' } = process.env;
      const env = {
        PATH,
        HOME: home,
        XDG_CONFIG_HOME: join(home, 'config'),
        XDG_DATA_HOME: join(home, 'data'),
        DISPLAY: ':0',
      };
      await mkdir(env.XDG_CONFIG_HOME);
      await register({ command: ['/opt/svc/bin/svc', 'desktop'], icon: '/icon.png' }, env, 'linux');
      expect(await readFile(join(home, 'config/mimeapps.list'), 'utf8')).toContain('x-scheme-handler/svc=svc.desktop');
      const { stdout } = await promisify(execFile)('xdg-mime', ['query', 'default', 'x-scheme-handler/svc'], { env });
      expect(stdout.trim()).toBe('svc.desktop');
    },
  );
});
