import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Machine } from './svc-process.ts';

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.make();
});
afterAll(() => machine.remove());

describe('svc help', () => {
  it('shows the help of a command, also of one beneath another', async () => {
    const [help, option] = [await machine.svc('help', 'key', 'create'), await machine.svc('key', 'create', '--help')];
    expect(help).toEqual(option);
    expect(help).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage: svc key create /) });
    expect(await machine.svc('help')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage: svc /) });
  });

  it('finds the commands whose help has a word, also where a line ends within it', async () => {
    const { status, stdout } = await machine.svc('help', 'CHECKSUM');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^svc cp: upload, download or copy files and folders$/m);
    expect(stdout).not.toMatch(/^svc logout/m);
    expect((await machine.svc('help', 'an upload appears completely')).stdout).toMatch(/^svc cp: [^\n]+\n$/);
  });

  it('finds what a command has of its own; what all have in common is in the help of svc', async () => {
    const { stdout } = await machine.svc('help', 'version');
    expect(stdout).toMatch(/^svc versions: /m);
    expect(stdout).not.toMatch(/^svc (login|mb|du): /m);
    expect((await machine.svc('help', 'certificate authorities')).stdout).toMatch(/^svc: [^\n]+\n$/);
  });

  it('says that no command has a word', async () => {
    expect(await machine.svc('help', 'x\u001b[31my')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.not.stringContaining('\u001b'),
    });
  });
});

it.each([
  ['copy', 'cp'],
  ['DELETE', 'rm'],
  ['history', 'versions'],
  ['share', 'presign'],
  ['lss', 'ls'],
  ['delet', 'rm'],
  ['mvoe', 'mv'],
  ['stats', 'stat'],
])('svc %s suggests %s, by what it means or how it is written', async (word, command) => {
  const { status, stderr } = await machine.svc(word, 'main/files');
  expect(status).toBe(2);
  expect(stderr).toMatch(new RegExp(`\\(Did you mean (one of )?${command}[?,]`));
});

it.each([
  ['key', 'delete', 'revoke'],
  ['key', 'show', 'list'],
  ['audit', 'find', undefined],
  ['audit', 'search', 'query'],
])('svc %s %s suggests a command of its own: %s', async (holder, word, command) => {
  const { status, stderr } = await machine.svc(holder, word);
  expect(status).toBe(2);
  expect(/\(Did you mean (.*)\?\)/.exec(stderr)?.[1]).toBe(command);
});

it('svc __proto__ suggests nothing', async () => {
  expect((await machine.svc('__proto__')).stderr).not.toContain('Did you mean');
});
