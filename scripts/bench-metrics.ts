/** What the metrics cost: the service that counts and times what it does, beside the same service without, in one run. */
import { compareBeside, ROUTE } from './measuring/beside.ts';

await compareBeside('measured', 'with metrics', [
  { what: 'GET 1 kB', method: 'GET', paths: [`${ROUTE}/object?key=folder%2Fa.txt`], atLeast: 0.97 },
]);
