import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, test as base, type Page } from '@playwright/test';
import { startDemo, type Demo } from '../../scripts/demo/start.ts';
import { SESSION_COOKIE } from '../../src/access/credentials.ts';
import { ACCOUNTS, CONFIG, finishSignIn, startApp, type TestApp } from '../support/app.ts';
import { filesOf, type Files } from '../support/files.ts';
import { Visitor } from '../support/visitor.ts';

/** How long a service may take to start and to stop, apart from the test that asked for it first. */
const START_MS = 60_000;

/** What a worker starts once, when its first test asks for it. */
type OfWorker = {
  /** The demo on free ports: the real service, with its accounts and sample data. */
  readonly demo: Demo;
  /** The service in this process, with buckets that tests may fill. Two people are added: Kim, from whom some objects and folders are kept, and Kit, who may put into `photos` without seeing it. */
  readonly app: TestApp;
  /** Somebody who is signed in, over HTTP and once for each account and service. A session that a test has ended is replaced by another one. */
  readonly signedIn: (origin: string, account: string) => Promise<Visitor>;
};

type OfTest = {
  /** Opens an address with the session of an account, without clicks. */
  readonly openAs: (account: string, url: string) => Promise<void>;
  /** Opens a place of the demo with the session of an account. */
  readonly openDemo: (account: string, path: string) => Promise<void>;
  /** A bucket of `app` that only the tests of this file change. It has the name of the file. */
  readonly bucket: string;
  /** Opens a folder of that bucket; by default as Eve, an editor. */
  readonly openFolder: (prefix: string, account?: string) => Promise<void>;
  /** What is in that bucket, for an administrator. */
  readonly files: Files;
  /** What is in another bucket of `app`: `files` or `photos`. */
  readonly filesIn: (bucket: string) => Promise<Files>;
  /** A folder of this computer for files of this test. */
  readonly directory: string;
  /** Writes a file into that folder, and gives its path. */
  readonly local: (name: string, content: string | Uint8Array) => Promise<string>;
};

/** Marks the main ways of a person: sign in, browse, upload, be denied, administer. They run with `npm test`. */
export const core = { tag: '@core' };

/** Gives the browser the session of somebody, as a sign-in in another tab does. */
export async function become(page: Page, visitor: Visitor, service: string, origin = service): Promise<void> {
  const value = visitor.cookie(service, SESSION_COOKIE)!;
  await page.context().addCookies([{ name: SESSION_COOKIE, value, url: origin, httpOnly: true, sameSite: 'Lax' }]);
}

/** Playwright's test, with the services that it needs and a browser profile of its own. What scripts of its pages throw and nobody catches fails it. */
export const test = base.extend<OfTest, OfWorker>({
  demo: [
    async ({}, use) => {
      const demo = await startDemo(
        { port: 0, idpPort: 0, s3Port: 0, archivePort: 0 },
        { directory: await mkdtemp(join(tmpdir(), 'svc-e2e-')) },
      );
      await use(demo);
      await demo.close();
    },
    { scope: 'worker', timeout: START_MS },
  ],

  app: [
    async ({}, use) => {
      const app = await startApp({
        accounts: [
          ...ACCOUNTS,
          { sub: 'kim', name: 'Kim Keeper', groups: ['editors', 'keepers'] },
          { sub: 'kit', name: 'Kit Courier', groups: ['couriers'] },
        ],
        config: (config) => ({
          ...config,
          audit: { path: 'audit', instance: 'one', signing_secret: 'a signing secret of the tests, long enough' },
          policies: [...CONFIG.policies, KEEPER, COURIER],
          bindings: [
            ...CONFIG.bindings,
            { groups: ['keepers'], policies: ['keeper'] },
            { groups: ['couriers'], policies: ['courier'] },
          ],
        }),
      });
      await use(app);
      await app.close();
    },
    { scope: 'worker', timeout: START_MS },
  ],

  signedIn: [
    async ({}, use) => {
      const visitors = new Map<string, Visitor>();
      await use(async (origin, account) => {
        const known = visitors.get(`${account} ${origin}`);
        if (known !== undefined && (await known.request(`${origin}/v1/auth/session`)).ok) return known;
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
      await become(page, visitor, origin);
      await page.goto(url);
    });
  },

  openDemo: async ({ demo, openAs }, use) => use((account, path) => openAs(account, demo.url + path)),

  bucket: async ({ app, signedIn }, use, { file }) => {
    const name = basename(file, '.test.ts');
    const admin = await signedIn(app.origin, 'ada');
    // The first test of the file creates it; the others find it.
    await admin.request(`${app.origin}/api/providers/main/buckets`, {
      method: 'POST',
      body: JSON.stringify({ name }),
      headers: { accept: 'application/json', 'content-type': 'application/json' },
    });
    await use(name);
  },

  openFolder: async ({ app, bucket, openAs }, use) => {
    await use((prefix, account = 'eve') =>
      openAs(account, `${app.origin}/p/main/${bucket}?prefix=${encodeURIComponent(prefix)}`),
    );
  },

  files: async ({ bucket, filesIn }, use) => use(await filesIn(bucket)),

  filesIn: async ({ app, signedIn }, use) =>
    use(async (bucket) => filesOf(app, await signedIn(app.origin, 'ada'), bucket)),

  directory: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'svc-e2e-'));
    await use(directory);
    await rm(directory, { recursive: true });
  },

  local: async ({ directory }, use) => {
    await use(async (name, content) => {
      const path = join(directory, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      return path;
    });
  },
});

const KEEPER = {
  version: 1,
  name: 'keeper',
  rules: [
    {
      effect: 'deny',
      actions: ['objects:delete'],
      resources: [
        { type: 'object', provider: 'main', bucket: 'actions', key: 'partly/kept for ever.txt' },
        { type: 'object', provider: 'main', bucket: 'moving', key: 'rights/kept for ever.txt' },
        { type: 'object', provider: 'main', bucket: 'moving', key: 'rights/once/stays.txt' },
      ],
    },
    {
      effect: 'deny',
      actions: ['objects:write'],
      resources: ['rights/closed/', 'rows/closed/'].map((prefix) => ({
        type: 'prefix',
        provider: 'main',
        bucket: 'moving',
        prefix,
      })),
    },
  ],
};

const COURIER = {
  version: 1,
  name: 'courier',
  rules: [
    {
      effect: 'allow',
      actions: ['providers:read', 'buckets:read'],
      resources: [{ type: 'provider', provider: 'main' }],
    },
    {
      effect: 'allow',
      actions: ['objects:read'],
      resources: [{ type: 'bucket', provider: 'main', bucket: 'taken-names' }],
    },
    {
      effect: 'allow',
      actions: ['objects:write'],
      resources: [{ type: 'bucket', provider: 'main', bucket: 'photos' }],
    },
  ],
};
