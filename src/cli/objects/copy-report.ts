import type { Progress } from '../terminal/progress.ts';
import { count, sizeText, visible } from '../terminal/text.ts';
import type { CopyOutcome } from './copy-run.ts';
import type { Change } from './copy-task.ts';

function changeText(change: Change): string {
  return change.action === 'delete' ? `delete: ${change.path}` : `${change.action}: ${change.from} -> ${change.to}`;
}

/** Says what was copied and left out, or would be. */
export function copiedText({ copied, skipped, guessed, bytes }: CopyOutcome, dryRun = false): string {
  const uncertain = guessed === 0 ? '' : ` (${guessed} by size and time alone)`;
  const leftOut = skipped === 0 ? '' : `, ${dryRun ? `leave out ${skipped}` : `${skipped} left out`}${uncertain}`;
  const size = bytes === 0 ? '' : ` (${sizeText(bytes)})`;
  return `${dryRun ? 'would copy' : 'copied'} ${count(copied, 'file')}${size}${leftOut}`;
}

/** Prints changes as they happen, one on a line. With `json`, only collects them. */
export function changeTeller(
  progress: Progress,
  json: boolean,
): { readonly tell: (change: Change) => void; readonly changes: readonly Change[] } {
  const changes: Change[] = [];
  return {
    changes,
    tell: (change) => {
      if (json) changes.push(change);
      else progress.print(visible(changeText(change)));
    },
  };
}
