import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Connection } from '../../src/client/connection.ts';
import { PrivateFile } from '../../src/client/private-file.ts';
import { Downloads, type DownloadsParts } from '../../src/desktop/downloads.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-downloads-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('downloads of the desktop application', () => {
  it('are nobody’s but of the person who began them', async () => {
    const memory: DownloadsParts['memory'] = new PrivateFile(join(folder, 'downloads.json'));
    const begun = (owner: string) => ({
      owner,
      object: { provider: 'main', bucket: 'files', key: `${owner}.txt` },
      path: join(folder, `${owner}.txt`),
      known: { size: 4, etag: 'x' },
    });
    await memory.write([begun('ada'), begun('eve')]);
    let owner: string | undefined = 'eve';
    // No service answers there.
    const downloads = new Downloads({
      folder,
      memory,
      connection: () => new Connection('http://127.0.0.1:9', 'secret'),
      owner: () => owner,
      onEnd: () => undefined,
    });
    expect(await downloads.unfinished()).toEqual([
      expect.objectContaining({ id: 2, name: 'eve.txt', state: 'waiting' }),
    ]);
    await downloads.goOn();
    expect((await downloads.unfinished()).map(({ state }) => state)).toEqual(['running']);
    await downloads.cancel(1);
    expect(await downloads.status(1)).toBeUndefined();
    expect(downloads.fileOf(1)).toBeUndefined();
    owner = 'ada';
    expect(await downloads.unfinished()).toEqual([
      expect.objectContaining({ id: 1, name: 'ada.txt', state: 'waiting' }),
    ]);
    downloads.close();
    expect(await memory.read()).toHaveLength(2);
  });

  it('get different files when they begin at once, also where the system ignores case', async () => {
    const known = { size: 4, etag: 'x', lastModified: null, contentType: 'text/plain', metadata: {} };
    // It knows every object, and no content arrives.
    const connection = Object.assign(new Connection('http://127.0.0.1:9', 'secret'), { call: async () => known });
    const downloads = new Downloads({
      folder,
      memory: new PrivateFile(join(folder, 'at-once.json')),
      connection: () => connection,
      owner: () => 'ada',
      onEnd: () => undefined,
    });
    const keys = ['2024/report.txt', '2025/report.txt', '2026/report.txt', 'Report.txt'];
    const begun = await Promise.all(keys.map((key) => downloads.begin({ provider: 'main', bucket: 'files', key })));
    downloads.close();
    const names = begun.map(({ name }) => name.toLowerCase());
    expect(new Set(names).size).toBe(keys.length);
  });
});
