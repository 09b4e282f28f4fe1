import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { startBehindProxy } from '../../cli/behind-proxy.ts';
import { Machine, type Ended } from '../../cli/svc-process.ts';

let app: TestApp;
let eve: Machine;
let vic: Machine;

beforeAll(async () => {
  app = await startApp();
  [eve, vic] = [await Machine.make(), await Machine.make()];
  await eve.login(app.origin, 'eve');
  await vic.login(app.origin, 'vic');
});
afterAll(async () => {
  await Promise.all([eve.remove(), vic.remove()]);
  await app.close();
});

async function put(key: string, content: string | Buffer): Promise<void> {
  const file = join(eve.home, 'source');
  await writeFile(file, content);
  expect(await eve.svc('cp', '--content-type', 'text/x-note', file, `svc:main/files/${key}`)).toMatchObject({
    status: 0,
  });
}

const content = async (key: string) => (await eve.svc('cat', `main/files/${key}`)).stdout;

let runs = 0;

/** Runs `svc edit` with a shell script as the editor. The script has the file in `$1`. @returns the temporary files that are left, too. */
async function edit(
  key: string,
  script: string,
  { machine = eve, args = [] as string[] } = {},
): Promise<Ended & { readonly left: string[] }> {
  const temporary = join(machine.home, `tmp-${(runs += 1)}`);
  const editor = join(machine.home, 'my editor');
  await mkdir(temporary);
  await writeFile(editor, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
  const ended = await machine.start(['edit', ...args, `main/files/${key}`], {
    TMPDIR: temporary,
    EDITOR: `'${editor}'`,
  }).ended;
  const left = await readdir(temporary, { recursive: true });
  return { ...ended, left: left.map((name) => join(temporary, name)) };
}

const fileIn = (text: string) => /your text is in (\S+)/.exec(text)?.[1] ?? '';

it('saves what the editor wrote, keeps the content type, metadata and tags, and leaves no copy', async () => {
  await put('notes/plan 1.md', 'first\n');
  await eve.svc('tags', '--set', 'state=draft', 'main/files/notes/plan 1.md');
  expect(
    await edit('notes/plan 1.md', 'stat -c %a "$(dirname "$1")" "$1"; echo "$1" | grep -o "[^/]*$"; echo more >> "$1"'),
  ).toEqual({
    status: 0,
    stdout: '700\n600\ntext-plan_1.md\nsaved main/files/notes/plan 1.md\n',
    stderr: '',
    left: [],
  });
  expect(await content('notes/plan 1.md')).toBe('first\nmore\n');
  expect((await eve.svc('tags', 'main/files/notes/plan 1.md')).stdout).toBe('state=draft\n');
  expect(JSON.parse((await eve.svc('stat', '--json', 'main/files/notes/plan 1.md')).stdout)).toMatchObject({
    contentType: 'text/x-note',
  });
});

it('uploads nothing when nothing was changed, or when the editor fails', async () => {
  await put('same.md', 'same');
  const etag = async () => (await eve.svc('stat', '--json', 'main/files/same.md')).stdout;
  const before = await etag();
  expect(await edit('same.md', 'touch "$1"')).toMatchObject({ status: 0, stdout: 'nothing was changed\n', left: [] });
  expect(await edit('same.md', 'exit 3', { args: ['--json'] })).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('my editor'),
    left: [],
  });
  const failed = await edit('same.md', 'echo x > "$1"; exit 1');
  expect(failed).toMatchObject({ status: 1 });
  expect(await readFile(fileIn(failed.stderr), 'utf8')).toBe('x\n');
  expect(await etag()).toBe(before);
});

it('never overwrites what somebody else wrote or deleted meanwhile, and keeps the text', async () => {
  await put("it's.md", 'first');
  await put('other.md', 'theirs');
  const svc = `'${process.execPath}' '${join(import.meta.dirname, '../../../bin/svc.js')}'`;
  const changed = await edit("it's.md", `echo mine > "$1"; ${svc} mv main/files/other.md "svc:main/files/it's.md"`);
  expect(changed).toMatchObject({ status: 1, stderr: expect.stringContaining('changed meanwhile') });
  expect(changed.stderr).toContain(`svc edit 'main/files/it'\\''s.md'`);
  expect(await content("it's.md")).toBe('theirs');
  expect(await readFile(fileIn(changed.stderr), 'utf8')).toBe('mine\n');
  expect((await stat(dirname(fileIn(changed.stderr)))).mode & 0o777).toBe(0o700);
  const gone = await edit("it's.md", `echo mine > "$1"; ${svc} rm "main/files/it's.md"`, { args: ['--json'] });
  expect(gone.status).toBe(1);
  const { error } = JSON.parse(gone.stderr) as { error: { code: string; message: string } };
  expect(error.code).toBe('not_found');
  expect(await readFile(fileIn(error.message), 'utf8')).toBe('mine\n');
  expect(await content("it's.md")).toBe('');
});

it('refuses what is no text of up to 1 MiB, and what may not be written, before the editor opens', async () => {
  const fails = 'echo opened; exit 1';
  await put('large.txt', randomBytes(524_289).toString('hex'));
  await put('binary', Buffer.from([0x1f, 0x8b, 0]));
  await put('zero', 'a\0');
  await put('note.md', 'x');
  for (const [key, reason] of [
    ['large.txt', 'more than 1 MiB'],
    ['binary', 'UTF-8'],
    ['zero', 'UTF-8'],
    ['none.txt', 'not found'],
  ] as const)
    expect(await edit(key, fails)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining(reason),
      left: [],
    });
  expect(await edit('note.md', fails, { machine: vic })).toMatchObject({
    status: 3,
    stdout: '',
    stderr: expect.stringContaining('`objects:write` on `main/files/note.md`'),
    left: [],
  });
});

it('works with an API key', async () => {
  await put('key.md', 'x');
  const { stdout } = await eve.svc('key', 'create', 'editor', '--allow', 'objects:get,objects:write=main/files/');
  const credential = stdout.trim();
  expect(await edit('key.md', 'echo y > "$1"', { args: ['--credential', credential] })).toMatchObject({ status: 0 });
  expect(await content('key.md')).toBe('y\n');
});

it('saves once behind a proxy that sends the upload again, after an answer that was lost, and after a page of the proxy', async () => {
  let uploads = 0;
  const behind = await startBehindProxy((method) => {
    if (method !== 'PUT') return 'pass';
    uploads += 1;
    return ({ 1: 'send twice', 3: 'lose the answer', 5: 'answer itself' } as const)[uploads] ?? 'pass';
  });
  const kim = await Machine.make();
  try {
    await kim.login(behind.origin, 'eve');
    const admin = await behind.signIn('eve');
    const object = `${behind.origin}/api/providers/main/buckets/files/object?key=a`;
    await admin.request(object, { method: 'PUT', body: 'first\n' });
    uploads = 0;
    for (const line of ['second', 'third', 'fourth'])
      expect(await edit('a', `echo ${line} >> "$1"`, { machine: kim })).toMatchObject({ status: 0, left: [] });
    expect(await (await admin.request(object)).text()).toBe('first\nsecond\nthird\nfourth\n');
    expect(uploads).toBe(6);
  } finally {
    await kim.remove();
    await behind.close();
  }
});
