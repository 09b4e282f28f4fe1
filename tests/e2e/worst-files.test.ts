import { expect, type Page } from '@playwright/test';
import { LANGUAGES } from '../../src/web/preview/highlight.ts';
import {
  animatedAvif,
  animatedGif,
  animatedPng,
  animatedWebp,
  chunkedPng,
  describedAvif,
  progressiveJpeg,
  segmentedJpeg,
} from '../support/animated-pictures.ts';
import { archiveOf } from '../support/archive-of.ts';
import type { Files } from '../support/files.ts';
import { parquetOf } from '../support/parquet-file.ts';
import { choose } from '../support/page.ts';
import { test } from './fixtures.ts';

/** As much as a preview shows of a text at first. */
const SHOWN = 128_000;
/** As much as a preview reads of a table at first. */
const READ = 512_000;
/** As much as a preview reads of a text after “Show more”, and as much of a table. */
const MORE = { text: 512_000, table: 8_192_000 };
/** How much longer than with an ordinary file the page may be busy, each time that somebody does something. */
const SECONDS = 1;
/**
 * How many times a file is opened that takes longer. A processor that other programs use as well is sometimes slower,
 * but not each time.
 */
const TIMES = 3;

type Contents = Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>;
/** What somebody does with a file, and what it leads to. The first step follows the click on the file. */
type Step = (name: string) => Promise<void>;
type Busy = readonly [name: string, step: number, seconds: number];
type Parts = { readonly page: Page; readonly files: Files; readonly openFolder: (prefix: string) => Promise<void> };

const filled = (unit: string, bytes = SHOWN): string => unit.repeat(bytes / Buffer.byteLength(unit));
const ORDINARY = filled('// An ordinary line of an ordinary file.\nreturn 1;\n');

/**
 * What takes longest to highlight, of what was measured: long words, unclosed brackets and strings, nesting, many
 * lines. The key is the ending.
 */
const SLOWEST: Readonly<Record<string, { readonly language: string; readonly unit: string }>> = {
  sh: { language: 'bash', unit: 'a' },
  c: { language: 'c', unit: 'a' },
  cpp: { language: 'cpp', unit: '(' },
  cs: { language: 'csharp', unit: 'a' },
  css: { language: 'css', unit: 'a\n' },
  diff: { language: 'diff', unit: '- a\n' },
  dockerfile: { language: 'dockerfile', unit: 'a=1\n' },
  go: { language: 'go', unit: '1 ' },
  ini: { language: 'ini', unit: 'a' },
  java: { language: 'java', unit: 'a' },
  js: { language: 'javascript', unit: 'f([' },
  json: { language: 'json', unit: '[' },
  kt: { language: 'kotlin', unit: 'a' },
  makefile: { language: 'makefile', unit: '"\n' },
  md: { language: 'markdown', unit: '[' },
  php: { language: 'php', unit: 'f([' },
  py: { language: 'python', unit: '1 ' },
  rb: { language: 'ruby', unit: 'a' },
  rs: { language: 'rust', unit: 'a' },
  scss: { language: 'scss', unit: 'a' },
  sql: { language: 'sql', unit: '<' },
  swift: { language: 'swift', unit: '"\n' },
  ts: { language: 'typescript', unit: 'a' },
  xml: { language: 'xml', unit: '<a ' },
  yaml: { language: 'yaml', unit: '[' },
};

/** Nearly as many elements as are shown: in lines, in one line, and in each other. */
const MANY_ELEMENTS: Contents = {
  'lines.json': '1\n'.repeat(14_900),
  'line.php': filled('"a"', 7_900 * 3),
  'nested.js': '`${\n'.repeat(100) + '1\n'.repeat(14_000),
  'tags.xml': '<a>'.repeat(3_900),
};

/** Less would be shown with highlighting. */
const TOO_MANY_ELEMENTS: Contents = {
  'tags.xml': '<a>'.repeat(42_000),
  'line.php': filled('"a"'),
};

/** A picture whose parts repeat each other ten times at each of nine levels. */
const REPEATED = `<svg xmlns="http://www.w3.org/2000/svg"><g id="g0"><rect width="5" height="5"/></g>${Array.from({ length: 9 }, (_, level) => `<g id="g${level + 1}">${`<use href="#g${level}"/>`.repeat(10)}</g>`).join('')}</svg>`;

const TEXTS: Contents = {
  'repeated.svg': REPEATED,
  'empty-lines.txt': '\n'.repeat(SHOWN),
  'lines.log': filled('a\n'),
  'one-line.txt': filled('a'),
  'combining-marks.txt': `a${filled('\u0301')}`,
  'combining-marks.c': `a${filled('\u0301')}`,
  'directions.pl': filled('a\u05d0'),
};

const MARKDOWN: Contents = {
  'combining-marks.md': `a${filled('\u0301')}`,
  'directions.md': filled('a\u05d0'),
  'nested.md': filled(`${'>'.repeat(90)}a\n\n`, 5_000),
  'many.md': filled('*a* ', 4_900 * 4),
  'lines.md': `\`\`\`\n${filled('a\n')}`,
  'letters.md': filled('ب'),
  'syllables.md': filled('กำ'),
  'alphabets.md': filled('aα'),
  // Each reference repeats the address.
  'links.md': `[a]: https://${'a'.repeat(60_000)}\n\n${'[a] '.repeat(4_000)}`,
  'pictures.md': `[a]: https://${'a'.repeat(60_000)}\n\n${'![][a] '.repeat(4_000)}`,
};

const TABLES: Contents = {
  'columns.csv': filled('a,', READ),
  'rows.csv': filled(`${'a,'.repeat(60)}\n`, READ),
  'quotes.csv': filled('"', READ),
  'cells.csv': filled(`${filled('a\u05d0', 290)},`.repeat(10) + '\n', READ),
  'combining-marks.csv': filled(`a${'\u0301'.repeat(299)},`, READ),
};

/** What “Show more” reads is also highlighted if it has few characters in many bytes. */
const MORE_OF_TEXTS: Contents = {
  'empty-lines.txt': '\n'.repeat(MORE.text * 2),
  'one-line.txt': filled('a', MORE.text * 2),
  'lines.log': filled('a\n', MORE.text * 2),
  'combining-marks.txt': `a${filled('\u0301', MORE.text * 2)}`,
  'directions.txt': filled('a\u05d0', MORE.text * 2),
  'lines.json': filled('"人人人人人人人人人"\n', MORE.text * 2),
  'line.php': filled('"人人人人人人人"', MORE.text * 2),
  'long.c': filled('人', MORE.text * 2),
};

const MORE_OF_TABLES: Contents = {
  'rows.csv': filled(`${'a,'.repeat(60)}\n`, MORE.table),
  'lines.csv': filled('a\n', MORE.table),
  'cells.csv': filled(`${filled('a\u05d0', 290)},`.repeat(10) + '\n', MORE.table),
};

/** Hundreds of thousands of columns, or as many and as long names as the directory at the end of a file may have. */
const PARQUET: Contents = {
  'columns.parquet': parquet(150_000, 'a'),
  'long-names.parquet': parquet(60, 'a'.repeat(65_000)),
  'hidden.parquet': parquet(1_000, '\u202e'.repeat(1_300)),
  'combining-marks.parquet': parquet(1_000, `a${'\u0301'.repeat(1_900)}`),
  'directions.parquet': parquet(1_000, 'a\u05d0'.repeat(1_300)),
};

const ZIP: Contents = {
  'members.zip': zip(44_000, 'a'),
  'long-names.zip': zip(32, 'a'.repeat(65_000)),
  'hidden.zip': zip(1_000, '\u202e'.repeat(680)),
  'combining-marks.zip': zip(1_000, `a${'\u0301'.repeat(1_000)}`),
  'directions.zip': zip(1_000, 'a\u05d0'.repeat(680)),
};

/** The largest texts that can be edited, or cannot because of one of their lines. */
const EDITED: Contents = {
  'brackets.md': filled('[a](', 1_000_000),
  'code.md': filled('`a ', 999_999),
  'quotations.md': filled('>', 1_000_000),
  'one-line.js': filled('f([', 999_999),
  'empty-lines.txt': '\n'.repeat(1_000_000),
  'combining-marks.txt': `a${filled('\u0301', 1_000_000)}`,
  'joined.txt': filled('👩\u200d', 999_999),
  'directions.txt': filled('a\u05d0', 999_999),
  'control.txt': filled('\u0001', 1_000_000),
  'spaces.txt': filled(' ', 1_000_000),
  'indented.txt': filled(`${' '.repeat(999)}a`, 1_000_000),
  'accents.txt': filled('ö x ', 1_000_000),
  'control-lines.json': filled(`${filled('\u0001', 999)}\n`, 1_000_000),
  'direction-lines.json': filled(`${filled('a\u05d0', 29_997)}\n`, 999_900),
  'letters.txt': filled('ب', 1_000_000),
  'syllables.txt': filled('กำ', 999_999),
  'alphabets.txt': filled('aα', 999_999),
};

/** The browser compares each frame with all before it, and each segment of a JPEG, also behind its pixels; it draws all of a JPEG in each pass, and copies a property of an AVIF for each item. */
const SLOW_PICTURES: Contents = {
  'frames.gif': animatedGif(100_000),
  'frames.png': animatedPng(100_000),
  'frames.avif': animatedAvif(100, 1_000),
  'brands.avif': animatedAvif(100, 1_000, 'msf1\0\0\0\0miafiso8avis'),
  'passes.jpg': progressiveJpeg(1_000),
  'segments.jpg': segmentedJpeg(200_000),
  'behind.jpg': segmentedJpeg(0, 200_000),
  'chunks.webp': animatedWebp(2, 1_000_000),
  'nested.webp': animatedWebp(10_000, 0, 1_000_000),
  'chunks.png': chunkedPng(200_000),
  'properties.avif': describedAvif(7_000, 2_000),
  'places.avif': describedAvif(1, 100, 0, 480_000),
};

/** They have very many of the bytes that are looked for in them. */
const FILLED_PICTURES: Contents = {
  'filled.jpg': Buffer.concat([segmentedJpeg(0), Buffer.alloc(60_000_000, 0xff)]),
  'filled.gif': Buffer.concat([animatedGif(2), Buffer.alloc(60_000_000, ',')]),
};

/** Texts without a line in common, and with one in two. */
const CHANGED: Readonly<Record<string, readonly [before: string, after: string]>> = {
  'lines.txt': ['a\n'.repeat(500_000), 'b\n'.repeat(500_000)],
  'every-second-line.txt': ['a\nb\n'.repeat(250_000), 'a\nc\n'.repeat(250_000)],
};

function parquet(count: number, name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(parquetOf(Array.from({ length: count }, () => name)));
}

function zip(count: number, name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(archiveOf(Array.from({ length: count }, () => ({ name, size: 1 }))));
}

/** Each quotation mark is compared with the spaces at the end of the cell. */
const SLOW_TABLE = `"${' x"'.repeat(READ / 6)}${' '.repeat(READ / 2 - 2)},`;

// Roles are found by scripts of Playwright, which would keep the page busier than the preview does.
const preview = (page: Page) => page.locator('section[aria-label="Preview"]');
const content = (page: Page) => preview(page).locator('[aria-label^="Content of "]');
const highlighted = (page: Page) => page.locator('pre > [class^=hljs]').first();
const wrap = (page: Page) => preview(page).locator('input[type=checkbox]');

const showMore = (page: Page) => preview(page).locator('button:has-text("Show more")');

/**
 * Measures how long the page is busy with each step of a file. The time in which other programs had the
 * processor does not count.
 */
async function busyIn(page: Page, name: string, steps: readonly Step[]): Promise<readonly Busy[]> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busySeconds = async (): Promise<number> => {
    const { metrics } = await cdp.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')!.value;
  };
  const busy: Busy[] = [];
  for (const [index, step] of steps.entries()) {
    const before = await busySeconds();
    await step(name);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    busy.push([name, index, (await busySeconds()) - before]);
  }
  await cdp.detach();
  return busy;
}

/** The same with each of several files, which is opened by a click at first. */
async function busyWith(
  page: Page,
  names: readonly string[],
  [first, ...steps]: readonly Step[],
): Promise<readonly Busy[]> {
  const busy: Busy[] = [];
  const open: Step = async (name) => {
    await page.locator(`a[href$="${name}"]`).click();
    await first!(name);
  };
  for (const name of names) {
    busy.push(...(await busyIn(page, name, [open, ...steps])));
    await page.keyboard.press('Escape');
    await expect(preview(page)).toHaveCount(0);
  }
  return busy;
}

/**
 * Expects that each file keeps the page busy for less than {@link SECONDS} longer than an ordinary one, at a time.
 *
 * @param usual - how long the ordinary file did.
 */
async function expectInTime(
  all: readonly string[],
  usual: readonly Busy[],
  busyOf: (names: readonly string[]) => Promise<readonly Busy[]>,
): Promise<void> {
  const usualIn = (step: number): number => usual.find(([, of]) => of === step)?.[2] ?? 0;

  let slow: readonly Busy[] = [];
  let names = all;
  for (let time = 0; time < TIMES && names.length > 0; time += 1) {
    slow = (await busyOf(names)).filter(([, step, seconds]) => seconds - usualIn(step) >= SECONDS);
    names = [...new Set(slow.map(([name]) => name))];
  }
  expect(slow).toEqual([]);
}

/** Expects the page to answer in time with each of the files of a folder. An ordinary file is opened first, so that the code of previews is loaded. */
async function expectAnswers(
  { page, files, openFolder }: Parts,
  contents: Contents,
  steps: readonly Step[],
): Promise<void> {
  const prefix = `${Object.keys(contents)[0]!}/`;
  for (const [name, content] of Object.entries({ ...contents, 'ordinary.c': ORDINARY }))
    await files.put(prefix + name, content);
  await openFolder(prefix);
  const ordinary = () => busyWith(page, ['ordinary.c'], [() => expect(highlighted(page)).toBeAttached()]);
  await ordinary();
  await expectInTime(Object.keys(contents), await ordinary(), (names) => busyWith(page, names, steps));
}

// A trace copies the whole page at each step.
test.use({ trace: 'off' });

test.describe('the page answers within a second', () => {
  // Each test opens up to 27 files.
  test.setTimeout(240_000);

  test('while a file of each language is highlighted that takes longest', async ({ files, openFolder, page }) => {
    const languages = Object.values(SLOWEST).map(({ language }) => language);
    expect(languages.toSorted()).toEqual(Object.keys(LANGUAGES).toSorted());
    const texts = Object.fromEntries(
      Object.entries(SLOWEST).map(([ending, { unit }]) => [`a.${ending}`, filled(unit)]),
    );
    await expectAnswers({ page, files, openFolder }, texts, [
      async (name) => {
        if (name === 'a.md') await preview(page).locator('label:has-text("Source")').click();
        await expect(wrap(page)).toBeVisible();
      },
      () => wrap(page).click(),
    ]);
  });

  test('with as many elements as are shown', async ({ files, openFolder, page }) => {
    await expectAnswers({ page, files, openFolder }, MANY_ELEMENTS, [
      () => expect(highlighted(page)).toBeAttached(),
      () => wrap(page).click(),
    ]);
  });

  test('with more elements than are shown, or text that is slow to lay out', async ({ files, openFolder, page }) => {
    await expectAnswers({ page, files, openFolder }, { ...TOO_MANY_ELEMENTS, ...TEXTS }, [
      () => expect(wrap(page)).toBeVisible(),
      () => wrap(page).click(),
    ]);
  });

  test('with Markdown and tables', async ({ files, openFolder, page }) => {
    const texts = { ...MARKDOWN, ...TABLES, 'slow.csv': SLOW_TABLE };
    await expectAnswers({ page, files, openFolder }, texts, [
      async (name) => {
        if (name in MARKDOWN) await expect(content(page).locator('article, pre').first()).toBeAttached();
        else if (name in TABLES) await expect(content(page).locator('table')).toBeAttached();
        else await expect(preview(page).getByText('This table cannot be read here.')).toBeVisible();
      },
    ]);
  });

  test('with the names of columns and of members of archives', async ({ files, openFolder, page }) => {
    await expectAnswers({ page, files, openFolder }, { ...PARQUET, ...ZIP }, [
      () => expect(content(page).locator('table')).toBeAttached(),
    ]);
  });

  test('with a picture that takes long to draw, also beside the one that is viewed', async ({
    files,
    openFolder,
    page,
  }) => {
    const note = page.getByText('This picture may have very many frames or passes.');
    const drawn = page.locator('[role=dialog] img');
    await expectAnswers({ page, files, openFolder }, SLOW_PICTURES, [() => expect(note).toBeVisible()]);
    await expectAnswers({ page, files, openFolder }, FILLED_PICTURES, [
      () => expect(preview(page).locator('img')).toBeVisible(),
    ]);
    await files.put('beside/a.gif', animatedGif(2));
    await files.put('beside/b.gif', SLOW_PICTURES['frames.gif']!);
    await openFolder('beside/');
    const look: Step = async () => {
      const ahead = page.waitForResponse(
        (response) => response.request().method() === 'GET' && response.url().includes('b.gif'),
      );
      await page.locator('[role=row]:has-text("a.gif")').dblclick();
      await expect(drawn).toBeVisible();
      await ahead;
      await page.keyboard.press('ArrowRight');
      await expect(note).toBeVisible();
    };
    expect((await busyIn(page, 'a.gif', [look]))[0]![2]).toBeLessThan(2 * SECONDS);
  });

  test('with a text that is edited', async ({ files, openFolder, page }) => {
    const area = page.locator('.cm-content');
    for (const [name, content] of Object.entries({ ...EDITED, 'ordinary.c': ORDINARY }))
      await files.put(`edited/${name}`, content);
    const steps: readonly Step[] = [
      async (name) => {
        await choose(page, name, 'Edit');
        await expect(area.or(page.getByText('This file cannot be edited here'))).toBeVisible();
      },
      async () => {
        if (await area.isVisible()) await page.keyboard.insertText('x');
      },
    ];
    const edit = async (names: readonly string[]) => {
      const busy: Busy[] = [];
      for (const name of names) {
        await openFolder('edited/');
        busy.push(...(await busyIn(page, name, steps)));
      }
      return busy;
    };
    await edit(['ordinary.c']);
    await expectInTime(Object.keys(EDITED), await edit(['ordinary.c']), edit);
  });

  test('with a text on a narrow page that another person has changed everywhere', async ({
    files,
    openFolder,
    page,
  }) => {
    await page.setViewportSize({ width: 600, height: 800 });
    const area = page.locator('.cm-content');
    const save = page.locator('button:has-text("Save")');
    const changed = { ...CHANGED, 'ordinary.c': [ORDINARY, `${ORDINARY}return 2;\n`] as const };
    const compare = async (names: readonly string[]) => {
      const busy: Busy[] = [];
      for (const name of names) {
        const [before, after] = changed[name as keyof typeof changed];
        await files.put(`changed/${name}`, before);
        await openFolder('changed/');
        await choose(page, name, 'Edit');
        await area.press('x');
        await files.put(`changed/${name}`, after);
        const view: Step = async () => {
          await save.click();
          await expect(page.locator('[aria-label^="Their version"], [aria-label^="Differences"]')).toBeVisible();
        };
        busy.push(...(await busyIn(page, name, [view])));
        page.once('dialog', (dialog) => void dialog.accept());
      }
      return busy;
    };
    await expectInTime(Object.keys(CHANGED), await compare(['ordinary.c']), compare);
  });

  test('with more of a text or of a table', async ({ files, openFolder, page }) => {
    await expectAnswers({ page, files, openFolder }, MORE_OF_TEXTS, [
      () => expect(showMore(page)).toBeVisible(),
      async () => {
        await showMore(page).click();
        await expect(preview(page).getByText('The first 512 kB')).toBeVisible();
      },
      () => wrap(page).click(),
    ]);
    // A table that is full has no more to show.
    const moreRows: Step = async () => {
      if (!(await showMore(page).isVisible())) return;
      const rows = content(page).locator('tbody tr');
      const count = await rows.count();
      await showMore(page).click();
      await expect(rows).not.toHaveCount(count);
    };
    await expectAnswers({ page, files, openFolder }, MORE_OF_TABLES, [
      () => expect(content(page).locator('table')).toBeAttached(),
      moreRows,
      moreRows,
    ]);
  });
});
