import type { Edge } from './edge.ts';
import { sizeText } from './text.ts';

/** How far a copy is. Totals grow while the source is still being listed. */
export type Progress = {
  readonly plan: (bytes: number) => void;
  readonly advance: (bytes: number) => void;
  /** A line that stays, above the bar. */
  readonly say: (line: string) => void;
  readonly stop: () => void;
};

/** A bar where someone watches; elsewhere only what was said. */
export async function openProgress(edge: Edge, { quiet }: { readonly quiet: boolean }): Promise<Progress> {
  const silent: Progress = { plan: () => undefined, advance: () => undefined, say: (line) => edge.printError(line), stop: () => undefined };
  if (quiet || !edge.watched) return silent;
  const { default: cliProgress } = await import('cli-progress');
  const bar = new cliProgress.SingleBar({
    stream: edge.stderr,
    clearOnComplete: true,
    hideCursor: false,
    format: '{bar} {percentage}% | {files} | {done} of {all} | {speed}/s | {eta_formatted} left',
    barsize: 24,
  }, cliProgress.Presets.shades_classic);
  const startedAt = Date.now();
  let files = 0;
  let total = 0;
  let done = 0;
  const payload = () => ({ files, done: sizeText(done), all: sizeText(total), speed: sizeText((done * 1000) / Math.max(1, Date.now() - startedAt)) });
  bar.start(0, 0, payload());
  return {
    plan: (bytes) => {
      files += 1;
      total += bytes;
      bar.setTotal(total);
      bar.update(done, payload());
    },
    advance: (bytes) => {
      done += bytes;
      bar.update(done, payload());
    },
    say: (line) => {
      edge.stderr.write('\r\u001b[2K');
      edge.printError(line);
    },
    stop: () => bar.stop(),
  };
}
