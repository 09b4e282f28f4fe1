import type { Connection } from '../client/connection.ts';
import type { FileRange } from '../client/local-file.ts';
import { objectHead } from '../client/object-head.ts';
import { plainEtag } from '../transfer/plain-etag.ts';
import { TransferError } from '../transfer/failure.ts';
import type { Target, Transport } from '../transfer/transport.ts';

/** The ETag of the existing object; undefined when there is none, or when the caller may not know. */
export async function etagAt(connection: Connection, target: Target): Promise<string | undefined> {
  const head = await objectHead(connection, target);
  return head && plainEtag(head.etag);
}

/**
 * Makes a transport that only overwrites one version of an object. It checks the version right before each write, because no S3 condition for it is supported
 * by all storage.
 */
export function onlyOver(etag: string, transport: Transport<FileRange>, connection: Connection): Transport<FileRange> {
  const requireIt = async (target: Target): Promise<void> => {
    if ((await etagAt(connection, target)) !== etag)
      throw new TransferError('precondition_failed', 'somebody else has changed it in storage');
  };
  return {
    ...transport,
    put: async (target, ...others) => {
      await requireIt(target);
      await transport.put(target, ...others);
    },
    complete: async (target, ...others) => {
      await requireIt(target);
      return transport.complete(target, ...others);
    },
  };
}
