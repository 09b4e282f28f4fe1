import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { readCases } from '../../src/config/read/policy-cases.ts';

it('a file of policy cases is read up to 8 MiB, and a larger one is refused', () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-cases-'));
  const file = join(directory, 'cases.yaml');
  const read = (bytes: number) => {
    writeFileSync(file, `[]${'\n'.repeat(bytes - 2)}`);
    return readCases(file);
  };
  expect(read(8 * 1024 * 1024)).toEqual({ cases: [] });
  expect(read(8 * 1024 * 1024 + 1)).toEqual({ fault: `${file}: is larger than 8 MiB` });
  rmSync(directory, { recursive: true });
});

it('a member that is not known begins no line of the message', () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-cases-'));
  const file = join(directory, 'cases.yaml');
  writeFileSync(file, '- { "x\\nFAKE \\e[32m": 1 }\n');
  expect(readCases(file).fault).toMatch(/case 1: there is no member `x\\u\{a\}FAKE \\u\{1b\}\[32m`/);
  rmSync(directory, { recursive: true });
});
