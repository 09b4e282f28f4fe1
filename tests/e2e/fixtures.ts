import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test as base } from '@playwright/test';
import { startDemo, type Demo } from '../../scripts/demo/start.ts';
import { SESSION_COOKIE } from '../../src/access/credentials.ts';
import { ACCOUNTS, CONFIG, finishSignIn, startApp, type TestApp } from '../support/app.ts';
import { filesOf, type Files } from '../support/files.ts';
import { Visitor } from '../support/visitor.ts';

/** What a worker starts once, when its first test asks for it. */
type OfWorker = {
  /** The demo on free ports: the real service, with its accounts and sample data. */
  readonly demo: Demo;
  /** The service in this process, with buckets that tests may fill. Two people are added: Kim, from whom one object is kept, and Kit, who may put into `photos` without seeing it. */
  readonly app: TestApp;
  /** Somebody who is signed in, over HTTP and once for each account and service. A session that a test has ended is replaced by another one. */
  readonly signedIn: (origin: string, account: string) => Promise<Visitor>;
};

type OfTest = {
  /** Opens an address with the session of an account, without clicks. */
  readonly openAs: (account: string, url: string) => Promise<void>;
  /** A bucket of `app` that only the tests of this file change. It has the name of the file. */
  readonly bucket: string;
  /** What is in the bucket, for an administrator. */
  readonly files: Files;
  /** A folder for files of this test. */
  readonly directory: string;
};

/** Playwright's test, with the services that it needs and a browser profile of its own. What scripts of its pages throw and nobody catches fails it. */
export const test = base.extend<OfTest, OfWorker>({
  demo: [
    async ({}, use) => {
      const demo = await startDemo({ port: 0, idpPort: 0, s3Port: 0, archivePort: 0 }, await mkdtemp(join(tmpdir(), 'svc-e2e-')));
      await use(demo);
      await demo.close();
    },
    { scope: 'worker' },
  ],

  app: [
    async ({}, use) => {
      const app = await startApp({
        accounts: [...ACCOUNTS, { sub: 'kim', name: 'Kim Keeper', groups: ['editors', 'keepers'] }, { sub: 'kit', name: 'Kit Courier', groups: ['couriers'] }],
        config: (config) => ({
          ...config,
          policies: [...CONFIG.policies, KEEPER, COURIER],
          bindings: [...CONFIG.bindings, { groups: ['keepers'], policies: ['keeper'] }, { groups: ['couriers'], policies: ['courier'] }],
        }),
      });
      await use(app);
      await app.close();
    },
    { scope: 'worker' },
  ],

  signedIn: [
    async ({}, use) => {
      const visitors = new Map<string, Visitor>();
      await use(async (origin, account) => {
        const known = visitors.get(`${account} ${origin}`);
        if (known !== undefined && (await known.request(`${origin}/api/auth/me`)).ok) return known;
        const visitor = new Visitor();
        await finishSignIn(`${origin}/api/auth/login`, account, visitor);
        visitors.set(`${account} ${origin}`, visitor);
        return visitor;
      });
    },
    { scope: 'worker' },
  ],

  context: async ({ context }, use) => {
    const thrown: string[] = [];
    context.on('weberror', (error) => thrown.push(String(error.error().stack)));
    await use(context);
    expect(thrown, 'errors that the pages did not catch').toEqual([]);
  },

  openAs: async ({ page, signedIn }, use) => {
    await use(async (account, url) => {
      const { origin } = new URL(url);
      const visitor = await signedIn(origin, account);
      await page.context().addCookies([{ name: SESSION_COOKIE, value: visitor.cookie(origin, SESSION_COOKIE)!, url: origin, httpOnly: true, sameSite: 'Lax' }]);
      await page.goto(url);
    });
  },

  bucket: async ({ app, signedIn }, use, { file }) => {
    const name = basename(file, '.test.ts');
    const admin = await signedIn(app.origin, 'ada');
    // The first test of the file creates it; the others find it.
    await admin.request(`${app.origin}/api/providers/main/buckets`, { method: 'POST', body: JSON.stringify({ name }), headers: { accept: 'application/json', 'content-type': 'application/json' } });
    await use(name);
  },

  files: async ({ app, bucket, signedIn }, use) => use(filesOf(app, await signedIn(app.origin, 'ada'), bucket)),

  directory: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'svc-e2e-'));
    await use(directory);
    await rm(directory, { recursive: true });
  },
});

const KEEPER = {
  version: 1,
  name: 'keeper',
  rules: [{ effect: 'deny', actions: ['objects:delete'], resources: [{ type: 'object', provider: 'main', bucket: 'actions', key: 'partly/kept for ever.txt' }] }],
};

const COURIER = {
  version: 1,
  name: 'courier',
  rules: [
    { effect: 'allow', actions: ['providers:read', 'buckets:read'], resources: [{ type: 'provider', provider: 'main' }] },
    { effect: 'allow', actions: ['objects:read'], resources: [{ type: 'bucket', provider: 'main', bucket: 'taken-names' }] },
    { effect: 'allow', actions: ['objects:write'], resources: [{ type: 'bucket', provider: 'main', bucket: 'photos' }] },
  ],
};
