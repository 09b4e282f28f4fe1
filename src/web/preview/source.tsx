import { useMemo } from 'react';
import { endingOf } from '../../wire/kind.ts';
import { baseName } from '../place/place.ts';
import classes from './details.module.css';
import './highlight.css';
import { languageOf } from './language.ts';
import { blocksOfText, type TextBlock } from './text-blocks.ts';
import { useRendered } from './use-rendered.ts';

/** A wrapped line has about as many characters. */
const WRAPPED_AT = 100;
/** The room beside the line numbers and the text. */
const PADDING = 8;

/** A text, with highlighting for known languages, and with line numbers if the lines are not wrapped. */
export function Source({ text, objectKey, isWrapped }: { text: string; objectKey: string; isWrapped: boolean }) {
  const blocks = useMemo(() => blocksOfText(text), [text]);
  const task = useMemo(() => {
    const language = languageOf(text, endingOf(objectKey) || baseName(objectKey).toLowerCase());
    return language === undefined ? undefined : { text, language, ends: blocks.slice(1).map(({ start }) => start) };
  }, [text, objectKey, blocks]);
  const rendered = useRendered(task);
  const html = rendered === 'plain' ? undefined : rendered;
  const { line, lines } = blocks.at(-1)!;
  const digits = String(line + lines - 1).length;
  return (
    // The browser remembers the size of each block, which is another one when lines are wrapped.
    <div key={String(isWrapped)} className={classes.source} data-wrapped={isWrapped || undefined}>
      {blocks.map((block, index) => (
        <div
          key={block.start}
          className={classes.block}
          style={{ containIntrinsicSize: isWrapped ? wrappedSize(block) : size(block, digits) }}
        >
          {!isWrapped && (
            <pre className={classes.numbers} style={{ minWidth: `${digits}ch` }} aria-hidden>
              {numbers(block)}
            </pre>
          )}
          {html?.[index] === undefined ? (
            <pre className={classes.text}>{block.text}</pre>
          ) : (
            <pre className={classes.text} dangerouslySetInnerHTML={{ __html: html[index] }} />
          )}
        </div>
      ))}
    </div>
  );
}

function size({ longest, lines }: TextBlock, digits: number): string {
  return `auto ${digits + longest + PADDING}ch auto ${lines}lh`;
}

function wrappedSize({ text, lines }: TextBlock): string {
  return `0 auto ${Math.max(lines, Math.ceil(text.length / WRAPPED_AT))}lh`;
}

function numbers({ line, lines, isContinued }: TextBlock): string {
  return Array.from({ length: lines }, (_, index) => (index === 0 && isContinued ? '' : line + index)).join('\n');
}
