import type { ObjectRef } from '../api/object-calls.ts';
import { blocksOfHtml } from './html-blocks.ts';
import { highlight, loadLanguage } from './highlight.ts';
import { withBreaks } from './line-breaks.ts';
import type { RenderedMarkdown } from './markdown.ts';
import { directionChanges } from './display-text.ts';
import type { WorkerMessage } from './worker-call.ts';

/** The browser takes too long to show more. It lays out the elements of source only where they are visible. */
const MOST_ELEMENTS = { source: 15_000, visible: 8_000, markdown: 5_000 };
/** The browser lays out at least this many lines at once. A line that is not wrapped may have any number of elements. */
const LINES_AT_ONCE = 100;
/** A line of Markdown takes as long as this part of an element. */
const OF_LINE = 0.2;
/** So does this part of a character. A short text may have long HTML, because each use of a reference repeats its address. */
const OF_CHARACTER = 0.005;
/**
 * How much of Markdown with too many elements is rendered, because its beginning may have more of them than the rest.
 */
const SHARE = 0.5;
/** The browser takes too long to lay out Markdown with more changes of the writing direction. */
const MOST_CHANGES = 10_000;

/** Text to highlight. `ends` are the positions in the text where blocks end. */
export type HighlightTask = { readonly text: string; readonly language: string; readonly ends: readonly number[] };
/** Markdown of an object to render. `home` is the path of the home page. */
export type MarkdownTask = { readonly text: string; readonly object: ObjectRef; readonly home: string };

const send = (message: WorkerMessage<readonly string[] | RenderedMarkdown | undefined>): void => postMessage(message);

onmessage = ({ data }: MessageEvent<HighlightTask | MarkdownTask>) =>
  void ('language' in data ? highlighted(data) : rendered(data)).then(
    (result) => send({ result }),
    () => send({ result: undefined }),
  );

/** The HTML of each block. */
async function highlighted({ text, language, ends }: HighlightTask): Promise<readonly string[] | undefined> {
  await loadLanguage(language);
  send({ started: true });
  const html = highlight(text, language);
  if (elementsIn(html) > MOST_ELEMENTS.source) return undefined;
  const blocks = blocksOfHtml(html, ends);
  return elementsAtOnce(blocks) <= MOST_ELEMENTS.visible ? blocks : undefined;
}

async function rendered({ text, object, home }: MarkdownTask): Promise<RenderedMarkdown | undefined> {
  if (directionChanges(text, MOST_CHANGES + 1).length > MOST_CHANGES) return undefined;
  const { MOST_CHARACTERS, renderMarkdown } = await import('./markdown.ts');
  send({ started: true });
  const from = { ...object, home };
  const whole = renderMarkdown(text, from);
  const elements = layoutOf(whole.html);
  if (elements <= MOST_ELEMENTS.markdown) return { ...whole, html: withBreaks(whole.html) };
  const shorter = (Math.min(text.length, MOST_CHARACTERS) / elements) * MOST_ELEMENTS.markdown * SHARE;
  const { html } = renderMarkdown(text.slice(0, Math.floor(shorter)), from);
  return layoutOf(html) <= MOST_ELEMENTS.markdown ? { html: withBreaks(html), isWhole: false } : undefined;
}

/** The number of elements of the HTML. Most have two tags. */
function elementsIn(html: string): number {
  return html.split('<').length / 2;
}

/** The largest number of elements that the browser lays out at once, because their lines are near each other. */
function elementsAtOnce(blocks: readonly string[]): number {
  const sizes = blocks.map((html) => ({ elements: elementsIn(html), lines: Math.max(1, linesIn(html)) }));
  let [most, elements, lines, first] = [0, 0, 0, 0];
  for (const size of sizes) {
    elements += size.elements;
    lines += size.lines;
    most = Math.max(most, elements);
    while (lines >= LINES_AT_ONCE) {
      elements -= sizes[first]!.elements;
      lines -= sizes[first]!.lines;
      first += 1;
    }
  }
  return most;
}

/** What it takes to lay out Markdown, as a number of elements. */
function layoutOf(html: string): number {
  const ofLength = html.length * OF_CHARACTER;
  // HTML that is too long is not searched.
  return ofLength > MOST_ELEMENTS.markdown ? ofLength : ofLength + elementsIn(html) + linesIn(html) * OF_LINE;
}

function linesIn(html: string): number {
  return html.split('\n').length - 1;
}
