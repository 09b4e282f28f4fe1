import { codeOf } from '../errors/svc-error.ts';
import type { Sending, Target, Transport, WhenTaken } from '../transfer/transport.ts';
import { ClientFailure } from './client-failure.ts';
import type { Connection } from './connection.ts';
import { withRange, type FileRange } from './local-file.ts';
import { objectHead } from './object-head.ts';
import { beginTransfer, type TransferRequest } from './transfer-request.ts';

/**
 * Uploads by JSON-RPC: each request that carries content has its own ticket.
 *
 * @param onStored - called with the ETag of an object that is stored completely.
 */
export function ticketTransport(connection: Connection, onStored?: (etag: string) => void): Transport<FileRange> {
  const send = (target: Target, range: FileRange, { headers, upload }: Pick<TransferRequest, 'headers' | 'upload'>, { signal, onProgress }: Sending) =>
    withRange(range, onProgress, async (body) => {
      signal.throwIfAborted();
      const response = await beginTransfer(connection, 'upload', target, { headers: { ...headers, 'content-length': String(range.end - range.start) }, body, signal, upload });
      return response.body.json();
    });

  const transport: Transport<FileRange> = {
    put: async (target, range, contentType, whenTaken, sending) => {
      const stored = await send(target, range, { headers: { 'content-type': contentType, ...(whenTaken === 'refuse' ? { 'if-none-match': '*' } : {}) } }, sending);
      onStored?.((stored as { readonly etag: string }).etag);
    },

    sizeOf: async (target) => (await objectHead(connection, target))?.size,

    read: async (target, signal) => new Uint8Array(await (await beginTransfer(connection, 'download', target, { headers: {}, signal })).body.arrayBuffer()),

    begin: async (target, contentType) => (await connection.call('upload/create', { ...target, contentType })).id,

    sendPart: async (target, id, part, range, sending) => {
      try {
        return (await send(target, range, { headers: {}, upload: { id, part } }, sending)) as Awaited<ReturnType<typeof transport.sendPart>>;
      } catch (error) {
        if (codeOf(error) !== 'not_found') throw error;
        // `not_found` means that the upload is gone, or that the server lost the ticket in a restart.
        await transport.arrivedParts(target, id, sending.signal);
        throw new ClientFailure('the service has lost a ticket', 'incomplete');
      }
    },

    arrivedParts: async (target, id) => (await connection.call('upload/get', { ...target, id })).parts,

    complete: async (target, id, parts, whenTaken) => {
      const { etag, size } = await connection.call('upload/complete', { ...target, id, parts: [...parts], ...ifNoneMatch(whenTaken) });
      onStored?.(etag);
      return size;
    },

    abandon: async (target, id) => {
      await connection.call('upload/abort', { ...target, id });
    },
  };
  return transport;
}

function ifNoneMatch(whenTaken: WhenTaken): { readonly ifNoneMatch?: '*' } {
  return whenTaken === 'refuse' ? { ifNoneMatch: '*' } : {};
}
