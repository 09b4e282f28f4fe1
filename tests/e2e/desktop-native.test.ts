import { chmod, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { signInDesktop } from '../support/desktop-client.ts';
import type { DesktopComputer } from '../support/desktop-app.ts';
import { baseOf, test } from './desktop-fixtures.ts';

test('a download is opened by the system where that does not run it', async ({ app, bucket, computer, files }) => {
  await files.put('notes.txt', 'read me');
  await files.put('run.sh', '#!/bin/sh\ntouch ran');
  await mkdir(join(computer.home, 'Downloads'));
  await computer.keep(app.origin, (await signInDesktop(app, 'eve')).access_token);
  const window = await computer.start(['--server', app.origin]).window();
  await expect(window.getByRole('button', { name: /Session of/ })).toBeVisible();
  await window.goto(`${baseOf(window)}p/main/${bucket}?object=notes.txt`);
  const before = (await computer.opened()).length;
  await window.getByRole('button', { name: 'Download', exact: true }).first().click();
  await window.getByRole('button', { name: 'Open', exact: true }).click();
  expect(await computer.nextOpened(before)).toBe(join(computer.home, 'Downloads/notes.txt'));

  await window.goto(`${baseOf(window)}p/main/${bucket}?object=run.sh`);
  await window.getByRole('button', { name: 'Download', exact: true }).first().click();
  await expect(window.getByText('“run.sh” was downloaded')).toBeVisible();
  await expect(window.getByRole('button', { name: 'Show in folder' })).toBeVisible();
  await expect(window.getByRole('button', { name: 'Open', exact: true })).toBeHidden();
  const refused =
    "Promise.all([1, 2, 3, '/etc/passwd'].map((id) => svcDesktop.open({ id, path: '/etc/passwd' }).then(() => 'opened', ({ message }) => message)))";
  // The first is the text.
  expect(await window.evaluate(refused)).toEqual([
    'opened',
    ...Array.from({ length: 3 }, () => 'this file is not opened from here'),
  ]);
  await computer.nextOpened(before + 1);
  expect(await computer.opened()).toHaveLength(before + 2);
});

test('a download goes where the person says, or nowhere', async ({ app, bucket, computer, files }) => {
  await files.put('report.txt', 'new');
  const { answer, programs } = await dialogOn(computer);
  await mkdir(join(computer.home, 'else where'));
  const chosen = join(computer.home, 'else where/chosen.txt');
  await writeFile(chosen, 'old');
  await computer.keep(app.origin, (await signInDesktop(app, 'eve')).access_token);
  const window = await computer
    .start(['--server', app.origin], { PATH: `${programs}:${computer.env['PATH']}` })
    .window();
  await expect(window.getByRole('button', { name: /Session of/ })).toBeVisible();
  await window.goto(`${baseOf(window)}p/main/${bucket}`);
  const downloadAs = async () => {
    await window.getByRole('row', { name: /report\.txt/ }).click({ button: 'right' });
    await window.getByRole('menuitem', { name: 'Download as…' }).click();
  };
  await downloadAs();
  await expect
    .poll(() => readFile(`${answer}.asked`, 'utf8').catch(() => ''))
    .toBe(`--file-selection\n--save\n--confirm-overwrite\n--filename=${join(computer.home, 'Downloads/report.txt')}\n`);
  await writeFile(answer, `${chosen}\n`);
  await downloadAs();
  await expect.poll(() => readFile(chosen, 'utf8')).toBe('new');
  expect(await readdir(join(computer.home, 'else where'))).toEqual(['chosen.txt']);
  expect(await readdir(join(computer.home, 'Downloads')).catch(() => [])).toEqual([]);
});

test('signing out of all accounts ends those without a window too', async ({ app, computer, signedIn }) => {
  const sessions = async () => {
    const answer = await (
      await signedIn(app.origin, 'ada')
    ).request(`${app.origin}/api/admin/sessions`, { headers: { accept: 'application/json' } });
    return ((await answer.json()) as { sessions: { subject: string; kind: string }[] }).sessions
      .filter(({ kind }) => kind === 'desktop')
      .map(({ subject }) => subject);
  };
  const before = await sessions();
  await computer.keep(app.origin, (await signInDesktop(app, 'vic')).access_token, 'work');
  await computer.keep(app.origin, (await signInDesktop(app, 'eve')).access_token);
  const other = computer.start(['--server', app.origin, '--account', 'work']);
  await expect((await other.window()).getByRole('button', { name: 'Session of Vic Viewer' })).toBeVisible();
  await other.stop();

  const window = await computer.start(['--server', app.origin]).window();
  await window.getByRole('button', { name: 'Session of Eve Editor' }).click();
  expect(await sessions()).toHaveLength(before.length + 2);
  await window.getByRole('button', { name: 'Sign out of all accounts' }).click();
  await expect(window.getByRole('heading', { name: 'You are signed out' })).toBeVisible();
  expect(await sessions()).toEqual(before);
  expect(await computer.everythingKept()).not.toContain(`${app.origin} desktop`);
});

test('a folder that the person chooses is uploaded while it is watched', async ({ app, bucket, computer, files }) => {
  const { answer, programs } = await dialogOn(computer);
  const local = join(computer.home, 'my notes');
  await mkdir(local);
  await writeFile(join(local, 'one.txt'), 'one');
  await files.put('inbox/two.txt', 'theirs');
  await computer.keep(app.origin, (await signInDesktop(app, 'eve')).access_token);
  const window = await computer
    .start(['--server', app.origin], { PATH: `${programs}:${computer.env['PATH']}` })
    .window();
  await expect(window.getByRole('button', { name: /Session of/ })).toBeVisible();
  await window.goto(`${baseOf(window)}p/main/${bucket}?prefix=inbox/`);
  await writeFile(answer, `${local}\n`);
  await window.getByRole('button', { name: 'More actions on this folder' }).click();
  await window.getByRole('menuitem', { name: 'Watch a local folder…' }).click();
  const watched = window.getByRole('dialog', { name: 'Watched folders' }).getByRole('group', { name: 'my notes' });
  await expect(watched.getByText('1 uploaded · 0 waiting')).toBeVisible();
  expect(await readFile(`${answer}.asked`, 'utf8')).toBe(
    `--file-selection\n--directory\n--title=Watch a folder and upload it to ${bucket}/inbox/\n`,
  );
  await writeFile(join(local, 'two.txt'), 'ours');
  await expect(watched.getByText('1 file was not uploaded')).toBeVisible();
  await watched.getByText('1 file was not uploaded').click();
  await expect(watched.getByText('two.txt: A file with this name already exists')).toBeVisible();
  expect(await (await files.get('inbox/two.txt')).text()).toBe('theirs');
  expect(await (await files.get('inbox/one.txt')).text()).toBe('one');
  expect(await window.evaluate('svcDesktop.watchedFolders().then((all) => JSON.stringify(all))')).not.toContain(
    computer.home,
  );
  await watched.getByRole('button', { name: 'Stop watching my notes' }).click();
  await expect(window.getByText('No folder is watched.')).toBeVisible();
});

/** In place of GNOME's dialog: it notes what it is asked, and answers with the path in a file, or as when it is closed. */
async function dialogOn(computer: DesktopComputer): Promise<{ readonly answer: string; readonly programs: string }> {
  const programs = join(computer.home, 'bin');
  await mkdir(programs);
  const answer = join(computer.home, 'answer');
  await writeFile(
    join(programs, 'zenity'),
    `#!/bin/sh\nprintf '%s\\n' "$@" > '${answer}.asked'\ntest -s '${answer}' && cat '${answer}'\n`,
  );
  await chmod(join(programs, 'zenity'), 0o755);
  return { answer, programs };
}
