import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuditStore } from '../../src/audit/audit-store.ts';
import { auditPlace } from '../../src/audit/audit-place.ts';
import type { Intent } from '../../src/audit/record.ts';
import { loadSettings } from '../../src/config/load.ts';
import { change, quietLog, read } from '../audit/support/audit-folder.ts';
import { Machine } from '../cli/svc-process.ts';

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../docs/audit-store.md'), 'utf8');
const ENV = {
  SVC_AUDIT_SECRET: 'a signing secret of the tests, long enough',
  SVC_SESSION_SECRET: 'a session secret of the tests, long enough',
};
/** The time of the first operation; each further one comes a minute later. */
const BEGIN = Date.parse('2026-05-04T08:00:00Z');

/** Files in the document: a block of code with the name of the file behind its language. */
const files = Array.from(
  DOCUMENT.matchAll(/^```yaml (\S+)\n([\s\S]*?)^```$/gm),
  ([, name, text]) => [name!, text!] as const,
);
/** What somebody types, and what is to be seen then. */
const screens = Array.from(DOCUMENT.matchAll(/^```console\n([\s\S]*?)^```$/gm), ([, text]) => text!);

describe('docs/audit-store.md', () => {
  let machine: Machine;
  let key: string;

  beforeAll(async () => {
    machine = await Machine.make();
    for (const [name, text] of files) await writeFile(join(machine.home, name), text);
    const { settings } = loadSettings({ file: join(machine.home, 'svc.config.yaml'), env: ENV });
    [key] = auditPlace(settings!.audit!).keys as [string];
    let now = BEGIN;
    const store = await AuditStore.open(
      { ...settings!.audit!, retentionMs: undefined },
      { log: quietLog, now: () => now },
    );
    const bob = { ...change('').who, subject: 'bob', name: 'Bob', credentialId: 'c2' };
    const { bytes: _bytes, ...removal } = change('photos/a.jpg', {
      operation: 'object/delete',
      who: bob,
      requestId: 'r-3',
      resources: [
        {
          provider: 'main',
          bucket: 'files',
          key: 'photos/a.jpg',
          action: 'objects:delete',
          outcome: 'done',
          rule: 'team 1',
        },
      ],
    });
    const writing = change('photos/a.jpg', { requestId: 'r-1', bytes: 48_213 });
    await store.write({ ...writing, intent: await store.intend(intentOf(writing)) });
    now += 60_000;
    void store.write(read('photos/a.jpg', { requestId: 'r-2', bytes: 48_213 }));
    now += 60_000;
    await store.write({ ...removal, bytes: undefined, intent: await store.intend(intentOf(removal)) });
    await store.close();
  });
  afterAll(() => machine.remove());

  function intentOf({ operation, who, requestId, address, face, resources }: Intent): Intent {
    return { operation, who, requestId, address, face, resources };
  }

  /** Hashes and ids are others each time. */
  const settled = (text: string): string =>
    text
      .replaceAll(key, 'KEY')
      .replace(/\b[0-9a-f]{64}\b/g, 'HASH')
      .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'ID');

  it.each(screens)('%s', async (screen) => {
    let seen = '';
    for (const [, command = ''] of screen.matchAll(/^\$ (.*)$/gm)) {
      seen += `$ ${command}\n`;
      const typed = command.replaceAll('KEY', key);
      if (!typed.startsWith('svc ')) execFileSync('sh', ['-c', typed], { cwd: machine.home });
      else {
        const { status, stdout, stderr } = await machine.start(typed.split(' ').slice(1), ENV).ended;
        seen += `${stdout}${stderr}${status === 0 ? '' : `[exit status ${status}]\n`}`;
      }
    }
    expect(settled(seen)).toBe(screen);
  });
});
