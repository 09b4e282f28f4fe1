/** Watches a folder in a process of its own, to be killed: `fork` it with the state folder, the service, a credential, and the folder to watch; without the last it goes on with what is remembered. */
import { Connection } from '../../src/client/connection.ts';
import { Watches } from '../../src/desktop/watches.ts';

const [state = '', origin = '', credential = '', folder] = process.argv.slice(2);
const connection = new Connection(origin, credential);
const watches = new Watches({
  folder: state,
  connection: () => connection,
  owner: () => 'dan',
  onRefused: () => undefined,
  lookMs: 100,
});
if (folder !== undefined) watches.begin(folder, { provider: 'main', bucket: 'files', key: 'kept/' });
setInterval(() => process.send?.(watches.list()), 50);
