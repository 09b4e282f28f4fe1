import { useEffect, useState } from 'react';
import type { RenderedMarkdown } from './markdown.ts';
import type { HighlightTask, MarkdownTask } from './text-worker.ts';
import { callWorker, webWorker } from './worker-call.ts';

type Task = HighlightTask | MarkdownTask;
type Results = readonly string[] | RenderedMarkdown;

const startTextWorker = webWorker<Results | undefined>(
  () => new Worker(new URL('./text-worker.ts', import.meta.url), { type: 'module' }),
);

/**
 * What a worker makes of a text: `undefined` until it is there, and `plain` if that takes too long or the worker
 * cannot be loaded.
 *
 * @param task - undefined for plain text.
 */
export function useRendered(task: HighlightTask | undefined): readonly string[] | 'plain' | undefined;
export function useRendered(task: MarkdownTask): RenderedMarkdown | 'plain' | undefined;
export function useRendered(task: Task | undefined): Results | 'plain' | undefined {
  const [rendered, setRendered] = useState<{ readonly of: Task; readonly result: Results | 'plain' }>();
  useEffect(() => {
    if (task === undefined) return undefined;
    const left = new AbortController();
    callWorker(startTextWorker, { task, signal: left.signal }).then(
      (result) => setRendered({ of: task, result: result ?? 'plain' }),
      () => left.signal.aborted || setRendered({ of: task, result: 'plain' }),
    );
    return () => left.abort();
  }, [task]);
  if (task === undefined) return 'plain';
  return rendered?.of === task ? rendered.result : undefined;
}
