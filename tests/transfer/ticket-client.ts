import pLimit from 'p-limit';
import { Connection } from '../../src/client/connection.ts';
import { localFile } from '../../src/client/local-file.ts';
import { RememberedUploads } from '../../src/client/remembered-uploads.ts';
import { ticketTransport } from '../../src/client/ticket-transport.ts';
import { failureOf } from '../../src/transfer/failure.ts';
import { sendUpload } from '../../src/transfer/send.ts';
import type { AskedUpload } from './contract.ts';

/** A process that uploads one file with tickets, and says what became of it. */
const [server = '', credential = '', asked = ''] = process.argv.slice(2);
const { path, key, whenTaken } = JSON.parse(asked) as AskedUpload;

try {
  await sendUpload(
    { file: await localFile(path), target: { provider: 'main', bucket: 'files', key }, whenTaken },
    {
      transport: ticketTransport(new Connection(server, credential)),
      resumeStore: new RememberedUploads(process.env, server),
      requests: pLimit(1),
      partsAtOnce: 1,
      signal: new AbortController().signal,
      firstDelayMs: 50,
      onSent: () => undefined,
    },
  );
  console.log('stored');
} catch (error) {
  console.log(failureOf(error).code);
}
