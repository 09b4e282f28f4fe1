import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { PutObjectCommand, S3Client, type PutObjectCommandInput } from '@aws-sdk/client-s3';
import { expect, type Page } from '@playwright/test';
import { blankPng, png } from '../../scripts/demo/samples/png.ts';
import { wav } from '../../scripts/demo/samples/wav.ts';
import type { TestApp } from '../support/app.ts';
import { hasRun, SCRIPT } from '../support/foreign-script.ts';
import { mp4Of } from '../support/mp4-file.ts';
import { accessibilityFaults, row } from '../support/page.ts';
import { CITIES, CITIES_WITHOUT_END } from '../web/preview/cities.ts';
import { test as base } from './fixtures.ts';

const test = base.extend<{ readonly openObject: (key: string) => Promise<void> }>({
  /** Opens the details of an object, for somebody who may read. */
  openObject: async ({ app, bucket, openAs }, use) => {
    await use((key) => openAs('vic', `${app.origin}/p/main/${bucket}?object=${encodeURIComponent(key)}`));
  },
});

const preview = (page: Page) => page.getByRole('region', { name: 'Preview' });
const metadata = (page: Page) => page.getByRole('region', { name: 'Metadata' });
const image = (page: Page) => preview(page).getByRole('img');

/** As a program does that writes to storage without the service. */
async function putDirectly(
  { s3 }: TestApp,
  bucket: string,
  key: string,
  given: Partial<PutObjectCommandInput>,
): Promise<void> {
  const { url, accessKeyId, secretAccessKey } = s3;
  const client = new S3Client({
    endpoint: url,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: 'x', ...given }));
  client.destroy();
}

/** A ZIP archive whose only member is empty: a directory alone, after some bytes. */
function zipOf(name: string, at = 0): Uint8Array<ArrayBuffer> {
  const record = Buffer.alloc(46 + name.length);
  record.writeUInt32LE(0x02014b50);
  record.writeUInt16LE(name.length, 28);
  record.write(name, 46);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(record.length, 12);
  end.writeUInt32LE(at, 16);
  return new Uint8Array(Buffer.concat([Buffer.alloc(at), record, end]));
}

/** The same Parquet file with its footer so far behind its rows that they are read apart. */
function inTwoBlocks(file: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(file);
  const footer = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
  return new Uint8Array(Buffer.concat([bytes.subarray(0, footer), Buffer.alloc(600_000), bytes.subarray(footer)]));
}

function withText(bytes: Uint8Array, text: string, other: string): Uint8Array<ArrayBuffer> {
  const changed = Buffer.from(Buffer.from(bytes).toString('latin1').replaceAll(text, other), 'latin1');
  return new Uint8Array(changed);
}

test.describe('details', () => {
  test('show what storage knows of an object', async ({ bucket, files, openObject, page }) => {
    await files.put('facts.txt', 'x'.repeat(1234), 'text/plain');
    await openObject('facts.txt');
    await expect(metadata(page).getByText('(1,234 bytes)')).toBeVisible();
    await expect(metadata(page).getByText('text/plain')).toBeVisible();
    await expect(metadata(page).getByText(`s3://${bucket}/facts.txt`)).toBeVisible();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('are there also where their code arrives after the answer of storage', async ({ files, openObject, page }) => {
    await files.put('late.txt', 'late');
    const answered = page.waitForResponse(
      (response) => response.request().method() === 'HEAD' && response.url().includes('late.txt'),
    );
    await page.route(/late\.txt/, async (route) => {
      if (route.request().method() === 'HEAD') await page.getByRole('button', { name: 'Download' }).waitFor();
      await route.continue();
    });
    await page.route(/\/details-(?!panel)[^/]+\.js$/, async (route) => {
      await answered;
      await route.continue();
    });
    await openObject('late.txt');
    await expect(preview(page).getByText('late', { exact: true })).toBeVisible();
  });

  test('show the metadata that came with the object, under its own names', async ({
    app,
    bucket,
    files,
    openObject,
    page,
  }) => {
    await putDirectly(app, bucket, 'report.txt', {
      Metadata: {
        owner: 'Ada',
        'review-state': 'final',
        place: '=?UTF-8?B?TcO8bmNoZW4=?=',
        empty: '',
      },
    });
    await openObject('report.txt');
    await expect(metadata(page).getByRole('heading', { name: 'Custom metadata' })).toBeVisible();
    const facts = metadata(page).locator('dl').last();
    await expect(facts.getByRole('term')).toHaveText(['empty', 'owner', 'place', 'review-state']);
    await expect(facts.getByRole('definition')).toHaveText(['', 'Ada', 'München', 'final']);
    expect(await accessibilityFaults(page)).toEqual([]);
    await files.put('plain.txt', 'x');
    await openObject('plain.txt');
    await expect(metadata(page).getByText(`s3://${bucket}/plain.txt`)).toBeVisible();
    expect(await metadata(page).getByText('Custom metadata').count()).toBe(0);
  });

  test('show what the listing says where the object may not be read, and that it may not be opened', async ({
    app,
    filesIn,
    openAs,
    page,
  }) => {
    await (await filesIn('files')).put('listed only.txt', 'secret');
    await openAs('dan', `${app.origin}/p/main/files`);
    await row(page, 'listed only.txt').getByRole('link').click();
    await expect(page.getByRole('heading', { name: 'You may not open this file' })).toBeVisible();
    await expect(page.getByText('You may not open main / files / listed only.txt.')).toBeVisible();
    await expect(metadata(page).getByText('6 byte')).toBeVisible();
    expect(await page.getByText('secret').count()).toBe(0);
  });
});

test.describe('a preview', () => {
  test('shows text as text', async ({ files, openObject, page }) => {
    await files.put('notes.txt', 'Grüße <b>not bold</b>', 'text/plain');
    await openObject('notes.txt');
    await expect(preview(page).getByText('Grüße <b>not bold</b>')).toBeVisible();
  });

  test('asks for the start of a long text only', async ({ files, openObject, page }) => {
    await files.put('long.log', 'line\n'.repeat(80_000));
    const asked = page.waitForRequest(
      (request) => request.method() === 'GET' && request.url().includes('object?key=long.log'),
    );
    await openObject('long.log');
    expect((await asked).headers()['range']).toBe('bytes=0-127999');
    await expect(preview(page).getByText('The first 128 kB of 400 kB.')).toBeVisible();
    const more = page.waitForRequest(
      (request) => request.headers()['range'] === 'bytes=0-511999' || request.headers()['range'] === undefined,
    );
    await preview(page).getByRole('button', { name: 'Show more' }).click();
    await more;
    await expect(preview(page).getByText('The first')).toHaveCount(0);
  });

  test('numbers the lines of source, until they are wrapped', async ({ files, openObject, page }) => {
    await files.put('numbered.sh', 'echo one\necho two\necho three\n');
    await openObject('numbered.sh');
    const numbers = preview(page).getByText(/^1\s2\s3$/);
    await expect(numbers).toBeVisible();
    await preview(page).getByRole('checkbox', { name: 'Wrap lines' }).check();
    await expect(numbers).toHaveCount(0);
  });

  test('draws Markdown, and shows its source on request', async ({ files, openObject, page }) => {
    await files.put(
      'docs/read me.md',
      '# Welcome\n\n- see [the plan](../plans/the%20plan.txt)\n- or [elsewhere](https://example.com/x)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n',
    );
    await files.put('plans/the plan.txt', 'first this');
    await openObject('docs/read me.md');
    await expect(preview(page).getByRole('heading', { name: 'Welcome' })).toBeVisible();
    await expect(preview(page).getByRole('cell', { name: '2' })).toBeVisible();
    await expect(preview(page).getByRole('link', { name: 'elsewhere' })).toHaveAttribute('rel', 'noopener noreferrer');
    expect(await accessibilityFaults(page)).toEqual([]);
    await preview(page).getByText('Source', { exact: true }).click();
    await expect(preview(page).getByText('# Welcome')).toBeVisible();
    await preview(page).getByText('Rendered', { exact: true }).click();
    await preview(page).getByRole('link', { name: 'the plan' }).click();
    await expect(preview(page).getByText('first this')).toBeVisible();
  });

  test('draws the beginning of a long Markdown text, and says so', async ({ files, openObject, page }) => {
    await files.put('long.md', `# Begin\n\n${'a line\n\n'.repeat(15_000)}# End\n`);
    await openObject('long.md');
    await expect(preview(page).getByRole('heading', { name: 'Begin' })).toBeVisible();
    await expect(preview(page).getByText('Only the beginning is shown')).toHaveCount(1);
    await expect(preview(page).getByRole('heading', { name: 'End' })).toHaveCount(0);
    await preview(page).getByText('Source', { exact: true }).click();
    await expect(preview(page).getByText('# End')).toHaveCount(1);
    await expect(preview(page).getByText('Only the beginning is shown')).toHaveCount(0);
  });

  test('draws Markdown that runs nothing and loads nothing', async ({ files, openObject, page }) => {
    const hostile = [
      `<script>${SCRIPT}</script>`,
      `<img src=x onerror="${SCRIPT}">`,
      `[run](javascript:${encodeURIComponent(SCRIPT)})`,
      '![spy](https://spy.invalid/pixel.png)',
      '![near](near.png)',
      '[up](../../../other-bucket/x)',
      '[named](#x)',
      '<style>body{display:none}</style>',
    ];
    await files.put('hostile.md', hostile.join('\n\n'));
    const elsewhere: string[] = [];
    page.on('request', (request) => /spy\.invalid|near\.png/.test(request.url()) && elsewhere.push(request.url()));
    await openObject('hostile.md');
    await expect(preview(page).getByText('onerror')).toBeVisible();
    await expect(preview(page).getByText('spy')).toBeVisible();
    expect(await preview(page).locator('img, script, style, iframe').count()).toBe(0);
    expect(
      await preview(page)
        .locator('a')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
    ).toEqual([expect.stringContaining('/p/main/preview?'), null]);
    expect(elsewhere).toEqual([]);
    expect(await hasRun(page)).toBe(false);
  });

  test('shows the beginning of a text that is stored compressed, of which no part can be read alone', async ({
    app,
    bucket,
    openObject,
    page,
  }) => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i} ${randomBytes(16).toString('hex')}`);
    const stored = { Body: gzipSync(lines.join('\n')), ContentEncoding: 'gzip', ContentType: 'text/plain' };
    await putDirectly(app, bucket, 'packed.log', stored);
    await openObject('packed.log');
    await expect(preview(page).getByText('line 1000 ')).toBeVisible();
    await expect(preview(page).getByText('The first 128 kB')).toBeVisible();
    await putDirectly(app, bucket, 'packed.zip', stored);
    await openObject('packed.zip');
    await expect(page.getByText('This file is stored compressed. Download it to open it.')).toBeVisible();
  });

  test('colours source', async ({ files, openObject, page }) => {
    await files.put('hello.ts', 'export const answer = 42; // why');
    await openObject('hello.ts');
    await expect(preview(page).locator('.hljs-keyword', { hasText: 'const' })).toBeVisible();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('of source that takes too long to highlight stays plain, and the page answers in the meantime', async ({
    files,
    openObject,
    page,
  }) => {
    await files.put('evil.c', 'a'.repeat(200_000));
    await openObject('evil.c');
    const wrap = preview(page).getByRole('checkbox', { name: 'Wrap lines' });
    await expect.poll(() => page.workers().length).toBe(1);
    await wrap.check();
    expect(page.workers()).toHaveLength(1);
    await expect.poll(() => page.workers().length).toBe(0);
    await expect(preview(page).getByText('aaaa').first()).toBeVisible();
    expect(await preview(page).locator('[class^=hljs]').count()).toBe(0);
  });

  test('of long source numbers its lines to the end, and a selection is its text', async ({
    files,
    openObject,
    page,
  }) => {
    const text = Array.from({ length: 2_000 }, (_, index) => `const line${index + 1} = 'text';\n`).join('');
    await files.put('long.js', text);
    await openObject('long.js');
    const content = preview(page).getByRole('group');
    await expect(content.locator('.hljs-keyword').first()).toBeVisible();
    expect(
      await content.evaluate((element) => {
        getSelection()!.selectAllChildren(element);
        return getSelection()!.toString();
      }),
    ).toBe(text.trimEnd());
    await content.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await expect(content.getByText('const line2000')).toBeInViewport();
    await expect(content.getByText(/\s2000$/)).toBeInViewport();
  });

  test('shows HTML as its source, and runs none of it', async ({ files, openObject, page }) => {
    await files.put('page.html', `<script>${SCRIPT}</script><img src=x onerror="${SCRIPT}">`, 'text/html');
    await openObject('page.html');
    await expect(preview(page).getByText('onerror')).toBeVisible();
    expect(await hasRun(page)).toBe(false);
  });

  test('shows CSV as a table', async ({ files, openObject, page }) => {
    await files.put('table.csv', 'name,amount\n"Ada, A.",1\n"say ""hi""",2\n');
    await openObject('table.csv');
    await expect(preview(page).getByRole('columnheader', { name: 'amount' })).toBeVisible();
    await expect(preview(page).getByRole('cell', { name: 'Ada, A.' })).toBeVisible();
    await expect(preview(page).getByRole('cell', { name: 'say "hi"' })).toBeVisible();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('shows more rows of a long table when asked to', async ({ files, openObject, page }) => {
    await files.put('long.csv', `name,amount\n${Array.from({ length: 1_000 }, (_, i) => `row ${i},${i}\n`).join('')}`);
    await openObject('long.csv');
    await expect(preview(page).getByText('The first 300 rows of a file of')).toBeVisible();
    await preview(page).getByRole('button', { name: 'Show more' }).click();
    await expect(preview(page).getByText('1,000 rows', { exact: true })).toBeVisible();
    await expect(preview(page).getByRole('cell', { name: 'row 999' })).toBeAttached();
    await expect(preview(page).getByRole('button', { name: 'Show more' })).toHaveCount(0);
  });

  test('shows an image', async ({ files, openObject, page }) => {
    await files.put('dot #1.png', new Uint8Array(png(8, 8, () => [10, 120, 200])), 'image/png');
    await openObject('dot #1.png');
    await expect(preview(page).getByRole('img', { name: 'dot #1.png' })).toHaveJSProperty('naturalWidth', 8);
  });

  test('shows the source of an SVG, draws it on request, and runs none of its scripts', async ({
    files,
    openObject,
    page,
  }) => {
    await files.put(
      'drawing.svg',
      `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20" onload="${SCRIPT}"><script>${SCRIPT}</script><rect width="40" height="20"/></svg>`,
      'image/svg+xml',
    );
    await openObject('drawing.svg');
    await expect(preview(page).getByText('<rect width="40"')).toBeVisible();
    await preview(page).getByRole('button', { name: 'Draw picture' }).click();
    await expect(image(page)).toHaveJSProperty('naturalWidth', 40);
    expect(await hasRun(page)).toBe(false);
  });

  test('draws a picture that takes long only on request, whatever its name says', async ({
    files,
    openObject,
    page,
  }) => {
    for (const type of ['image/svg+xml', 'image/png, image/svg+xml']) {
      await files.put('named.png', '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"/>', type);
      await openObject('named.png');
      await expect(preview(page).getByText('width="40"')).toBeVisible();
      await expect(image(page)).toHaveCount(0);
    }
    await files.put('wide.png', blankPng(10_000, 5_001), 'image/png');
    await openObject('wide.png');
    await expect(preview(page).getByText('This picture has 50 million pixels.')).toBeVisible();
    await expect(image(page)).toHaveCount(0);
    await preview(page).getByRole('button', { name: 'Draw picture' }).click();
    await expect(image(page)).toHaveJSProperty('naturalWidth', 10_000);
  });

  for (const [element, name] of [
    ['audio', 'tone.wav'],
    ['video', 'tone.mp4'],
  ] as const) {
    test(`opens ${element} only when it is played, by ranges from the guarded route`, async ({
      files,
      openObject,
      page,
    }) => {
      await files.put(name, new Uint8Array(wav([{ hertz: 440, seconds: 1 }])));
      await openObject(name);
      const player = preview(page).locator(element);
      await expect(player).toHaveJSProperty('networkState', 1);
      await expect(player).toHaveJSProperty('readyState', 0);
      const asked = page.waitForRequest(
        (request) => request.headers()['range'] !== undefined && request.url().includes(name),
      );
      const duration = await player.evaluate(async (media: HTMLMediaElement) => {
        media.muted = true;
        await media.play();
        return media.duration;
      });
      await asked;
      expect(duration).toBeGreaterThan(0.9);
    });
  }

  test('loads an MP4 of very many samples only on request', async ({ files, openObject, page }) => {
    const note = preview(page).getByText('This file may have very many parts.');
    await files.put('song.m4a', mp4Of({}), 'audio/mp4');
    await openObject('song.m4a');
    await expect(preview(page).locator('audio')).toBeVisible();
    await expect(note).toHaveCount(0);
    await files.put('many.m4a', mp4Of({ samples: 11_000_000 }), 'audio/mp4');
    await openObject('many.m4a');
    await expect(note).toBeVisible();
    await expect(preview(page).locator('audio')).toHaveCount(0);
    await preview(page).getByRole('button', { name: 'Load file' }).click();
    await expect(preview(page).locator('audio')).toBeVisible();
  });

  test('lists what a ZIP archive holds, by its end alone', async ({
    app,
    files,
    openObject,
    page,
    signedIn,
    bucket,
  }) => {
    await files.put('packed/one.txt', 'x'.repeat(2_000));
    await files.put('packed/two.bin', new Uint8Array(randomBytes(400_000)));
    const ada = await signedIn(app.origin, 'ada');
    const archive = await ada.request(`${app.origin}/api/providers/main/buckets/${bucket}/archive`, {
      method: 'POST',
      body: JSON.stringify({ prefixes: ['packed/'] }),
      headers: { 'content-type': 'application/json', accept: '*/*' },
    });
    await files.put('archive.zip', new Uint8Array(await archive.arrayBuffer()), 'application/zip');
    const ranges: (string | undefined)[] = [];
    page.on(
      'request',
      (request) =>
        request.method() === 'GET' &&
        /\/object\?.*archive\.zip/.test(request.url()) &&
        ranges.push(request.headers()['range']),
    );
    await openObject('archive.zip');
    await expect(preview(page).getByRole('row', { name: 'packed/one.txt 2 kB' })).toBeVisible();
    await expect(preview(page).getByText('2 entries, 402 kB unpacked')).toBeVisible();
    expect(ranges.length).toBeLessThanOrEqual(3);
    expect(ranges).not.toContain(undefined);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('shows the columns and the first rows of a Parquet file, and ends where its decoder does not', async ({
    files,
    openObject,
    page,
  }) => {
    await files.put('cities.parquet', new Uint8Array(CITIES));
    await openObject('cities.parquet');
    await expect(preview(page).getByRole('columnheader', { name: 'people int64' })).toBeVisible();
    await expect(preview(page).getByRole('row', { name: 'Oslo 709037 1040-01-01' })).toBeVisible();
    await expect(preview(page).getByText('3 rows, 3 columns.')).toBeVisible();
    expect(await accessibilityFaults(page)).toEqual([]);
    await files.put('without end.parquet', new Uint8Array(CITIES_WITHOUT_END));
    await openObject('without end.parquet');
    await expect(preview(page).getByText('This Parquet file cannot be read here.')).toBeVisible();
    await expect.poll(() => page.workers().length).toBe(0);
  });

  test('mixes no two versions of a file that is replaced while it is read', async ({ files, openObject, page }) => {
    const cities = inTwoBlocks(CITIES);
    const versions = [
      ['mixed.zip', zipOf('old.txt'), zipOf('new.txt'), 'new.txt 0 B', 2],
      ['mixed.parquet', cities, withText(cities, 'Oslo', 'Rome'), 'Rome 709037 1040-01-01', 2],
      ['shorter.zip', zipOf('old.txt', 600_000), zipOf('new.txt'), 'new.txt 0 B', 2],
      ['longer.zip', zipOf('old.txt'), zipOf('new.txt', 600_000), 'new.txt 0 B', 1],
      ['other.parquet', cities, withText(cities, 'Oslo', 'Rome'), 'Rome 709037 1040-01-01', 1],
    ] as const;
    for (const [key, first, second, name, replacedAt] of versions) {
      await files.put(key, first);
      let reads = 0;
      await page.route(
        (url) => url.pathname.endsWith('/object') && url.searchParams.get('key') === key,
        async (route) => {
          if (route.request().method() === 'GET') {
            reads += 1;
            expect(route.request().headers()['if-match']).toMatch(/^"/);
          }
          if (reads === replacedAt) await files.put(key, second);
          await route.continue();
        },
      );
      await openObject(key);
      // The new version is read without a click.
      await expect(preview(page).getByRole('row', { name })).toBeVisible();
    }
  });

  test('says so when there is none', async ({ files, openObject, page }) => {
    await files.put('archive.7z', 'x');
    await files.put('empty.txt', '');
    await files.put('binary.txt', new Uint8Array([1, 0, 2]));
    await openObject('archive.7z');
    await expect(page.getByText('There is no preview for this type of file')).toBeVisible();
    await openObject('empty.txt');
    await expect(page.getByText('This file is empty.')).toBeVisible();
    await openObject('binary.txt');
    await expect(page.getByText('This is not a text file')).toBeVisible();
  });
});
