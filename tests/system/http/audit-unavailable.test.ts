import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SigningKey } from '../../../src/audit/signing-key.ts';
import { verifyAudit } from '../../../src/audit/verify.ts';
import { finishSignIn, startApp, type TestApp } from '../../support/app.ts';
import { needsOneProcess } from '../../support/one-process.ts';
import { rawRequest, type RawRequest } from '../../support/raw-request.ts';
import { RpcClient } from '../../support/rpc-client.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { isRoot, SmallDisk } from '../../support/small-disk.ts';
import { Visitor } from '../../support/visitor.ts';
import { AUDIT_SECRET, change, openAudit } from '../../audit/support/audit-folder.ts';

if (!isRoot) console.warn('a full disk: skipped, because only root can mount one');
const withDisk = isRoot ? describe : describe.skip;

const FILES = '/api/providers/main/buckets/files';

withDisk.each([{ required: true }, { required: false }])(
  'a full disk of the audit, with $required for `required`',
  ({ required }) => {
    let disk: SmallDisk;
    let app: TestApp;
    let cookie: string;
    let rpc: RpcClient;
    beforeAll(async () => {
      disk = new SmallDisk();
      app = await startApp({
        config: (config) => ({
          ...config,
          audit: { path: join(disk.path, 'audit'), instance: 'one', signing_secret: AUDIT_SECRET, required },
        }),
      });
      cookie = `svc_session=${(await app.signIn('dan')).cookie(app.origin, 'svc_session')!}`;
      rpc = RpcClient.bearer(app.origin, (await signInDesktop(app, 'dan')).access_token);
      expect((await http('PUT', '/object?key=open/before', { body: 'before' })).status).toBe(200);
      disk.fill();
    });
    afterAll(async () => {
      try {
        await app.close();
      } finally {
        disk.remove();
      }
    });

    function http(method: string, path: string, request: RawRequest = {}) {
      return rawRequest(app.origin, `${FILES}${path}`, { method, ...request, headers: { cookie, ...request.headers } });
    }
    /** Writes until what was free of the last block is full too. */
    async function refused(): Promise<string[]> {
      const codes: string[] = [];
      for (let i = 0; i < 40; i += 1) {
        const answer = await http('PUT', `/object?key=open/while-full-${i}`, { body: 'x' });
        if (answer.status !== 200)
          codes.push(`${answer.status} ${(JSON.parse(answer.body.toString()) as { code: string }).code}`);
      }
      return codes;
    }

    it('begins no session whose line cannot be written', async () => {
      let refusal: { readonly status: number; readonly code: string | undefined } | undefined;
      const visitor = new Visitor();
      for (let i = 0; i < 40 && refusal === undefined; i += 1) {
        const answer = await finishSignIn(`${app.origin}/api/auth/login`, 'dan', visitor);
        if (answer.status >= 500)
          refusal = { status: answer.status, code: /audit cannot be written/.exec(await answer.text())?.[0] };
        else await visitor.request(`${app.origin}/api/auth/logout`);
      }
      expect(refusal).toEqual({ status: 503, code: 'audit cannot be written' });
      expect(await (await visitor.request(`${app.origin}/api/auth/me`)).json()).toMatchObject({ authenticated: false });
    });

    it('ends no session whose line cannot be written, and keeps its cookie', async () => {
      await refused();
      const answer = await rawRequest(app.origin, '/api/auth/logout', { method: 'GET', headers: { cookie } });
      expect(answer.status).toBe(503);
      expect(answer.headers['set-cookie']).toBeUndefined();
      const after = await rawRequest(app.origin, '/v1/auth/session', { method: 'GET', headers: { cookie } });
      // With `required`, reading the session needs its line too.
      expect(after.status).toBe(required ? 503 : 200);
    });

    it('refuses changes before they are done, and says why', async () => {
      const codes = await refused();
      expect(codes.length).toBeGreaterThan(10);
      expect(new Set(codes)).toEqual(new Set(['503 audit_unavailable']));
      const calls = app.storageCalls.calls.length;
      const answer = await http('PUT', '/object?key=open/later', { body: 'x' });
      expect(answer.headers['retry-after']).toBe('5');
      expect(app.storageCalls.calls.length).toBe(calls);
      const { data } = await rpc.fails('object/delete', { provider: 'main', bucket: 'files', key: 'open/before' });
      expect(app.storageCalls.calls.length).toBe(calls);
      for (const { code, detail } of [answer.json() as { code: string; detail: string }, data]) {
        expect([code, detail]).toEqual([
          'audit_unavailable',
          'the service cannot record what is done, so it does nothing until it can; if this lasts, tell an administrator of this service',
        ]);
      }
    });

    it(required ? 'refuses what reads too' : 'lets what reads go on', async () => {
      const answer = await http('GET', '/object?key=open/before');
      expect([answer.status, answer.body.toString().includes(required ? 'audit_unavailable' : 'before')]).toEqual([
        required ? 503 : 200,
        true,
      ]);
    });

    it('has one line in the log, whatever fails meanwhile', () => {
      needsOneProcess('each worker has a line in the log');
      const lines = app
        .logged()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { level: string; message: string });
      expect(lines.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
        'the audit cannot be written; make room on the disk of `audit.path`, or mend it',
      ]);
    });

    it('is told by the readiness, and not by the liveness', async () => {
      expect((await rawRequest(app.origin, '/api/health')).status).toBe(200);
      expect((await rawRequest(app.origin, '/api/ready')).status).toBe(503);
    });

    it('goes on by itself when there is room, and says that it could not write', async () => {
      needsOneProcess('each worker has a line in the log');
      disk.empty();
      expect((await http('PUT', '/object?key=open/after', { body: 'after' })).status).toBe(200);
      expect((await http('GET', '/object?key=open/after')).status).toBe(200);
      // It is checked once a second.
      while ((await rawRequest(app.origin, '/api/ready')).status !== 200)
        await new Promise((resolve) => setTimeout(resolve, 50));
      const [report] = verifyAudit(join(disk.path, 'audit'), [new SigningKey(AUDIT_SECRET).publicKey]);
      expect(report).toMatchObject({
        faults: [],
        notes: expect.arrayContaining([
          expect.stringMatching(
            /^before line \d+, from .*, the audit could not be written; \d+ lines about what only reads were lost$/,
          ),
        ]),
      });
      expect(app.logged().match(/the audit is written again/g)).toHaveLength(1);
      const lines = readFileSync(join(disk.path, 'audit/one/00000001.jsonl'), 'utf8');
      expect(lines).toContain('"key":"open/after"');
    });
  },
);

withDisk('a disk of the audit that is full at the start', () => {
  it('is named, with what to do', async () => {
    const disk = new SmallDisk();
    const store = await openAudit(join(disk.path, 'audit'));
    try {
      await store.write(change('a'));
      const asKilled = join(disk.path, 'killed');
      cpSync(join(disk.path, 'audit'), asKilled, { recursive: true });
      disk.fill();
      await expect(openAudit(asKilled)).rejects.toMatchObject({
        code: 'audit_unavailable',
        message: expect.stringMatching(/^audit\.path: `.*` cannot be written to; .* the room on the disk$/),
      });
    } finally {
      await store.close();
      disk.remove();
    }
  });
});
