import type { Readable } from 'node:stream';
import type { ArrivedPart, Sending, Target, Transport } from '../transfer/transport.ts';
import { bytesOf, type Connection } from './connection.ts';
import type { StoredHeaders } from '../wire/stored-headers.ts';
import { withRange, type FileRange } from './local-file.ts';
import { objectHead } from './object-head.ts';
import { beginTransfer, quotedEtag, writtenIn, type TransferRequest } from './transfer-request.ts';
import type { UploadTurns } from './upload-turns.ts';

/**
 * Uploads by JSON-RPC: each request that carries content has its own ticket. The content is bytes in memory, or a range of a file.
 *
 * @param onStored - called with the ETag of an object that is stored completely.
 * @param stored - headers to store with the object.
 * @param over - the ETag of the only version that may be replaced.
 * @param turns - the turns of the requests that carry content, of all transports together.
 */
export function ticketTransport(
  connection: Connection,
  onStored?: (etag: string) => void,
  {
    stored,
    over,
    turns,
  }: {
    readonly stored?: StoredHeaders | undefined;
    readonly over?: string | undefined;
    readonly turns?: UploadTurns;
  } = {},
): Transport<FileRange | Buffer> {
  const ifMatch = over === undefined ? undefined : quotedEtag(over);
  const send = (
    target: Target,
    content: FileRange | Buffer,
    { headers, ...request }: Pick<TransferRequest, 'headers' | 'upload' | 'stored'>,
    { signal, onProgress }: Sending,
  ) => {
    const sendBody = async (body: Readable | Buffer, length: number) => {
      signal.throwIfAborted();
      const response = await beginTransfer(connection, 'upload', target, {
        headers: { ...headers, 'content-length': String(length) },
        body,
        signal,
        turns,
        ...request,
      });
      return writtenIn(response);
    };
    return Buffer.isBuffer(content)
      ? sendBody(content, content.length)
      : withRange(content, onProgress, (body) => sendBody(body, content.end - content.start));
  };

  return {
    put: async (target, range, contentType, whenTaken, sending) => {
      const headers = {
        'content-type': contentType,
        ...(whenTaken === 'refuse' && { 'if-none-match': '*' }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      };
      const written = await send(target, range, { headers, stored }, sending);
      onStored?.(written.etag);
    },

    find: async (target) => {
      const head = await objectHead(connection, target);
      return head && { size: head.size, version: `${head.etag} ${head.lastModified}`, contentType: head.contentType };
    },

    read: async (target, signal) =>
      bytesOf((await beginTransfer(connection, 'download', target, { headers: {}, signal })).body),

    begin: async (target, contentType) =>
      (await connection.call('upload/create', { ...target, contentType, ...(stored && { stored: { ...stored } }) })).id,

    sendPart: async (target, id, part, range, sending) =>
      (await send(target, range, { headers: {}, upload: { id, part } }, sending)) as ArrivedPart,

    arrivedParts: async (target, id) => (await connection.call('upload/get', { ...target, id })).parts,

    complete: async (target, id, parts, whenTaken) => {
      const { etag, size } = await connection.call('upload/complete', {
        ...target,
        id,
        parts: [...parts],
        ...(whenTaken === 'refuse' && { ifNoneMatch: '*' }),
        ...(ifMatch !== undefined && { ifMatch }),
      });
      onStored?.(etag);
      return size;
    },

    abandon: async (target, id) => {
      await connection.call('upload/abort', { ...target, id });
    },
  };
}
