import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { defineLanguageFacet, HighlightStyle, indentUnit, Language, syntaxHighlighting } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { GFM, parser, type MarkdownConfig } from '@lezer/markdown';
import { t } from '../words/words.ts';
import { findPanel } from './find-panel.ts';
import type { TextForm } from './text-file.ts';

/** The id of the element that says how to leave the text by keys. */
export const HINT_ID = 'editor-hint';

export const isMarkdown = (key: string) => /\.(?:md|markdown)$/i.test(key);

/** The parser needs quadratic time for brackets in a paragraph, and for quotations in each other, and nothing can interrupt it. */
const MOST_CHARACTERS_OF_PARAGRAPH = 5_000;
const MOST_DEPTH = 50;

/** Leaves out the elements of a paragraph that is too long, and the blocks that are too deep in others. */
const BOUNDED: MarkdownConfig = {
  parseInline: [
    {
      name: 'LongParagraph',
      before: 'Escape',
      parse: ({ offset, end }) => (end - offset > MOST_CHARACTERS_OF_PARAGRAPH ? end : -1),
    },
  ],
  parseBlock: [
    { name: 'DeepBlock', before: 'LinkReference', parse: (block) => block.depth > MOST_DEPTH && block.nextLine() },
  ],
};

const markdown = () => new Language(defineLanguageFacet(), parser.configure([GFM, BOUNDED]), [], 'markdown').extension;

const marks = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '700', color: 'var(--svc-accent)' },
  { tag: tags.strong, fontWeight: '700' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.link, tags.url], color: 'var(--svc-accent)' },
  { tag: tags.monospace, background: 'var(--svc-hover)', borderRadius: '3px' },
  { tag: [tags.processingInstruction, tags.contentSeparator], color: 'var(--mantine-color-dimmed)' },
  { tag: tags.quote, color: 'var(--mantine-color-dimmed)' },
]);

const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--mantine-color-text)', background: 'var(--mantine-color-body)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--mantine-font-family-monospace)',
    fontSize: 'var(--mantine-font-size-sm)',
    lineHeight: '1.6',
  },
  '.cm-content': { padding: '0.75rem 0', caretColor: 'var(--svc-accent)' },
  '.cm-line': { padding: '0 1rem 0 0.75rem' },
  '.cm-gutters': {
    color: 'var(--mantine-color-dimmed)',
    background: 'var(--mantine-color-body)',
    borderRight: '1px solid var(--svc-line)',
  },
  // Of the comparison. The base themes have fixed colours, or signs that fonts lack.
  '.cm-collapsedLines': {
    background: 'var(--svc-hover)',
    color: 'var(--mantine-color-dimmed)',
    padding: '0.2rem 0.75rem',
  },
  '.cm-collapsedLines::before, .cm-collapsedLines::after': { content: '"⋯" !important', margin: '0 0.5rem' },
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { background: 'color-mix(in srgb, #e03131 13%, transparent)' },
  '&.cm-merge-b .cm-changedLine': { background: 'color-mix(in srgb, #2f9e44 15%, transparent)' },
  '.cm-panels': { color: 'var(--mantine-color-text)', background: 'var(--svc-ground)', borderColor: 'var(--svc-line)' },
  '.cm-panel.cm-search': { padding: '0.5rem 2rem 0.5rem 0.75rem', fontFamily: 'var(--mantine-font-family)' },
  '.cm-panel.cm-search label': { fontSize: 'var(--mantine-font-size-xs)' },
  '.cm-panel.cm-search [name=close]': { color: 'inherit', fontSize: '1.25rem', right: '0.5rem', top: '0.25rem' },
  '.cm-textfield, .cm-button': {
    padding: '0.2rem 0.5rem',
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-sm)',
    color: 'inherit',
    background: 'var(--mantine-color-default)',
    fontSize: 'var(--mantine-font-size-xs)',
  },
  '.cm-activeLine': { background: 'color-mix(in srgb, var(--svc-hover) 60%, transparent)' },
  '.cm-activeLineGutter': { background: 'var(--svc-hover)', color: 'var(--mantine-color-text)' },
});

/** How a text looks, in every editor. */
export function lookOf(key: string, isWrapped: boolean): Extension {
  return [
    lineNumbers(),
    highlightSpecialChars(),
    look,
    isMarkdown(key) ? [markdown(), syntaxHighlighting(marks)] : [],
    isWrapped ? EditorView.lineWrapping : [],
    EditorState.phrases.of({ 'Control character': t('Control character') }),
  ];
}

/** The state of an editor for a text. */
export function editorStateOf(
  text: string,
  { key, label, isWrapped, lineEnd }: { key: string; label: string; isWrapped: boolean; lineEnd: TextForm['lineEnd'] },
): EditorState {
  return EditorState.create({
    doc: text,
    extensions: [
      lookOf(key, isWrapped),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      history(),
      findPanel(),
      indentUnit.of('  '),
      // Escape lets the next Tab leave the text.
      keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
      // The carriage returns of mixed line ends are characters of the text.
      lineEnd === 'mixed' ? EditorState.lineSeparator.of('\n') : [],
      EditorView.contentAttributes.of({
        'aria-label': label,
        'aria-describedby': HINT_ID,
        spellcheck: 'true',
        'data-mantine-stop-propagation': 'true',
      }),
    ],
  });
}
