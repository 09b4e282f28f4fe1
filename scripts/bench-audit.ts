/**
 * What the audit costs: the service with a line for everything that is read and changed, beside the same service whose audit is in its log, and beside one that logs
 * nothing. An argument chooses the rows that begin with it.
 */
import { compareBeside, ROUTE, type Row } from './measuring/beside.ts';

const PERMISSIONS = `${ROUTE}/permissions`;
const PAGE = `${ROUTE}/objects?prefix=folder%2F&delimiter=%2F&limit=1000`;
const OBJECT = `${ROUTE}/object?key=folder%2Fa.txt`;

const ROWS: readonly Row[] = [
  {
    what: 'a folder that is opened, and an object of it: permissions, page of 1,000 keys, GET 1 kB in turn',
    method: 'GET',
    paths: [PERMISSIONS, PAGE, OBJECT],
    atLeast: 0.95,
  },
  { what: 'GET 1 kB', method: 'GET', paths: [OBJECT], atLeast: 0.95 },
  { what: 'HEAD 1 kB', method: 'HEAD', paths: [OBJECT], atLeast: 0.95 },
  { what: 'page of 1,000 keys', method: 'GET', paths: [PAGE], atLeast: 0.95 },
  // Policy answers without storage, so that the line is a large part of the work.
  { what: 'permissions', method: 'GET', paths: [PERMISSIONS], atLeast: 0.95 },
  // A change waits for two syncs of the disk, so nothing is promised of it but that it is told. Each connection writes a key of its own: the writes of one key happen one after the other.
  { what: 'PUT 1 kB', method: 'PUT', paths: [`${ROUTE}/object?key=folder%2F{connection}.txt`], atLeast: 0 },
];

const [, , , only = ''] = process.argv;
const rows = ROWS.filter(({ what }) => what.startsWith(only));
for (const without of ['logging', 'service'] as const) {
  console.log(`\nbeside a service ${without === 'logging' ? 'whose audit is in its log' : 'that logs nothing'}`);
  await compareBeside('audited', 'with the audit', rows, without);
}
