import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { pdf } from '../../scripts/demo/samples/pdf.ts';
import { png } from '../../scripts/demo/samples/png.ts';
import { wav } from '../../scripts/demo/samples/wav.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { accessibilityFaults, inBrowser, openAs } from '../support/browser.ts';
import { filesOf, type Files } from '../support/files.ts';

const SCRIPT = "globalThis.ran = true; document.title = 'ran'; parent.ran = true;";

let app: TestApp;
let files: Files;
let page: Page;

inBrowser(startApp, {
  begin: async (started) => {
    app = started;
    files = filesOf(app, await app.signIn('ada'), 'files');
  },
  each: (opened) => (page = opened),
});

const open = (key: string, account = 'vic') => openAs(page, account, `${app.origin}/p/main/files?object=${encodeURIComponent(key)}`);
const preview = () => page.getByRole('region', { name: 'Preview' });
const metadata = () => page.getByRole('region', { name: 'Metadata' });

/** As a program does that writes to storage without the service. */
async function putWithMetadata(key: string, given: Record<string, string>): Promise<void> {
  const { url, accessKeyId, secretAccessKey } = app.s3;
  const client = new S3Client({ endpoint: url, region: 'us-east-1', forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } });
  await client.send(new PutObjectCommand({ Bucket: 'files', Key: key, Body: 'x', Metadata: given }));
  client.destroy();
}

/** Whether a script of an object has run anywhere on the page. */
async function hasRun(): Promise<boolean> {
  const inFrames = await Promise.all(page.frames().map((frame) => frame.evaluate(() => 'ran' in globalThis).catch(() => false)));
  return inFrames.some((ran) => ran) || (await page.title()) === 'ran';
}

describe('details', () => {
  it('show what storage knows of an object', async () => {
    await files.put('facts.txt', 'x'.repeat(1234), 'text/plain');
    await open('facts.txt');
    await metadata().getByText('(1,234 bytes)').waitFor();
    await metadata().getByText('text/plain').waitFor();
    await metadata().getByText('s3://files/facts.txt').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('show the metadata that came with the object, under its own names', async () => {
    await putWithMetadata('report.txt', { owner: 'Ada', 'review-state': 'final', place: '=?UTF-8?B?TcO8bmNoZW4=?=', empty: '' });
    await open('report.txt');
    await metadata().getByRole('heading', { name: 'Custom metadata' }).waitFor();
    const facts = metadata().locator('dl').last();
    expect(await facts.getByRole('term').allInnerTexts()).toEqual(['empty', 'owner', 'place', 'review-state']);
    expect(await facts.getByRole('definition').allInnerTexts()).toEqual(['', 'Ada', 'München', 'final']);
    expect(await accessibilityFaults(page)).toEqual([]);
    await files.put('plain.txt', 'x');
    await page.goto(`${app.origin}/p/main/files?object=plain.txt`);
    await metadata().getByText('s3://files/plain.txt').waitFor();
    expect(await metadata().getByText('Custom metadata').count()).toBe(0);
  });

  it('show what the listing says where the object may not be read, and name the missing action', async () => {
    await files.put('listed only.txt', 'secret');
    await openAs(page, 'dan', `${app.origin}/p/main/files`);
    await page.getByRole('row', { name: 'listed only.txt' }).getByRole('link').click();
    await page.getByText('You have no access here').waitFor();
    await page.getByText('objects:get').first().waitFor();
    await metadata().getByText('6 byte').waitFor();
    expect(await page.getByText('secret').count()).toBe(0);
  });
});

describe('a preview', () => {
  it('shows text as text', async () => {
    await files.put('notes.txt', 'Grüße <b>not bold</b>', 'text/plain');
    await open('notes.txt');
    await preview().getByText('Grüße <b>not bold</b>').waitFor();
  });

  it('asks for the start of a long text only', async () => {
    await files.put('long.log', 'line\n'.repeat(400_000));
    const asked = page.waitForRequest((request) => request.method() === 'GET' && request.url().includes('object?key=long.log'));
    await open('long.log');
    expect((await asked).headers()['range']).toBe('bytes=0-511999');
    await preview().getByText('Download the file to read all of it.').waitFor();
  });

  it('colours source', async () => {
    await files.put('hello.ts', 'export const answer = 42; // why');
    await open('hello.ts');
    await preview().locator('.hljs-keyword', { hasText: 'const' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('shows HTML as its source, and runs none of it', async () => {
    await files.put('page.html', `<script>${SCRIPT}</script><img src=x onerror="${SCRIPT}">`, 'text/html');
    await open('page.html');
    await preview().getByText('onerror').waitFor();
    expect(await hasRun()).toBe(false);
  });

  it('shows CSV as a table', async () => {
    await files.put('table.csv', 'name,amount\n"Ada, A.",1\n"say ""hi""",2\n');
    await open('table.csv');
    await preview().getByRole('columnheader', { name: 'amount' }).waitFor();
    await preview().getByRole('cell', { name: 'Ada, A.' }).waitFor();
    await preview().getByRole('cell', { name: 'say "hi"' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('shows an image', async () => {
    await files.put('dot #1.png', new Uint8Array(png(8, 8, () => [10, 120, 200])), 'image/png');
    await open('dot #1.png');
    const image = preview().getByRole('img', { name: 'dot #1.png' });
    await image.waitFor();
    await page.waitForFunction(() => document.querySelector<HTMLImageElement>('[aria-label=Preview] img')?.naturalWidth === 8);
  });

  it('shows an SVG as a picture, and runs none of its scripts', async () => {
    await files.put('drawing.svg', `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20" onload="${SCRIPT}"><script>${SCRIPT}</script><rect width="40" height="20"/></svg>`, 'image/svg+xml');
    await open('drawing.svg');
    await page.waitForFunction(() => document.querySelector<HTMLImageElement>('[aria-label=Preview] img')?.naturalWidth === 40);
    expect(await hasRun()).toBe(false);
  });

  it('shows a PDF in the viewer of the browser', async () => {
    await files.put('report.pdf', new Uint8Array(pdf([{ heading: 'Report', lines: ['one'] }])), 'application/pdf');
    await open('report.pdf');
    await preview().locator('iframe[title="Preview of report.pdf"]').waitFor();
    await page.waitForFunction(() => document.querySelector('iframe')?.src.startsWith('blob:'));
    const deadline = Date.now() + 8_000;
    while (!page.frames().some((frame) => frame.url().startsWith('chrome-extension:')) && Date.now() < deadline) await page.waitForTimeout(100);
    expect(page.frames().some((frame) => frame.url().startsWith('chrome-extension:'))).toBe(true);
  });

  it('never makes a page of this origin of what only claims to be a PDF', async () => {
    await files.put('fake.pdf', `<html><script>${SCRIPT}</script></html>`, 'text/html');
    await open('fake.pdf');
    await preview().locator('iframe').waitFor();
    await page.waitForTimeout(1_000);
    expect(await hasRun()).toBe(false);
  });

  it('plays audio by ranges from the guarded route', async () => {
    await files.put('tone.wav', new Uint8Array(wav([{ hertz: 440, seconds: 1 }])), 'audio/wav');
    const asked = page.waitForRequest((request) => request.headers()['range'] !== undefined && request.url().includes('tone.wav'));
    await open('tone.wav');
    await asked;
    await page.waitForFunction(() => (document.querySelector('audio')?.duration ?? 0) > 0.9);
  });

  it('says so when there is none', async () => {
    await files.put('archive.7z', 'x');
    await files.put('empty.txt', '');
    await files.put('binary.txt', new Uint8Array([1, 0, 2]));
    await open('archive.7z');
    await page.getByText('There is no preview for this type of file').waitFor();
    await page.goto(`${app.origin}/p/main/files?object=empty.txt`);
    await page.getByText('This file is empty.').waitFor();
    await page.goto(`${app.origin}/p/main/files?object=binary.txt`);
    await page.getByText('This file holds no text').waitFor();
  });
});
