import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { latestLines, matchingLines } from '../../../src/audit/audit-lines.ts';
import { AuditReader } from '../../../src/audit/audit-reader.ts';
import type { AuditQuestion } from '../../../src/audit/audit-query.ts';
import type { OperationName } from '../../../src/audit/operations.ts';
import type { ResourceOutcome } from '../../../src/audit/record.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInPeople, type People } from '../../support/audit-cases.ts';
import { AUDIT_SECRET, AuditFolder, change, formerly } from '../../audit/support/audit-folder.ts';

type Ended = readonly [
  requestId: string,
  operation: OperationName,
  action: string | undefined,
  outcome: ResourceOutcome['outcome'],
];

/** The bucket `hr-secret` of `main`, or `reports` of a provider `main/hr-secret`, which does not exist. */
const AMBIGUOUS = 'main/hr-secret/reports/2024.xlsx';
const OBJECT = { provider: 'main', bucket: 'hr-secret', key: 'reports/2024.xlsx' };
/** Only storage that has the object reads and writes it. */
const SURE: readonly Ended[] = [
  ['read', 'object/read', 'objects:get', 'done'],
  ['written', 'object/write', 'objects:write', 'done'],
];
const UNSURE: readonly Ended[] = [
  ['denied', 'object/read', 'objects:get', 'denied'],
  ['failed', 'object/read', 'objects:get', 'failed'],
  ['untouched', 'object/delete', 'objects:delete', 'untouched'],
  ['asked', 'object/activity', 'objects:get', 'done'],
  ['ticket', 'transfer/create', 'objects:get', 'done'],
  ['folder', 'object/archive', undefined, 'done'],
];
/** `a` and `b` are too short for names of buckets, so these can mean one object each. */
const PLAIN = 'main/files/a/b/1.jpg';

let folder: AuditFolder;
let reader: AuditReader;
/** The lines of this chain: the requests of these tests are in the chain of the service. */
function ids(question: Partial<AuditQuestion>): string[] {
  const { lines } = reader.ask({ limit: 100, ...question });
  return lines
    .filter(({ instance }) => instance === 'one')
    .map((line) => String(line['requestId']))
    .sort();
}

beforeAll(async () => {
  folder = new AuditFolder();
  const store = await folder.open();
  for (const [requestId, operation, action, outcome] of [...SURE, ...UNSURE]) {
    await store.write(
      change('', {
        requestId,
        operation,
        resources: [formerly(AMBIGUOUS, { ...(action !== undefined && { action }), outcome })],
      }),
    );
  }
  const { who, address, face } = change('');
  await store.intend({
    requestId: 'intent',
    operation: 'object/write',
    who,
    address,
    face,
    resources: [formerly(AMBIGUOUS, { action: 'objects:write' } as ResourceOutcome)],
  });
  const plain: readonly (readonly [...Ended, text: string])[] = [
    ['plain', 'object/read', 'objects:get', 'denied', PLAIN],
    ['bucket', 'bucket/delete', 'buckets:delete', 'denied', 'main/files'],
    ['two slashes', 'bucket/delete', 'buckets:delete', 'denied', 'main/files/more'],
    ['whole bucket', 'object/archive', undefined, 'done', 'main/files/'],
    ['session', 'session/revoke', undefined, 'done', 'session/1'],
    ['no bucket', 'object/read', 'objects:get', 'denied', 'main//files/x'],
  ];
  for (const [requestId, operation, action, outcome, text] of plain) {
    await store.write(
      change('', {
        requestId,
        operation,
        resources: [formerly(text, { ...(action !== undefined && { action }), outcome })],
      }),
    );
  }
  await store.write(
    change('now', { requestId: 'now', resources: [{ ...OBJECT, action: 'objects:get', outcome: 'denied' }] }),
  );
  await store.close();
  reader = new AuditReader(folder.path);
});
afterAll(async () => {
  reader.close();
  await folder.remove();
});

describe('a line of an earlier version', () => {
  it('is about an object if its text can mean no other one, or if storage did what was asked', () => {
    expect(ids({ about: OBJECT })).toEqual(['now', 'read', 'written']);
    expect(ids({ about: { provider: 'main', bucket: 'files', key: 'a/b/1.jpg' } })).toEqual(['plain']);
    expect(ids({ about: { provider: 'main/hr-secret', bucket: 'reports', key: '2024.xlsx' } })).toEqual([]);
    expect(ids({ about: { provider: 'main', bucket: 'files' } })).toEqual(['bucket']);
    expect(
      [...matchingLines(folder.path, { about: { provider: 'main', bucket: 'files' } })].map(
        (line) => line['requestId'],
      ),
    ).toEqual(['bucket']);
    expect(ids({ about: { provider: 'main', bucket: 'files', key: 'more' } })).toEqual([]);
    expect(ids({ about: { provider: 'main', bucket: '', key: 'files/x' } })).toEqual([]);
  });

  it('is found by its text, whatever it means', () => {
    expect(ids({ resource: AMBIGUOUS })).toEqual(['now', ...[...SURE, ...UNSURE].map(([id]) => id), 'intent'].sort());
    expect(ids({ prefix: 'main/hr-secret/reports/' })).toEqual(ids({ resource: AMBIGUOUS }));
    expect(ids({ resource: 'session/1' })).toEqual(['session']);
    expect(ids({ resource: 'main/files/more' })).toEqual(['two slashes']);
    expect(ids({ resource: 'main//files/x' })).toEqual(['no bucket']);
  });

  it('keeps its text in answers, and has the names only if they are certain', () => {
    const entryOf = (id: string) =>
      latestLines(folder.path, { limit: 100 }).lines.find((line) => line['requestId'] === id)!.resources;
    expect(entryOf('denied')).toEqual([{ resource: AMBIGUOUS, action: 'objects:get', outcome: 'denied' }]);
    expect(entryOf('read')).toEqual([{ resource: AMBIGUOUS, ...OBJECT, action: 'objects:get', outcome: 'done' }]);
    expect(entryOf('now')).toEqual(entryOf('read').map((entry) => ({ ...entry, outcome: 'denied' })));
    expect(entryOf('whole bucket')).toEqual([
      { resource: 'main/files/', provider: 'main', bucket: 'files', prefix: '', outcome: 'done' },
    ]);
  });

  it('is in a chain that can be verified', () => {
    expect(folder.verify()).toEqual([expect.objectContaining({ name: 'one', faults: [] })]);
  });
});

describe('an index of version 3', () => {
  it('is rebuilt', () => {
    ids({});
    reader.close();
    const db = new DatabaseSync(join(folder.path, 'index.db'));
    // Version 3 has no lines that name no text.
    db.exec('DELETE FROM objects; PRAGMA user_version = 3');
    db.close();
    reader = new AuditReader(folder.path);
    expect(ids({ about: OBJECT })).toEqual(['now', 'read', 'written']);
  });
});

describe('GET …/object/activity', () => {
  let app: TestApp;
  let people: People;
  beforeAll(async () => {
    const HR = {
      version: 1,
      name: 'hr',
      rules: [
        {
          effect: 'deny',
          actions: ['objects:read'],
          resources: [{ type: 'bucket', provider: 'main', bucket: 'hr-secret' }],
        },
      ],
    };
    app = await startApp({
      buckets: ['files', 'hr-secret'],
      config: ({ policies, bindings, ...config }) => ({
        ...config,
        policies: [...(policies as object[]), HR],
        bindings: [...(bindings as object[]), { groups: ['viewers'], policies: ['hr'] }],
        audit: { path: folder.path, instance: 'two', signing_secret: AUDIT_SECRET },
      }),
    });
    people = await signInPeople(app);
  });
  afterAll(() => app.close());

  const activity = '/api/providers/main/buckets/hr-secret/object/activity?key=reports/2024.xlsx';

  it('shows no line that may be about another object', async () => {
    const { lines } = (await people.http('ada', 'GET', activity)).json() as {
      readonly lines: readonly { readonly operation: string; readonly outcome: string; readonly subject: string }[];
    };
    expect(
      lines
        .filter(({ subject }) => subject !== 'vic')
        .map(({ operation, outcome }) => `${operation} ${outcome}`)
        .sort(),
    ).toEqual(['object/read done', 'object/write denied', 'object/write done']);
  });

  it('is denied to whom policy denies the object, and its reading with a longer name of a provider is refused', async () => {
    const cookie = `svc_session=${(await app.signIn('vic')).cookie(app.origin, 'svc_session')!}`;
    const other = '/api/providers/main%2Fhr-secret/buckets/reports/object/activity?key=2024.xlsx';
    const answers = [
      await people.http('vic', 'GET', activity, { headers: { cookie } }),
      await people.http('vic', 'GET', other, { headers: { cookie } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 400]);
    for (const answer of answers) expect(answer.text()).not.toMatch(/Ada|lines/);
  });

  it('is for administrators also in the audit: by names what is certain, by the text the rest', async () => {
    const asked = async (query: string) => {
      const { lines } = (await people.http('ada', 'GET', `/api/admin/audit?${query}`)).json() as {
        readonly lines: readonly { readonly request_id: string; readonly instance: string }[];
      };
      return lines
        .filter(({ instance }) => instance === 'one')
        .map(({ request_id: id }) => id)
        .sort();
    };
    expect(await asked('provider=main&bucket=hr-secret&key=reports/2024.xlsx')).toEqual(['now', 'read', 'written']);
    expect(await asked('provider=main&bucket=files')).toEqual(['bucket']);
    expect(await asked('provider=main')).toEqual([]);
    expect(await asked(`resource=${AMBIGUOUS}`)).toEqual(ids({ resource: AMBIGUOUS }));
    const faults = await Promise.all(
      ['bucket=files', 'key=a', 'provider=main&key=a', 'provider=main%2Ffiles'].map(async (query) =>
        (await people.http('ada', 'GET', `/api/admin/audit?${query}`)).json(),
      ),
    );
    expect(faults).toMatchObject(
      ['provider', 'provider', 'bucket', 'provider'].map((path) => ({
        code: 'invalid_request',
        errors: [{ path: expect.stringContaining(path) }],
      })),
    );
    expect(folder.verify().flatMap(({ faults: found }) => found)).toEqual([]);
  });
});
