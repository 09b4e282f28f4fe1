/** What the audit costs: the service with a line for everything that is read and changed, beside the same service whose audit is in its log, in one run. */
import { compareBeside, ROUTE, type Row } from './measuring/beside.ts';

const ROWS: readonly Row[] = [
  { what: 'GET 1 kB', method: 'GET', path: `${ROUTE}/object?key=folder%2Fa.txt`, atLeast: 0.95 },
  { what: 'permissions', method: 'GET', path: `${ROUTE}/permissions`, atLeast: 0.95 },
  // A change waits for two syncs of the disk, so nothing is promised of it but that it is told. Each connection writes a key of its own: the writes of one key happen one after the other.
  { what: 'PUT 1 kB', method: 'PUT', path: `${ROUTE}/object?key=folder%2F{connection}.txt`, atLeast: 0 },
];

await compareBeside('audited', 'with the audit', ROWS, 'logging');
