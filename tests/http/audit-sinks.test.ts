import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AUDIT_SECRET } from '../audit/support/audit-folder.ts';
import { Collector } from '../audit/support/collector.ts';
import { until } from '../audit/support/until.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { signInPeople, type People } from '../support/audit-cases.ts';
import { needsOneProcess } from '../support/one-process.ts';
import type { OperationOutput } from '../../src/wire/operations.ts';

const TOKEN = 'a-token-that-nobody-may-see';
const path = join(mkdtempSync(join(tmpdir(), 'svc-sinks-')), 'audit');
const collector = new Collector();

let app: TestApp;
let people: People;
let host: string;
beforeAll(async () => {
  needsOneProcess('each worker tells of its own sinks');
  const { origin, host: at } = new URL(await collector.listen());
  host = at;
  collector.misbehaviours.push((res) => void res.writeHead(503).end());
  app = await startApp({
    config: (config) => ({
      ...config,
      audit: {
        path,
        instance: 'one',
        signing_secret: AUDIT_SECRET,
        sinks: [
          {
            name: 'pipeline',
            url: `${origin}/hook-${TOKEN}`,
            headers: [{ name: 'Authorization', value: TOKEN }],
            only: { operations: ['object/write'], places: ['main/files/open/'] },
          },
          { name: 'nobody', url: 'syslog+tcp://127.0.0.1:1' },
        ],
      },
    }),
  });
  people = await signInPeople(app);
});
afterAll(async () => {
  await app.close();
  await collector.close();
  rmSync(join(path, '..'), { recursive: true, force: true });
});

const asked = () => people.rpc('ada').call('audit/sinks', {});
const sinkOf = ({ sinks }: OperationOutput<'audit/sinks'>, name: string) => sinks.find((sink) => sink.name === name);

it('audit/sinks tells what each sink receives and its failures, and keeps the rest of its address secret', async () => {
  expect(sinkOf(await asked(), 'pipeline')).toMatchObject({ lastSentAt: null, sentLines: 0 });
  await people.http('dan', 'PUT', '/api/providers/main/buckets/files/object?key=open/a', { body: 'x' });
  await until(async () => {
    const answer = await asked();
    const isWaiting = (sinkOf(answer, 'nobody')?.unsentBytes ?? 0) > 0;
    return isWaiting && sinkOf(answer, 'pipeline')?.lastSentAt !== null && !sinkOf(answer, 'pipeline')?.failing;
  }, 'a success after the failure');
  const answer = await asked();
  expect(answer).toMatchObject({
    instance: 'one',
    sinks: [
      {
        name: 'pipeline',
        type: 'http',
        host,
        operations: ['object/write'],
        outcomes: null,
        places: ['main/files/open/'],
        failing: false,
        sentLines: 1,
        skippedLines: 0,
        failures: [{ why: 'the receiver answered with status 503' }],
      },
      { name: 'nobody', type: 'syslog', host: '127.0.0.1:1', operations: null, failing: true, lastSentAt: null },
    ],
  });
  const { failures } = sinkOf(answer, 'nobody')!;
  expect(failures[0]!.why).toContain('ECONNREFUSED');
  expect(JSON.stringify(answer)).not.toContain(TOKEN);
  const row = await people.http('ada', 'GET', '/api/admin/audit/sinks');
  expect(row.json()).toMatchObject({ instance: 'one', sinks: [{ last_sent_at: expect.any(String) }, {}] });
});
