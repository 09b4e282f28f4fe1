import { readParquet, type ParquetTable } from './parquet-table.ts';

/** What the page tells: to begin, and the bytes that were asked for. */
export type ToWorker = { readonly size: number } | { readonly id: number; readonly bytes: Uint8Array };
/** Bytes that the worker needs. */
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
