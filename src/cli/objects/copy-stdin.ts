import pLimit from 'p-limit';
import type { Connection } from '../../client/connection.ts';
import { typeOf } from '../../client/local-file.ts';
import { ticketTransport } from '../../client/ticket-transport.ts';
import { sendStream } from '../../transfer/send-stream.ts';
import type { StoredHeaders } from '../../wire/stored-headers.ts';
import { remoteText, type KeyPath } from '../argument/remote-path.ts';
import { CliFailure, EXIT, usageFault } from '../terminal/cli-failure.ts';
import type { Edge } from '../terminal/edge.ts';

/** Each part in memory has 16 MiB. */
const PARTS_AT_ONCE = 4;

/**
 * Stores standard input as one object. After a failure or a signal, nothing is stored.
 *
 * @param about - what is stored with it. The content type is derived from the key when undefined.
 * @returns the number of bytes.
 * @throws {CliFailure} usage; `interrupted`
 */
export async function copyFromStdin(
  edge: Edge,
  connection: Connection,
  { provider, bucket, key }: KeyPath,
  { contentType, stored }: { readonly contentType?: string | undefined; readonly stored?: StoredHeaders | undefined },
): Promise<number> {
  if (key.endsWith('/'))
    throw usageFault(
      `\`${remoteText({ provider, bucket, key })}\` is a folder; standard input has no name, so give a whole key`,
    );
  const interruption = new AbortController();
  void edge
    .stopAsked(['SIGHUP'])
    .then(() => interruption.abort(new CliFailure(EXIT.failed, 'interrupted; nothing was stored', 'interrupted')));
  const source = edge.stdin();
  try {
    return await sendStream(
      {
        source,
        contentType: contentType ?? (await typeOf(key)),
        stored,
        target: { provider, bucket, key },
        whenTaken: 'replace',
      },
      {
        transport: ticketTransport(connection, undefined, { stored }),
        requests: pLimit(PARTS_AT_ONCE),
        partsAtOnce: PARTS_AT_ONCE,
        signal: interruption.signal,
        onSent: () => undefined,
        onRetry: connection.onRetry,
      },
    );
  } finally {
    // A source that has not ended would keep the process alive.
    source.destroy();
  }
}
