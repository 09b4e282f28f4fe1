import { tableOf, type CsvTable, type CsvTask } from './csv-table.ts';
import type { WorkerMessage } from './worker-call.ts';

const send = (message: WorkerMessage<CsvTable>): void => postMessage(message);

onmessage = ({ data }: MessageEvent<CsvTask>) => {
  send({ started: true });
  send({ result: tableOf(data) });
};
