import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { appendFileSync } from 'node:fs';
import { Command } from 'commander';
import { latestLines, NewLines } from '../../../src/audit/audit-lines.ts';
import { segmentFile } from '../../../src/audit/chain-files.ts';
import { SigningKey } from '../../../src/audit/signing-key.ts';
import { addAudit } from '../../../src/cli/audit/audit.ts';
import type { Edge } from '../../../src/cli/terminal/edge.ts';
import { until } from '../../audit/support/until.ts';
import { AuditFolder, change, PUBLIC_KEY } from '../../audit/support/audit-folder.ts';
import { Machine } from '../../cli/svc-process.ts';

const HOUR = 3_600_000;
const usage = (message: string) => `${JSON.stringify({ error: { code: 'usage', message } })}\n`;
let machine: Machine;
let folder: AuditFolder;

beforeAll(async () => {
  machine = await Machine.make();
  folder = new AuditFolder();
});
afterAll(async () => {
  await machine.remove();
  await folder.remove();
});

describe('svc audit', () => {
  it('verify says what to expect where a service has begun, and nobody has asked it for anything', async () => {
    const store = await folder.open();
    await store.close();
    expect(await machine.svc('audit', 'verify', folder.path, '--key', PUBLIC_KEY)).toEqual({
      status: 1,
      stdout: `\`${folder.path}\` contains no audit lines: the first one is written at the first sign-in or request. If there was one, the files were removed or the service writes to another folder\n`,
      stderr: '',
    });
  });

  it('verify says once what is the same for many segments, and what to do about another key', async () => {
    const own = new AuditFolder();
    for (const key of ['a', 'b', 'c']) {
      const store = await own.open();
      await store.write(change(key));
      await store.close();
    }
    const other = new SigningKey('a secret of somebody else, long enough').publicKey;
    const { status, stdout } = await machine.svc('audit', 'verify', own.path, '--key', other);
    expect({ status, lines: stdout.split('\n').slice(2) }).toEqual({
      status: 1,
      lines: [
        `  FAULT in segments 1 to 3: its head was signed with another key, \`${PUBLIC_KEY}\``,
        '  FAULT in segments 1 to 3: it has no valid signature',
        `public key: ${other}`,
        `if \`${PUBLIC_KEY}\` is the key of a former secret of yours, add it to \`audit.former_keys\` or give it with \`--key\``,
        '',
      ],
    });
    await own.remove();
  });

  it('verify refuses what cannot be a key, instead of finding faults in every segment', async () => {
    expect(await machine.svc('audit', 'verify', folder.path, '--json', '--key', `${PUBLIC_KEY}=`)).toEqual({
      status: 2,
      stdout: '',
      stderr: usage(`\`${PUBLIC_KEY}=\` is no public key of 43 characters, as \`svc audit verify\` prints it`),
    });
  });

  it('query says whose session or key somebody else ended', async () => {
    const own = new AuditFolder();
    const store = await own.open();
    const of = { issuer: 'https://login.example', subject: 'carla', name: 'Carla' };
    await store.write(change('x', { operation: 'session/revoke', resources: [{ session: '1', outcome: 'done', of }] }));
    await store.write(
      change('y', {
        operation: 'apiKey/revoke',
        who: { ...change('y').who, subject: 'carla' },
        resources: [{ apiKey: '2', outcome: 'done', of }],
      }),
    );
    await store.close();
    expect(
      (await machine.svc('audit', 'query', own.path)).stdout
        .split('\n')
        .map((line) => line.split('  ').slice(2).join('  ')),
    ).toEqual(['apiKey/revoke  carla  apiKey/2', 'session/revoke  ada  session/1 of carla', '']);
    await own.remove();
  });

  it('query and export warn of an operation that there is none of, which nobody performed', async () => {
    const warning = 'warning: no operation is named `object/raed`; did you mean `object/read`?\n';
    for (const verb of ['query', 'export'])
      expect((await machine.svc('audit', verb, folder.path, '--operation', 'object/raed')).stderr).toContain(warning);
    expect((await machine.svc('audit', 'query', folder.path, '--operation', 'object/read')).stderr).not.toContain(
      'warning',
    );
  });

  it('tail prints a line once that is written while it looks for the earlier ones', async () => {
    const own = new AuditFolder();
    const store = await own.open();
    await store.write(change('before'));
    await store.close();
    const stop = Promise.withResolvers<boolean>();
    const printed: string[] = [];
    const add = (key: string, seq: number): void =>
      appendFileSync(
        segmentFile(own.chain, 1),
        `${own.lines()[1]!.replace('"seq":2', `"seq":${seq}`).replaceAll('before', key)}\n`,
      );
    const files = {
      latestLines: (...asked: Parameters<typeof latestLines>) => {
        add('meanwhile', 3);
        return latestLines(...asked);
      },
      follow: (path: string) => new NewLines(path),
    };
    const edge = {
      audit: () => Promise.resolve(files),
      print: (line: string) => void printed.push(line),
      stopAsked: () => stop.promise,
      isTerminal: false,
    } as unknown as Edge;
    const program = new Command();
    addAudit(program, edge);
    const done = program.parseAsync(['audit', 'tail', own.path], { from: 'user' });
    await until(() => printed.length > 0, 'the earlier lines');
    add('later', 4);
    await until(() => printed.some((line) => line.includes('later')), 'the later line');
    stop.resolve(true);
    await done;
    expect(printed.map((line) => /main\/files\/(\w+)/.exec(line)?.[1])).toEqual(['before', 'meanwhile', 'later']);
    await own.remove();
  });

  it('query and export take --from and --since alike, with a day, a time, or how long ago, and --prefix', async () => {
    const hoursAgo = [50, 3, 1];
    let now = Date.now() - 51 * HOUR;
    const store = await folder.open({}, () => now);
    for (const hours of hoursAgo) {
      now = Date.now() - hours * HOUR;
      await store.write(change(hours === 1 ? 'new/a' : 'old/a', { requestId: `${hours} hours` }));
    }
    await store.close();
    const found = async (verb: string, ...options: string[]) => {
      const { stdout, stderr, status } = await machine.svc(
        'audit',
        verb,
        folder.path,
        ...options,
        ...(verb === 'query' ? ['--json'] : []),
      );
      if (status !== 0) return stderr;
      const lines = (
        verb === 'query'
          ? (JSON.parse(stdout) as { lines: unknown }).lines
          : stdout
              .split('\n')
              .filter(Boolean)
              .map((line) => JSON.parse(line) as unknown)
      ) as { requestId: string }[];
      return lines.map(({ requestId }) => requestId).sort();
    };
    expect(await found('query', '--since', '2d')).toEqual(['1 hours', '3 hours']);
    expect(await found('export', '--from', '90m')).toEqual(['1 hours']);
    expect(await found('query', '--from', new Date(Date.now() - 2 * HOUR).toISOString(), '--to', '30m')).toEqual([
      '1 hours',
    ]);
    expect(await found('query', '--prefix', 'main/files/old/', '--since', '1d')).toEqual(['3 hours']);
    expect(await found('export', '--prefix', 'main/files/old/')).toEqual(['3 hours', '50 hours']);
    for (const none of ['90', 'may', 'week 2', '2026-13'])
      expect(await found('query', '--since', none)).toBe(
        usage(`\`${none}\` is no time such as 2026-05-04, 2026-05-04T08:00Z, 90d or 12h`),
      );
  });
});
