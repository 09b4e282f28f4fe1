import type { Failure } from '../../transfer/failure.ts';
import type { Target, WhenTaken } from '../../transfer/transport.ts';
import type { AskAboutConflict } from './conflict.ts';
import { senderOf, type UploadFile, type UploadJob } from './send.ts';
import { SpeedMeter } from './speed.ts';
import type { UploadState, UploadView } from './view.ts';

/** A file to add to the queue. `whenTaken` is set if the user has already decided about a taken name. */
export type NewUpload = { readonly file: UploadFile; readonly target: Target; readonly whenTaken?: WhenTaken };

/** Uploads that were added together. */
export type Batch = {
  readonly id: number;
  readonly meter: SpeedMeter;
  readonly askAboutConflict: AskAboutConflict;
};

/** An upload in the queue. `view` is the last computed view, or undefined after a change. */
export type UploadItem = {
  readonly id: number;
  readonly batch: Batch;
  readonly job: UploadJob;
  readonly meter: SpeedMeter;
  state: UploadState;
  sentBytes: number;
  failure: Failure | undefined;
  run: AbortController | undefined;
  view: UploadView | undefined;
};

export function newItem(id: number, batch: Batch, { file, target, whenTaken = 'refuse' }: NewUpload): UploadItem {
  const job: UploadJob = { file, sender: senderOf(file), wantedKey: target.key, target, whenTaken, otherNames: 0 };
  return {
    id,
    batch,
    job,
    meter: new SpeedMeter(),
    state: 'waiting',
    sentBytes: 0,
    failure: undefined,
    run: undefined,
    view: undefined,
  };
}

export function viewOf(item: UploadItem, nowMs: number): UploadView {
  const { id, batch, job, state, sentBytes, failure } = item;
  item.view ??= {
    id,
    batch: batch.id,
    name: job.file.name,
    target: job.target,
    bytes: job.file.size,
    sentBytes,
    state,
    failure,
    bytesPerSecond: item.meter.bytesPerSecond(nowMs),
    batchBytesPerSecond: batch.meter.bytesPerSecond(nowMs),
  };
  return item.view;
}

/** Whether the upload is running, or waits for its turn or for an answer. */
export function isOpen(state: UploadState): boolean {
  return state === 'waiting' || state === 'sending' || state === 'retrying' || state === 'asking';
}
