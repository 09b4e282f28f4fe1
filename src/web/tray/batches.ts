import { folderOf } from '../place/place.ts';
import type { UploadState, UploadView } from '../work/view.ts';

/** The uploads of files that were dropped or chosen together. */
export type Batch = {
  readonly id: number;
  readonly uploads: readonly UploadView[];
  /** The deepest folder that contains the targets of all uploads. */
  readonly folder: string;
  readonly bytes: number;
  readonly sentBytes: number;
  /** Undefined while it cannot be estimated. */
  readonly secondsLeft: number | undefined;
  readonly over: number;
  readonly failed: number;
  readonly stored: number;
  readonly paused: number;
};

/** A line of the tray: a batch of several files, or a single file. */
export type Line =
  | { readonly kind: 'batch'; readonly batch: Batch; readonly isOpen: boolean }
  | { readonly kind: 'file'; readonly upload: UploadView; readonly isInBatch: boolean };

const OVER: ReadonlySet<string> = new Set(['stored', 'skipped', 'cancelled', 'failed']);

/** The batches of a queue, the latest first. */
export function batchesOf(uploads: readonly UploadView[]): readonly Batch[] {
  const byId = new Map<number, UploadView[]>();
  for (const upload of uploads) {
    const some = byId.get(upload.batch);
    if (some === undefined) byId.set(upload.batch, [upload]);
    else some.push(upload);
  }
  return [...byId].map(([id, some]) => batchOf(id, some)).reverse();
}

function batchOf(id: number, uploads: readonly UploadView[]): Batch {
  let folder = folderOf(uploads[0]?.target.key ?? '');
  let [bytes, sentBytes, over, bytesPerSecond] = [0, 0, 0, 0];
  const count = (state: UploadState) => uploads.filter((upload) => upload.state === state).length;
  for (const upload of uploads) {
    while (!upload.target.key.startsWith(folder)) folder = folderOf(folder.slice(0, -1));
    if (OVER.has(upload.state)) over += 1;
    if (upload.state === 'cancelled' || upload.state === 'skipped') continue;
    bytes += upload.bytes;
    sentBytes += upload.sentBytes;
    if (upload.state === 'sending') bytesPerSecond = Math.max(bytesPerSecond, upload.batchBytesPerSecond);
  }
  return {
    id,
    uploads,
    folder,
    bytes,
    sentBytes,
    secondsLeft: bytesPerSecond > 0 ? (bytes - sentBytes) / bytesPerSecond : undefined,
    over,
    failed: count('failed'),
    stored: count('stored'),
    paused: count('paused'),
  };
}

/** One line per batch, followed by its files if it is open. A batch with failures is open by default. @param choices - whether the user opened a batch, by its id. */
export function linesOf(batches: readonly Batch[], choices: ReadonlyMap<number, boolean>): readonly Line[] {
  return batches.flatMap((batch): readonly Line[] => {
    if (batch.uploads.length === 1) return batch.uploads.map((upload) => ({ kind: 'file', upload, isInBatch: false }));
    const isOpen = choices.get(batch.id) ?? batch.failed > 0;
    return [
      { kind: 'batch', batch, isOpen },
      ...(isOpen ? batch.uploads.map((upload) => ({ kind: 'file' as const, upload, isInBatch: true })) : []),
    ];
  });
}
