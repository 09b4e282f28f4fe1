import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ACCOUNTS, CONFIG, startApp, type TestApp } from '../support/app.ts';
import { accessibilityFaults, inBrowser, openAs } from '../support/browser.ts';
import { filesOf, type Files } from '../support/files.ts';

const MIB = 1024 * 1024;

/** May put things into the bucket `photos`, and sees nothing of what is there. */
const COURIER = {
  version: 1,
  name: 'courier',
  rules: [
    { effect: 'allow', actions: ['providers:read', 'buckets:read'], resources: [{ type: 'provider', provider: 'main' }] },
    { effect: 'allow', actions: ['objects:read'], resources: [{ type: 'bucket', provider: 'main', bucket: 'files' }] },
    { effect: 'allow', actions: ['objects:write'], resources: [{ type: 'bucket', provider: 'main', bucket: 'photos' }] },
  ],
};

let app: TestApp;
let files: Files;
let photos: Files;
let page: Page;
let directory: string;

inBrowser(
  () =>
    startApp({
      accounts: [...ACCOUNTS, { sub: 'kit', name: 'Kit Courier', groups: ['couriers'] }],
      config: (config) => ({ ...config, policies: [...CONFIG.policies, COURIER], bindings: [...CONFIG.bindings, { groups: ['couriers'], policies: ['courier'] }] }),
    }),
  {
    begin: async (started) => {
      app = started;
      const admin = await app.signIn('ada');
      files = filesOf(app, admin, 'files');
      photos = filesOf(app, admin, 'photos');
      directory = await mkdtemp(join(tmpdir(), 'svc-taken-'));
    },
    each: (opened) => (page = opened),
  },
);
afterAll(() => rm(directory, { recursive: true }));

const open = (account: string, bucket: string, prefix = '') => openAs(page, account, `${app.origin}/p/main/${bucket}?prefix=${encodeURIComponent(prefix)}`);
const dialog = () => page.getByRole('dialog');
const tray = () => page.getByRole('region', { name: 'Transfers' });
const answer = (choice: string) => page.getByRole('dialog', { name: 'The name is taken' }).getByRole('button', { name: choice, exact: true }).click();

async function choose(name: string, action: string): Promise<void> {
  await page.getByRole('row', { name }).getByRole('button', { name: `Actions on ${name}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

async function upload(name: string, content: string | Buffer): Promise<void> {
  await writeFile(join(directory, name), content);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Upload files' }).click();
  await (await chooser).setFiles(join(directory, name));
}

/** What stands in a bucket beneath a prefix: content by the rest of the key. */
async function contents(of: Files, prefix: string): Promise<Record<string, string>> {
  const keys = await of.keys(prefix);
  const found = await Promise.all(keys.map(async (key) => [key.slice(prefix.length), (await (await of.get(key)).text()).slice(0, 20)]));
  return Object.fromEntries(found) as Record<string, string>;
}

const OUTCOMES = [
  ['Replace', { '': 'new' }],
  ['Keep both', { '': 'old', ' (2)': 'new' }],
  ['Skip', { '': 'old' }],
] as const;

describe('a name that is taken where the caller may not list', () => {
  it.each(OUTCOMES)('is asked about by a copy: %s', async (choice, expected) => {
    const name = `copied ${choice}`;
    await files.put(name, 'new');
    await photos.put(name, 'old');
    await open('kit', 'files');
    await choose(name, 'Copy to');
    await dialog().getByRole('button', { name: 'main', exact: true }).click();
    await dialog().getByRole('button', { name: 'photos' }).click();
    await dialog().getByRole('button', { name: 'Copy here' }).click();
    await answer(choice);
    await tray().getByText('Done · 1 of 1').waitFor();
    expect(await contents(photos, name)).toEqual(expected);
  });

  it.each(OUTCOMES)('is asked about by an upload: %s', async (choice, expected) => {
    const name = `sent ${choice}`;
    await photos.put(name, 'old');
    await open('kit', 'photos');
    await page.getByText('You may upload here without seeing what is there').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await upload(name, 'new');
    await answer(choice);
    await tray().getByText(choice === 'Skip' ? 'Nothing was uploaded' : 'Uploaded 1 file').first().waitFor();
    expect(await contents(photos, name)).toEqual(expected);
  });

  it('is asked about by an upload in parts, and its parts are not sent again', async () => {
    await photos.put('large', 'old');
    await open('kit', 'photos');
    const parts: string[] = [];
    page.on('request', (request) => /\/parts\/\d+/.test(request.url()) && parts.push(request.url()));
    await upload('large', Buffer.alloc(20 * MIB, 'new'));
    await answer('Replace');
    await tray().getByText('Uploaded 1 file').first().waitFor();
    expect(parts).toHaveLength(3);
    expect((await (await photos.get('large')).arrayBuffer()).byteLength).toBe(20 * MIB);
  });

  it('is told for a new folder', async () => {
    await photos.put('there/', '');
    await open('kit', 'photos');
    await page.getByRole('button', { name: 'New folder' }).click();
    await dialog().getByLabel('Name').fill('there');
    await dialog().getByRole('button', { name: 'Create folder' }).click();
    await dialog().getByText('exists already. Choose another name.').waitFor();
  });
});

describe('a name that is taken in the last moment', () => {
  it('is asked about by a rename', async () => {
    await files.put('rename/a.txt', 'new');
    await page.route('**/objects/copy', async (route) => {
      await files.put('rename/b.txt', 'old');
      await route.continue();
    }, { times: 1 });
    await open('eve', 'files', 'rename/');
    await choose('a.txt', 'Rename');
    await dialog().getByLabel('New name').fill('b.txt');
    await dialog().getByRole('button', { name: 'Rename' }).click();
    await answer('Keep both');
    await tray().getByText('Done · 1 of 1').waitFor();
    expect(await contents(files, 'rename/')).toEqual({ 'b.txt': 'old', 'b (2).txt': 'new' });
  });
});

describe('a folder that is moved into one of its name', () => {
  it('becomes one with it, and is gone from where it was', async () => {
    for (const [key, content] of Object.entries({ 'from/album/': '', 'from/album/a.txt': 'new', 'from/album/b.txt': 'b', 'to/album/': '', 'to/album/a.txt': 'old' })) await files.put(`merge/${key}`, content);
    await open('eve', 'files', 'merge/from/');
    await choose('album', 'Move to');
    await dialog().getByRole('button', { name: 'merge', exact: true }).click();
    await dialog().getByRole('button', { name: 'to', exact: true }).click();
    await dialog().getByRole('button', { name: 'Move here' }).click();
    await answer('Keep both');
    await tray().getByText('Done · 3 of 3').waitFor();
    expect(await contents(files, 'merge/')).toEqual({ 'to/album/': '', 'to/album/a.txt': 'old', 'to/album/a (2).txt': 'new', 'to/album/b.txt': 'b' });
  });
});

/** The service carries the next request to such an address out; only its answer does not arrive. */
async function loseAnswer(urlPattern: string): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  devTools.once('Fetch.requestPaused', ({ requestId }) => {
    void devTools.send('Fetch.failRequest', { requestId, errorReason: 'ConnectionReset' }).then(() => devTools.send('Fetch.disable'));
  });
  await devTools.send('Fetch.enable', { patterns: [{ urlPattern, requestStage: 'Response' }] });
}

describe('an upload whose answer is lost', () => {
  it('is not taken for a name that is taken', async () => {
    await open('eve', 'files', 'lost-upload/');
    await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
    await loseAnswer('*/object?key=lost-upload*');
    const answers: number[] = [];
    page.on('response', (response) => response.request().method() === 'PUT' && answers.push(response.status()));
    await upload('a.txt', 'content');
    await tray().getByText('Uploaded 1 file').first().waitFor();
    expect(answers).toContain(412);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await contents(files, 'lost-upload/')).toEqual({ 'a.txt': 'content' });
  });
});

describe('a copy whose answer is lost', () => {
  it.each(['Copy', 'Move'])('is not taken for a name that is taken: %s', async (what) => {
    const prefix = `lost/${what}/`;
    await files.put(`${prefix}from/a.txt`, 'content');
    await files.put(`${prefix}to/other.txt`, 'x');
    await open('eve', 'files', `${prefix}from/`);
    await loseAnswer('*/objects/copy');
    await choose('a.txt', `${what} to`);
    await dialog().getByRole('button', { name: what, exact: true }).click();
    await dialog().getByRole('button', { name: 'to', exact: true }).click();
    await dialog().getByRole('button', { name: `${what} here` }).click();
    await tray().getByText('Done · 1 of 1').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    const moved = what === 'Move' ? {} : { 'from/a.txt': 'content' };
    expect(await contents(files, prefix)).toEqual({ ...moved, 'to/a.txt': 'content', 'to/other.txt': 'x' });
  });
});
