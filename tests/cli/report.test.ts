import { expect, it } from '@jest/globals';
import type { Edge } from '../../src/cli/edge.ts';
import { printPatch } from '../../src/cli/report.ts';
import { run } from '../../src/cli/run.ts';

/** What a failure that repeats a name of others looks like, by where standard output and standard error go. */
async function said(terminals: Pick<Edge, 'isTerminal' | 'watched'>): Promise<string> {
  const lines: string[] = [];
  const edge = { env: {}, print: () => undefined, printError: (line: string) => void lines.push(line), stdout: process.stdout, stderr: process.stderr, version: '0', ...terminals } as unknown as Edge;
  expect(await run(['rm', 'a\u202eb\u009bc'], edge)).not.toBe(0);
  return lines.join('\n');
}

it('names of others are made visible on a terminal at standard error, whatever standard output is', async () => {
  expect(await said({ isTerminal: false, watched: true })).not.toMatch(/[\u202e\u009b]/);
  expect(await said({ isTerminal: true, watched: false })).toContain('\u202e');
});

it('a patch is printed as it is, and on a terminal without what a file of others would have it obey', () => {
  const patch = '--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n # \u001b[2J\r\n-b\n\\ No newline at end of file\n';
  const printed = (isTerminal: boolean, text = patch) => {
    let all = '';
    printPatch({ isTerminal, print: (line) => void (all += `${line}\n`) }, text);
    return all;
  };
  expect(printed(false)).toBe(patch);
  expect(printed(true)).toBe(patch.replace('\u001b', '\\u{1b}').replace('\r', '\\u{d}'));
  expect(printed(true, '')).toBe('');
});
