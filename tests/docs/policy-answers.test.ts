import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Machine } from '../cli/svc-process.ts';

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../docs/policy-answers.md'), 'utf8');

/** Files in the document: a block of code with the name of the file behind its language. */
const files = Array.from(DOCUMENT.matchAll(/^```yaml (\S+)\n([\s\S]*?)^```$/gm), ([, name, text]) => [name!, text!] as const);
/** What somebody types, and what is to be seen then. */
const sessions = Array.from(DOCUMENT.matchAll(/^```console\n\$ svc (.*)\n([\s\S]*?)^```$/gm), ([, command, screen]) => [command!, screen!] as const);

describe('docs/policy-answers.md', () => {
  let machine: Machine;

  beforeAll(async () => {
    machine = await Machine.make();
    for (const [name, text] of files) {
      await mkdir(dirname(join(machine.home, name)), { recursive: true });
      await writeFile(join(machine.home, name), text);
    }
  });

  afterAll(() => machine.remove());

  it('has files and commands', () => {
    expect([files.length, sessions.length].map((count) => count > 0)).toEqual([true, true]);
  });

  it.each(sessions)('svc %s', async (command, screen) => {
    const { status, stdout, stderr } = await machine.svc(...command.split(' '));
    expect(`${stdout.replaceAll('\r\n', '\n')}${stderr}${status === 0 ? '' : `[exit status ${status}]\n`}`).toBe(screen);
  });
});
