import type { ParquetTable } from './parquet-table.ts';
import type { RangeRequest } from './parquet-worker.ts';
import { callWorker, webWorker, type StartWorker } from './worker-call.ts';
import type { ReadRange } from './zip-directory.ts';

export type StartParquetWorker = StartWorker<ParquetTable | undefined, RangeRequest>;
type Reading = {
  readonly read: ReadRange;
  readonly size: number;
  readonly signal: AbortSignal;
  readonly limitMs?: number;
};

export const startParquetWorker: StartParquetWorker = webWorker(
  () => new Worker(new URL('./parquet-worker.ts', import.meta.url), { type: 'module' }),
);

/**
 * Reads a Parquet file in a worker.
 *
 * @returns undefined if it is not a Parquet file that can be read within the limit.
 * @throws {PartMissing} and the errors of `read`.
 */
export function callParquetWorker(
  start: StartParquetWorker,
  { read, size, ...rest }: Reading,
): Promise<ParquetTable | undefined> {
  const respond = async ({ id, from, to }: RangeRequest) => ({ id, bytes: await read(from, to) });
  return callWorker(start, { task: { size }, respond, ...rest });
}
