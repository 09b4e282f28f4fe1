import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { becomeOnly, type Wish } from '../../src/desktop/instance.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-instance-'));
});
afterEach(() => rm(folder, { recursive: true }));

const WISH: Wish = { server: 'https://files.example.com', account: '', path: 'p/main' };

describe('becomeOnly', () => {
  it('hands over to the instance that runs already', async () => {
    const wishes: Wish[] = [];
    const address = join(folder, 'instance');
    const first = await becomeOnly(address, WISH, (wish) => wishes.push(wish));
    expect(await becomeOnly(address, { ...WISH, path: 'p/other' }, () => undefined)).toBeUndefined();
    expect(wishes).toEqual([{ ...WISH, path: 'p/other' }]);
    first?.close();
  });

  it('takes the place of one that was killed', async () => {
    const address = join(folder, 'instance');
    const killed = spawn(
      process.execPath,
      ['-e', `require('net').createServer().listen(${JSON.stringify(address)}, () => console.log('listens'))`],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    await once(killed.stdout, 'data');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const next = await becomeOnly(address, WISH, () => undefined);
    expect(next).toBeDefined();
    next?.close();
  });
});
