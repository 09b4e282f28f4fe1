/** Calls a service whose answer takes longer than the limit of the process' HTTP client, and prints what comes of it. Started by a test, since only a process has such a limit to itself. */
import { Agent, setGlobalDispatcher } from 'undici';
import { Connection } from '../../src/client/connection.ts';

setGlobalDispatcher(new Agent({ headersTimeout: 500 }));
const connection = new Connection(process.argv[2] ?? '', undefined);
const result = await connection.call('object/copy', {
  provider: 'main',
  bucket: 'files',
  key: 'a',
  to: { key: 'b' },
  move: false,
});
process.stdout.write(JSON.stringify(result));
