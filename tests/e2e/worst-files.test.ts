import { expect, type Page } from '@playwright/test';
import { LANGUAGES } from '../../src/web/preview/highlight.ts';
import type { Files } from '../support/files.ts';
import { test } from './fixtures.ts';

/** As much as a preview shows of a text at first. */
const SHOWN = 128_000;
/** As much as a preview reads of a table at first. */
const READ = 512_000;
/** The time in which the page has to answer. */
const SECONDS = 1;
/** A slow computer may take so many times as long as for an ordinary text. */
const TIMES = 5;

type Texts = Readonly<Record<string, string>>;
type Shown = (name: string) => Promise<void>;
type Busy = readonly [name: string, seconds: number];
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
const MANY_ELEMENTS: Texts = {
  'lines.json': '1\n'.repeat(14_900),
  'line.php': filled('"a"', 14_900 * 3),
  'nested.js': '`${\n'.repeat(100) + '1\n'.repeat(14_000),
  'tags.xml': '<a>'.repeat(7_400),
};

const TEXTS: Texts = {
  'empty-lines.txt': '\n'.repeat(SHOWN),
  'lines.log': filled('a\n'),
  'one-line.txt': filled('a'),
  'combining-marks.txt': `a${filled('\u0301')}`,
  'combining-marks.c': `a${filled('\u0301')}`,
  'directions.pl': filled('a\u05d0'),
};

const MARKDOWN: Texts = {
  'combining-marks.md': `a${filled('\u0301')}`,
  'directions.md': filled('a\u05d0'),
  'nested.md': filled(`${'>'.repeat(90)}a\n\n`, 5_000),
  'many.md': filled('*a* ', 4_900 * 4),
  'lines.md': `\`\`\`\n${filled('a\n')}`,
};

const TABLES: Texts = {
  'columns.csv': filled('a,', READ),
  'rows.csv': filled(`${'a,'.repeat(60)}\n`, READ),
  'quotes.csv': filled('"', READ),
  'cells.csv': filled(`${filled('a\u05d0', 290)},`.repeat(10) + '\n', READ),
  'combining-marks.csv': filled(`a${'\u0301'.repeat(299)},`, READ),
};
/** Each quotation mark is compared with the spaces at the end of the cell. */
const SLOW_TABLE = `"${' x"'.repeat(READ / 6)}${' '.repeat(READ / 2 - 2)},`;

// Roles are found by scripts of Playwright, which would keep the page busier than the preview does.
const preview = (page: Page) => page.locator('section[aria-label="Preview"]');
const content = (page: Page) => preview(page).locator('[aria-label^="Content of "]');
const highlighted = (page: Page) => page.locator('pre > [class^=hljs]').first();
const wrap = (page: Page) => preview(page).locator('input[type=checkbox]');

/**
 * Opens files in turn, and measures how long the page is busy with each. The time in which other programs had the
 * processor does not count.
 */
async function busyWith(page: Page, names: readonly string[], shown: Shown): Promise<readonly Busy[]> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busySeconds = async (): Promise<number> => {
    const { metrics } = await cdp.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')!.value;
  };
  const busy: Busy[] = [];
  for (const name of names) {
    const link = page.locator(`a[href$="${name}"]`);
    const before = await busySeconds();
    await link.click();
    await shown(name);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    busy.push([name, (await busySeconds()) - before]);
    await page.keyboard.press('Escape');
    await expect(preview(page)).toHaveCount(0);
  }
  return busy;
}

/**
 * Expects the page to answer in time with each of the files of a folder. An ordinary file is opened first, so that the
 * code of previews is loaded.
 */
async function expectAnswers({ page, files, openFolder }: Parts, texts: Texts, shown: Shown): Promise<void> {
  const prefix = `${Object.keys(texts)[0]!}/`;
  for (const [name, text] of Object.entries({ ...texts, 'ordinary.c': ORDINARY })) await files.put(prefix + name, text);
  await openFolder(prefix);
  const isHighlighted = () => expect(highlighted(page)).toBeAttached();
  const [, [, ordinary] = ['', 0]] = await busyWith(page, ['ordinary.c', 'ordinary.c'], isHighlighted);
  const busy = await busyWith(page, Object.keys(texts), shown);
  expect(busy.filter(([, seconds]) => seconds >= Math.max(SECONDS, TIMES * ordinary))).toEqual([]);
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
    await expectAnswers({ page, files, openFolder }, texts, async (name) => {
      if (name === 'a.md') await preview(page).locator('label:has-text("Source")').click();
      await wrap(page).click();
    });
  });

  test('with as many elements as are shown, or text that is slow to lay out', async ({ files, openFolder, page }) => {
    await expectAnswers({ page, files, openFolder }, { ...MANY_ELEMENTS, ...TEXTS }, async (name) => {
      if (name in MANY_ELEMENTS) await expect(highlighted(page)).toBeAttached();
      await wrap(page).click();
    });
  });

  test('with Markdown and tables', async ({ files, openFolder, page }) => {
    const texts = { ...MARKDOWN, ...TABLES, 'slow.csv': SLOW_TABLE };
    await expectAnswers({ page, files, openFolder }, texts, async (name) => {
      if (name in MARKDOWN) await expect(content(page).locator('article, pre').first()).toBeAttached();
      else if (name in TABLES) await expect(content(page).locator('table')).toBeAttached();
      else await expect(preview(page).getByText('This table cannot be read here.')).toBeVisible();
    });
  });
});
