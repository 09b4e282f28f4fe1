import type { Edge } from './edge.ts';
import { count, durationText, sizeText } from './text.ts';

/** The progress of a copy. Totals grow while the source is still being listed. */
export type Progress = {
  /** Adds a file with this many bytes. */
  readonly plan: (bytes: number) => void;
  /** @param wasThere - whether the bytes are from an earlier run, so that they do not count for the speed. */
  readonly advance: (bytes: number, wasThere?: boolean) => void;
  /** Counts a finished file. */
  readonly finish: () => void;
  /** Prints a permanent line above the bar. */
  readonly say: (line: string) => void;
  /** The same, to standard output. */
  readonly print: (line: string) => void;
  readonly stop: () => void;
};

/** Prints a line to standard error, above a bar that may be on a terminal. */
export function printAbove({ watched, stderr, printError }: Edge, line: string): void {
  if (watched) stderr.write('\r\u001b[2K');
  printError(line);
}

/** Shows a bar when a person may be watching; otherwise only prints the lines of `say`. */
export async function openProgress(edge: Edge, { quiet }: { readonly quiet: boolean }): Promise<Progress> {
  const nothing = () => undefined;
  if (quiet || !edge.watched)
    return {
      plan: nothing,
      advance: nothing,
      finish: nothing,
      say: (line) => edge.printError(line),
      print: (line) => edge.print(line),
      stop: nothing,
    };
  const { default: cliProgress } = await import('cli-progress');
  const bar = new cliProgress.SingleBar(
    {
      stream: edge.stderr,
      clearOnComplete: true,
      hideCursor: false,
      emptyOnZero: true,
      format: '{bar} {percentage}% | {text}',
      barsize: 24,
    },
    cliProgress.Presets.shades_classic,
  );
  const startedAt = Date.now();
  const files = { all: 0, done: 0 };
  const bytes = { all: 0, done: 0, before: 0 };
  const draw = (): void => {
    // A copy within the service transfers no bytes through this process, so files are counted instead.
    const { all, done } = bytes.all > 0 ? bytes : files;
    bar.setTotal(all);
    bar.update(done, { text: progressText(files, bytes, (Date.now() - startedAt) / 1000) });
  };
  bar.start(0, 0, { text: 'looking' });
  return {
    plan: (more) => {
      files.all += 1;
      bytes.all += more;
      draw();
    },
    advance: (more, wasThere = false) => {
      bytes.done += more;
      if (wasThere) bytes.before += more;
      draw();
    },
    finish: () => {
      files.done += 1;
      draw();
    },
    say: (line) => printAbove(edge, line),
    print: (line) => {
      edge.stderr.write('\r\u001b[2K');
      edge.print(line);
    },
    stop: () => bar.stop(),
  };
}

/** The text next to the bar. */
export function progressText(
  files: { readonly all: number; readonly done: number },
  bytes: { readonly all: number; readonly done: number; readonly before: number },
  seconds: number,
): string {
  const counted = files.all === 1 ? '' : `${files.done} of ${count(files.all, 'file')}`;
  if (bytes.all === 0) return counted || '1 file';
  const perSecond = Math.max(0, bytes.done - bytes.before) / Math.max(0.001, seconds);
  const left = perSecond === 0 ? '' : `${durationText(Math.ceil((bytes.all - bytes.done) / perSecond))} left`;
  return [counted, `${sizeText(bytes.done)} of ${sizeText(bytes.all)}`, `${sizeText(perSecond)}/s`, left]
    .filter((part) => part !== '')
    .join(' | ');
}
