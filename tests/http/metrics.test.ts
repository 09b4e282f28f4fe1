import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { Metrics } from '../../src/http/rows/metrics.ts';
import { AUDIT_SECRET } from '../audit/support/audit-folder.ts';
import { Collector } from '../audit/support/collector.ts';
import { until } from '../audit/support/until.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { signInPeople, withGoneProvider, type People } from '../support/audit-cases.ts';
import { RpcConnection } from '../support/rpc-client.ts';

const FILES = '/api/providers/main/buckets/files';
const path = join(mkdtempSync(join(tmpdir(), 'svc-metrics-')), 'audit');

const collector = new Collector();
let app: TestApp;
let people: People;
beforeAll(async () => {
  const url = await collector.listen();
  app = await startApp({
    config: (config) =>
      withGoneProvider({
        ...config,
        server: { ...(config['server'] as object), metrics: { port: 0 } },
        audit: { path, instance: 'one', signing_secret: AUDIT_SECRET, sinks: [{ name: 'siem', url }] },
      }),
  });
  people = await signInPeople(app);
});
afterAll(async () => {
  await app.close();
  await collector.close();
  rmSync(join(path, '..'), { recursive: true, force: true });
});

async function scrape(): Promise<string> {
  const { text } = await supertest(`http://127.0.0.1:${app.service.metricsPort!}`).get('/metrics').expect(200);
  return text;
}

/** The value of a sample, as it stands in the text. */
async function valueOf(sample: string): Promise<number | undefined> {
  const line = (await scrape()).split('\n').find((one) => one.startsWith(`${sample} `));
  return line === undefined ? undefined : Number(line.slice(sample.length + 1));
}

describe('GET /metrics', () => {
  it('tells whether the latest configuration was taken over', async () => {
    const sample = 'svc_config_last_reload_successful';
    expect(await valueOf(sample)).toBe(1);
    app.service.refused('the configuration has faults');
    expect(await valueOf(sample)).toBe(0);
    await app.service.reload(app.settings);
    expect(await valueOf(sample)).toBe(1);
  });

  it('tells what the service stands on, also while nobody asks', async () => {
    for (const check of ['session_store', 'state_database', 'audit'])
      expect([check, await valueOf(`svc_ready{check="${check}"}`)]).toEqual([check, 1]);
    const metrics = new Metrics('1');
    let isAway = false;
    metrics.read({
      sessions: () => Promise.resolve(0),
      sockets: () => 0,
      certificateEndsAt: () => undefined,
      checks: [
        {
          name: 'session_store',
          check: () => (isAway ? Promise.reject(new Error('the store is away')) : Promise.resolve()),
        },
      ],
      audit: undefined,
    });
    expect(await metrics.text()).toContain('svc_ready{check="session_store"} 1\n');
    isAway = true;
    expect(await metrics.text()).toContain('svc_ready{check="session_store"} 0\n');
  });

  it('is on an address of its own alone', async () => {
    await supertest(app.origin).get('/metrics').set('accept', 'text/plain').expect(404);
    await supertest(`http://127.0.0.1:${app.service.metricsPort!}`).get('/api/health').expect(404);
  });

  it('counts requests by row, those to /rpc too', async () => {
    await supertest(app.origin).get('/api/providers/main/buckets/secret-name/permissions').expect(401);
    await supertest(app.origin).post('/rpc').send({ jsonrpc: '2.0', id: 1, method: 'initialize' });
    expect(
      await valueOf(
        'svc_http_requests_total{method="GET",route="/api/providers/:provider/buckets/:bucket/permissions",status="401"}',
      ),
    ).toBe(1);
    expect(await scrape()).toMatch(/svc_http_requests_total\{method="POST",route="\/rpc",status="\d+"\} 1/);
  });

  it('counts what policy decided', async () => {
    const put = (key: string) => people.http('dan', 'PUT', `${FILES}/object?key=${key}`, { body: 'x' });
    expect([(await put('open/a')).status, (await put('secret/a')).status, (await put('secret/b')).status]).toEqual([
      200, 403, 403,
    ]);
    expect(await valueOf('svc_policy_decisions_total{action="objects:write",outcome="allow"}')).toBe(1);
    expect(await valueOf('svc_policy_decisions_total{action="objects:write",outcome="deny"}')).toBe(2);
  });

  it('counts sign-ins by result, also those of strangers, which the audit leaves out', async () => {
    const done = 'svc_sign_ins_total{step="finish",result="done"}';
    const before = (await valueOf(done))!;
    await app.signIn('ada');
    await supertest(app.origin).get('/api/auth/callback?code=x&state=y').expect(401);
    expect(await valueOf(done)).toBe(before + 1);
    expect(await valueOf('svc_sign_ins_total{step="finish",result="login_invalid"}')).toBe(1);
  });

  it('times requests to storage, by what became of them', async () => {
    const count = (labels: string) => valueOf(`svc_storage_request_duration_seconds_count{${labels}}`);
    expect((await people.http('ada', 'PUT', `${FILES}/object?key=there`, { body: 'x' })).status).toBe(200);
    const [read, missed] = [
      await people.http('ada', 'GET', `${FILES}/object?key=there`),
      await people.http('ada', 'GET', `${FILES}/object?key=not-there`),
    ];
    expect([read.status, missed.status]).toEqual([200, 404]);
    expect(await count('provider="main",operation="GetObject",outcome="ok"')).toBe(1);
    expect(await count('provider="main",operation="GetObject",outcome="refused"')).toBe(1);
    expect((await people.http('ada', 'GET', '/api/providers/gone/buckets')).status).toBe(502);
    expect(await count('provider="gone",operation="ListBuckets",outcome="failed"')).toBe(1);
  });

  it('takes no client that goes away for a storage that fails', async () => {
    const { port } = new URL(app.origin);
    const head = `PUT ${FILES}/object?key=open/cut HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: ${app.origin}\r\nCookie: svc_session=${people.cookies.get('dan')!}\r\n`;
    const part = 'x'.repeat(20_000_000);
    for (const begin of [
      'Content-Length: 40000000\r\n\r\n',
      `Transfer-Encoding: chunked\r\n\r\n${part.length.toString(16)}\r\n`,
    ]) {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
      await new Promise((written) => socket.write(head + begin + part, written));
      await wait(500);
      socket.destroy();
    }
    const count = (labels: string) => valueOf(`svc_storage_request_duration_seconds_count{provider="main",${labels}}`);
    await until(
      async () =>
        (await count('operation="PutObject",outcome="aborted"')) === 1 &&
        (await count('operation="AbortMultipartUpload",outcome="ok"')) === 1,
      'two uploads that broke off',
    );
    expect(await scrape()).not.toMatch(/provider="main",operation="\w+",outcome="(failed|timeout)"/);
  });

  it('tells open sockets, active sessions and for how long the audit waits', async () => {
    const socket = await RpcConnection.open(app.origin, {
      origin: app.origin,
      cookie: `svc_session=${(await app.signIn('ada')).cookie(app.origin, 'svc_session')!}`,
    });
    if (typeof socket === 'number') throw new Error(`no socket: ${socket}`);
    expect(await valueOf('svc_sockets')).toBe(1);
    expect(await valueOf('svc_sessions')).toBeGreaterThan(0);
    expect(await valueOf('svc_audit_lag_seconds')).toBeLessThan(2);
    expect(await valueOf('svc_audit_lost_lines_total')).toBe(0);
    socket.socket.close();
    await socket.closed;
    await until(async () => (await valueOf('svc_sockets')) === 0, 'no open socket');
  });

  it('tells for how long the audit waits for a sink, and whether it fails', async () => {
    const sink = (name: string) => valueOf(`svc_audit_sink_${name}{sink="siem"}`);
    collector.always = (res) => res.writeHead(503).end();
    const written = await people.http('dan', 'PUT', `${FILES}/object?key=open/later`, { body: 'x' });
    expect(written.status).toBe(200);
    await until(
      async () =>
        (await sink('failing')) === 1 && (await sink('unsent_bytes'))! > 0 && (await sink('lag_seconds'))! > 0,
      'a sink that fails',
    );
    collector.always = undefined;
    await until(
      async () => (await sink('failing')) === 0 && (await sink('lag_seconds')) === 0,
      'a sink that has everything',
    );
    expect(await sink('skipped_lines_total')).toBe(0);
  });

  it('names no bucket, key, person, group, session or address', async () => {
    const text = await scrape();
    for (const secret of ['secret-name', 'files', 'photos', 'secret/', 'there', 'ada', 'dan', '127.0.0.1', 'staff'])
      expect(text.split('\n').filter((line) => line.includes(secret) && !line.startsWith('#'))).toEqual([]);
  });
});

describe('svc_sessions', () => {
  /** What a scrape says of it. */
  const told = async (metrics: Metrics) => /^svc_sessions (\d+)$/m.exec(await metrics.text())?.[1];
  const none = { sockets: () => 0, certificateEndsAt: () => undefined, checks: [], audit: undefined };

  it('is counted once for several scrapes', async () => {
    const metrics = new Metrics('1');
    let asked = 0;
    metrics.read({ ...none, sessions: () => Promise.resolve((asked += 1)) });
    expect([await told(metrics), await told(metrics), asked]).toEqual(['1', '1', 1]);
  });

  it('is not told while the store cannot be asked, and everything else is', async () => {
    const metrics = new Metrics('1');
    metrics.read({ ...none, sessions: () => Promise.reject(new Error('the store is away')) });
    expect([await told(metrics), await metrics.text()]).toEqual([undefined, expect.stringContaining('svc_sockets 0')]);
  });
});

describe('svc_identity_provider_certificate_not_after_timestamp_seconds', () => {
  it('is told once a certificate was seen', async () => {
    const metrics = new Metrics('1');
    const seen: { endsAt?: number } = {};
    metrics.read({
      sessions: () => Promise.resolve(0),
      sockets: () => 0,
      certificateEndsAt: () => seen.endsAt,
      checks: [],
      audit: undefined,
    });
    const told = async () =>
      /^svc_identity_provider_certificate_not_after_timestamp_seconds (\d+)$/m.exec(await metrics.text())?.[1];
    expect(await told()).toBeUndefined();
    seen.endsAt = 1_800_000_000_000;
    expect(await told()).toBe('1800000000');
  });
});
