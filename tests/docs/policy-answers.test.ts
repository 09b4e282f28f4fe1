import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuditStore } from '../../src/audit/audit-store.ts';
import { revisionOf } from '../../src/access/policy-revision.ts';
import { loadSettings } from '../../src/config/load.ts';
import { change, quietLog } from '../audit/support/audit-folder.ts';
import { Machine } from '../cli/svc-process.ts';

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../docs/policy-answers.md'), 'utf8');

/** Files in the document: a block of code with the name of the file behind its language. */
const files = Array.from(
  DOCUMENT.matchAll(/^```(?:yaml|csv) (\S+)\n([\s\S]*?)^```$/gm),
  ([, name, text]) => [name!, text!] as const,
);
const ENV = { SVC_AUDIT_SECRET: 'a signing secret of the tests, long enough' };
/** What staff did in May: the day, who, what, on which object, by which rule. */
const WORK = [
  [4, 'ada', 'object/write', 'objects:write', ['papers', 'x/plan.pdf'], 'papers 1'],
  [5, 'ada', 'object/read', 'objects:get', ['papers', 'x/plan.pdf'], 'papers 1'],
  [20, 'bob', 'object/read', 'objects:get', ['papers', 'x/figures/one.png'], 'papers 1'],
  [28, 'carla', 'object/delete', 'objects:delete', ['papers', 'x/drafts/old.pdf'], 'drafts 0'],
] as const;

/** What somebody types, and what is to be seen then. */
const sessions = Array.from(
  DOCUMENT.matchAll(/^```console\n\$ svc (.*)\n([\s\S]*?)^```$/gm),
  ([, command, screen]) => [command!, screen!] as const,
);

describe('docs/policy-answers.md', () => {
  let machine: Machine;

  beforeAll(async () => {
    machine = await Machine.make();
    for (const [name, text] of files) {
      await mkdir(dirname(join(machine.home, name)), { recursive: true });
      await writeFile(join(machine.home, name), text);
    }
    await writeAudit(join(machine.home, 'used.yaml'));
  });

  afterAll(() => machine.remove());

  /** Each day from the last one of April somebody signs out, after the work of the day. */
  async function writeAudit(file: string): Promise<void> {
    const { audit, policy } = loadSettings({ file, env: ENV }).settings!;
    let now = 0;
    const store = await AuditStore.open({ ...audit!, retentionMs: undefined }, { log: quietLog, now: () => now });
    const who = { ...change('').who, issuer: 'https://login.example.com', policyRevision: revisionOf(policy) };
    for (let day = 0; day <= 31; day++) {
      now = Date.UTC(2026, 4, day, 8);
      for (const [, subject, operation, action, [bucket, key], rule] of WORK.filter(([on]) => on === day)) {
        await store.write(
          change('', {
            who: { ...who, subject },
            operation,
            resources: [{ provider: 'main', bucket, key, action, rule, outcome: 'done' }],
          }),
        );
      }
      await store.write(change('', { who, operation: 'session/end', resources: [] }));
    }
    await store.close();
  }

  it('has files and commands', () => {
    expect([files.length, sessions.length].map((count) => count > 0)).toEqual([true, true]);
  });

  it.each(sessions)('svc %s', async (command, screen) => {
    const { status, stdout, stderr } = await machine.start(command.split(' '), ENV).ended;
    expect(`${stdout.replaceAll('\r\n', '\n')}${stderr}${status === 0 ? '' : `[exit status ${status}]\n`}`).toBe(
      screen,
    );
  });
});
