import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Machine } from '../../cli/svc-process.ts';

const KEYS = Array.from({ length: 1_001 }, (_, i) => `f/${i}`);

let machine: Machine;
let isDenied: boolean;
/** Called when the bucket that never goes on is asked for its second page. */
let onSlow: () => void;
/** A service that ends the session after the first page, of which it deletes what it is asked to. */
const server = createServer((req, res) => {
  void text(req).then((body) => {
    const { method, params } = JSON.parse(body) as {
      method: string;
      params: { cursor?: string; keys?: string[]; bucket: string };
    };
    const page = KEYS.map((key) => ({ key, size: 1, etag: 'e', lastModified: '2026-01-01T00:00:00Z' }));
    const [gone, ...kept] = params.keys ?? [];
    const results: Record<string, unknown> = {
      'object/list': { objects: page, prefixes: [], nextCursor: 'next' },
      'object/delete': isDenied
        ? { deleted: [], failed: params.keys?.map((key) => ({ key, code: 'access_denied' })) }
        : { deleted: kept, failed: [{ key: gone, code: 'access_denied' }] },
    };
    if (params.cursor !== undefined && params.bucket === 'slow') {
      onSlow();
      return;
    }
    results['object/copy'] = { etag: 'e' };
    const isOver = params.cursor !== undefined || params.bucket === 'closed';
    const error = { code: -32001, message: 'no session', data: { code: 'session_required' } };
    res.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...(isOver ? { error } : { result: results[method] }) }));
  });
});

beforeAll(async () => {
  machine = await Machine.make();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  Object.assign(machine.env, { SVC_SERVER: url, SVC_CREDENTIAL: 'x' });
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await machine.remove();
});
beforeEach(() => {
  isDenied = false;
});

describe('a removal that ends half-way', () => {
  it('says how much svc rm -r has deleted', async () => {
    expect(await machine.svc('rm', '-r', 'main/files/f')).toMatchObject({
      status: 4,
      stdout: 'deleted at least 999 objects before it ended\n',
      stderr: expect.stringContaining('svc login'),
    });
    // Also of the folders before the one in which it ends.
    expect((await machine.svc('rm', '-r', 'main/files/f', 'main/closed/f')).stdout).toContain('999');
  });

  it('says so at Ctrl-C too', async () => {
    const asked = new Promise<void>((resolve) => (onSlow = resolve));
    const { child, ended } = machine.start(['rm', '-r', 'main/slow/f']);
    await asked;
    child.kill('SIGINT');
    expect((await ended).stdout).toBe('deleted at least 999 objects before it ended\n');
  });

  it('gives scripts the results so far', async () => {
    const { status, stdout, stderr } = await machine.svc('rm', '-r', '--json', 'main/files/f');
    const { deleted, ...rest } = JSON.parse(stdout) as { deleted: string[] };
    expect([status, deleted.length, deleted[0]]).toEqual([4, 999, 'main/files/f/1']);
    expect(rest).toEqual({ failed: [{ key: 'main/files/f/0', code: 'access_denied' }], dryRun: false });
    expect(stderr).toContain('"code":"session_required"');
  });

  it('says how much svc rb --force has deleted', async () => {
    expect(await machine.svc('rb', '--force', 'main/files')).toMatchObject({
      status: 4,
      stdout: '',
      stderr: expect.stringContaining('deleted at least 999 objects before it ended\n'),
    });
  });

  it('says so at Ctrl-C in svc rb --force too', async () => {
    const asked = new Promise<void>((resolve) => (onSlow = resolve));
    const { child, ended } = machine.start(['rb', '--force', 'main/slow']);
    await asked;
    child.kill('SIGINT');
    expect((await ended).stderr).toContain('deleted at least 999 objects before it ended\n');
  });

  it('says no number where nothing was deleted, or would be', async () => {
    isDenied = true;
    for (const args of [
      ['rm', '-r', 'main/closed/f'],
      ['rm', '-r', '--dry-run', 'main/files/f'],
      ['rb', '--force', 'main/closed'],
    ])
      expect(await machine.svc(...args)).toMatchObject({
        status: 4,
        stdout: '',
        stderr: expect.not.stringContaining('deleted'),
      });
  });
});

describe('a copy that ends half-way', () => {
  it.each([
    ['mv', ['mv', '-r', 'main/files/f', 'main/other/g'], 'moved 1001 objects\n', { moved: 1_001, failed: [] }],
    [
      'cp',
      ['cp', '-r', 'svc:main/files/f', 'svc:main/other/g'],
      'copied 1001 files\n',
      { copied: 1_001, skipped: 0, guessed: 0, bytes: 0, failed: [] },
    ],
  ])('says how much svc %s has done', async (_verb, args, stdout, result) => {
    const stderr = expect.stringContaining('svc login');
    expect(await machine.svc(...args)).toMatchObject({ status: 4, stdout, stderr });
    const asJson = await machine.svc(...args, '--json');
    expect([asJson.status, JSON.parse(asJson.stdout)]).toEqual([4, result]);
    expect(await machine.svc(...args.map((arg) => arg.replace('/files/', '/closed/')))).toMatchObject({
      status: 4,
      stdout: '',
      stderr,
    });
  });

  it('says how much svc mv has done at Ctrl-C too', async () => {
    const asked = new Promise<void>((resolve) => (onSlow = resolve));
    const { child, ended } = machine.start(['mv', '-r', 'main/slow/f', 'main/other/g']);
    await asked;
    child.kill('SIGINT');
    // Up to three moves may still be under way.
    expect((await ended).stdout).toMatch(/^moved (?:998|999|1000|1001) objects\n$/);
  });
});
