import { readParquet, type ParquetTable } from './parquet-table.ts';
import type { WorkerMessage } from './worker-call.ts';

/** A message to the worker: the size of the file to read, or requested bytes. */
export type ToWorker = { readonly size: number } | { readonly id: number; readonly bytes: Uint8Array };
/** A request of the worker for the bytes from `from` up to, but not including, `to`. */
export type RangeRequest = { readonly id: number; readonly from: number; readonly to: number };

const requested: ((bytes: Uint8Array) => void)[] = [];
const send = (message: WorkerMessage<ParquetTable | undefined, RangeRequest>): void => postMessage(message);

function read(from: number, to: number): Promise<Uint8Array> {
  return new Promise((resolve) => send({ request: { id: requested.push(resolve) - 1, from, to } }));
}

onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if ('bytes' in data) requested[data.id]?.(data.bytes);
  else
    void readParquet(read, data.size).then(
      (result) => send({ result }),
      () => send({ result: undefined }),
    );
};
