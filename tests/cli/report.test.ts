import { expect, it } from '@jest/globals';
import { jsonText, linePrinter, messagePrinter } from '../../src/cli/terminal/printing.ts';
import { printPatch } from '../../src/cli/terminal/report.ts';

const HOSTILE = 'a\u001b[2J\u007f\u009bc\u061c\u200e\u202e\u2066\u2028\u2029';

function printed(isTTY: boolean, print: (line: (text: string) => void) => void): string {
  let all = '';
  print(linePrinter({ isTTY, write: (text) => void (all += text) }));
  return all;
}

it('a line is printed as it is, and on a terminal without what would control it', () => {
  expect(printed(false, (print) => print(HOSTILE))).toBe(`${HOSTILE}\n`);
  expect(printed(true, (print) => print(`${HOSTILE}\nb`))).toBe(
    'a\\u{1b}[2J\\u{7f}\\u{9b}c\\u{61c}\\u{200e}\\u{202e}\\u{2066}\\u{2028}\\u{2029}\\u{a}b\n',
  );
});

it('a message stays on its line, in a pipe too', () => {
  let all = '';
  messagePrinter({ write: (text) => void (all += text) })(`${HOSTILE}\nb`);
  expect(all).toMatch(/^a\\u\{1b\}.*\\u\{a\}b\n$/);
});

it('JSON holds no control character, and reads as the same value', () => {
  const text = jsonText({ [HOSTILE]: [HOSTILE, 'é🎉'] }, 2);
  expect(text).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029](?<!\n)/u);
  expect(text).toContain('é🎉');
  expect(JSON.parse(text)).toEqual({ [HOSTILE]: [HOSTILE, 'é🎉'] });
});

it('a patch is printed as it is, and on a terminal without what a file of others would have it obey', () => {
  const patch = '--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n # \u001b[2J\r\n-b\n\\ No newline at end of file\n';
  expect(printed(false, (print) => printPatch({ print }, patch))).toBe(patch);
  expect(printed(true, (print) => printPatch({ print }, patch))).toBe(
    patch.replace('\u001b', '\\u{1b}').replace('\r', '\\u{d}'),
  );
  expect(printed(true, (print) => printPatch({ print }, ''))).toBe('');
});
