import { appendFile, mkdir, mkdtemp, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Connection } from '../../src/client/connection.ts';
import { Uploads } from '../../src/desktop/uploads.ts';
import { startApp } from '../support/app.ts';

let folder: string;
let owner: string | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-uploads-'));
  owner = 'ada';
});
afterEach(() => rm(folder, { recursive: true }));

const journal = () => join(folder, 'state/uploads.jsonl');
/** As after a start. No service answers there. */
const open = () =>
  new Uploads({
    journal: journal(),
    connection: () => new Connection('http://127.0.0.1:9', 'secret'),
    owner: () => owner,
  });
const target = { provider: 'main', bucket: 'files', key: 'a.txt' };

async function planned(): Promise<{ readonly uploads: Uploads; readonly id: number }> {
  await writeFile(join(folder, 'a.txt'), 'content');
  const uploads = open();
  const [taken] = await uploads.take([join(folder, 'a.txt')]);
  const id = taken!.files[0]!.id;
  uploads.plan([[id, target]]);
  return { uploads, id };
}

describe('uploads of the desktop application', () => {
  it('are known after a kill, also when it cut off the last line, in a file of the user alone', async () => {
    await planned();
    await appendFile(journal(), '{"id":2,"is":{"owner":"ada","path":"/cut');
    expect((await stat(journal())).mode & 0o777).toBe(0o600);
    expect(await readFile(journal(), 'utf8')).not.toContain('secret');
    expect(open().unfinished()).toEqual([
      expect.objectContaining({ name: 'a.txt', size: 7, target, whenTaken: 'refuse' }),
    ]);
    expect(await readFile(journal(), 'utf8')).not.toContain('/cut');
  });

  it('are nobody’s but of the person who gave the files', async () => {
    const { id } = await planned();
    const uploads = open();
    for (owner of ['eve', undefined]) {
      expect(uploads.unfinished()).toEqual([]);
      await expect(uploads.giveUp(id)).rejects.toThrow('there is no such upload');
      expect(() => uploads.plan([[id, { ...target, key: 'elsewhere' }]])).toThrow('there is no such upload');
    }
    await expect(uploads.send(id, target, 'replace')).resolves.toMatchObject({ code: 'session_required' });
    owner = 'eve';
    await expect(uploads.send(id, target, 'replace')).rejects.toThrow('there is no such upload');
  });

  it('that are given up are forgotten, and can be sent anew to another place', async () => {
    const { uploads, id } = await planned();
    await uploads.giveUp(id);
    expect(uploads.unfinished()).toEqual([]);
    expect(open().unfinished()).toEqual([]);
    uploads.plan([[id, { ...target, key: 'b.txt' }]]);
    expect(open().unfinished()).toEqual([expect.objectContaining({ target: { ...target, key: 'b.txt' } })]);
  });

  it('wait while the service is away, and are paused at once', async () => {
    const { uploads, id } = await planned();
    const sending = uploads.send(id, target, 'refuse');
    while (uploads.progress(id)?.failure === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(uploads.progress(id)).toMatchObject({ failure: { code: 'unreachable' } });
    uploads.pause(id);
    await sending;
    expect(uploads.progress(id)).toBeUndefined();
    expect(uploads.unfinished()).toHaveLength(1);
  });

  it('that are cut off by the end of the session wait for the next sign-in of the same person', async () => {
    const { id } = await planned();
    const app = await startApp();
    try {
      const uploads = new Uploads({
        journal: journal(),
        connection: () => new Connection(app.origin, 'of a session that has ended'),
        owner: () => owner,
      });
      const sending = uploads.send(id, target, 'refuse');
      while (uploads.progress(id) === undefined) await Promise.resolve();
      owner = undefined;
      expect(await sending).toMatchObject({ code: 'session_required' });
      owner = 'eve';
      expect(uploads.unfinished()).toEqual([]);
      owner = 'ada';
      expect(uploads.unfinished()).toEqual([expect.objectContaining({ id, name: 'a.txt', target })]);
    } finally {
      await app.close();
    }
  });

  it('do not send another file of the same size and time that stands there meanwhile, also after a start', async () => {
    const { uploads, id } = await planned();
    const [file, other] = [join(folder, 'a.txt'), join(folder, 'b.txt')];
    const { atime, mtime } = await stat(file);
    await utimes(file, atime, mtime);
    await writeFile(other, 'private');
    await utimes(other, atime, mtime);
    const again = uploads.take([file]).then(([taken]) => taken!.files[0]!.id);
    const fresh = await again;
    await rm(file);
    await symlink(other, file);
    expect((await uploads.send(fresh, target, 'refuse'))?.code).toBe('file_changed');
    uploads.plan([[fresh, target]]);
    expect((await open().send(fresh, target, 'refuse'))?.code).toBe('file_changed');
    expect(id).not.toBe(fresh);
  });

  it('tell no path of this computer when a file is gone', async () => {
    const { uploads, id } = await planned();
    await rm(join(folder, 'a.txt'));
    const failure = await uploads.send(id, target, 'refuse');
    expect(failure).toEqual({
      code: 'file_unreadable',
      detail: 'the file cannot be read (ENOENT); is it still there?',
    });
  });

  it('take folders with all that is in them but symbolic links, and leave what is no file to the page', async () => {
    await mkdir(join(folder, 'album/sea'), { recursive: true });
    await mkdir(join(folder, 'album/empty'));
    await writeFile(join(folder, 'album/sea/b.txt'), 'b');
    await symlink('/etc/passwd', join(folder, 'album/link'));
    await symlink('/etc', join(folder, 'album/sea/up'));
    const [album, ...others] = await open().take([join(folder, 'album'), '', '/dev/null', join(folder, 'not there')]);
    expect(others).toEqual([null, null, null]);
    expect(album!.leftOut).toBe(2);
    expect(album!.files.map(({ path }) => path).sort()).toEqual(['album/empty/', 'album/sea/b.txt']);
  });
});
