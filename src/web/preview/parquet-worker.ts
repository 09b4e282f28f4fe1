import { readParquet, type ParquetTable } from './parquet-table.ts';

/** A message to the worker: the size of the file to read, or requested bytes. */
export type ToWorker = { readonly size: number } | { readonly id: number; readonly bytes: Uint8Array };
/** A request of the worker for the bytes from `from` up to, but not including, `to`. */
export type Asked = { readonly id: number; readonly from: number; readonly to: number };
export type FromWorker = Asked | { readonly table: ParquetTable | undefined };

const asked: ((bytes: Uint8Array) => void)[] = [];
const tell = (message: FromWorker): void => postMessage(message);

function read(from: number, to: number): Promise<Uint8Array> {
  return new Promise((resolve) => tell({ id: asked.push(resolve) - 1, from, to }));
}

onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if ('bytes' in data) asked[data.id]?.(data.bytes);
  else
    void readParquet(read, data.size).then(
      (table) => tell({ table }),
      () => tell({ table: undefined }),
    );
};
