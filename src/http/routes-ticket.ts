import type { OwnOrigin } from '../access/origin.ts';
import type { Direction, Tickets } from '../access/ticket.ts';
import type { CredentialWatch } from '../access/credential-watch.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { Storage } from '../storage/storage.ts';
import { object } from '../wire/schema.ts';
import { part, writtenObject } from '../wire/storage.ts';
import { endWithCaller } from './held-open.ts';
import { route, type Route, type RouteRequest } from './route.ts';
import { download, downloadDoc, receive, uploadDoc } from './routes-transfer.ts';
import { receivePart } from './routes-upload.ts';

export type TicketRouteParts = {
  readonly watch: CredentialWatch;
  readonly tickets: Tickets;
  readonly storage: Storage;
  readonly ownOrigin: OwnOrigin;
};

const path = object({ ticket: { type: 'string', minLength: 43, maxLength: 43 } });

const REFUSALS = ['access_denied', 'not_found', 'session_store_unavailable', 'storage_unavailable', 'storage_timeout'] as const satisfies readonly ErrorCode[];

/** Where transfer tickets are used. The ticket is the credential: no other is asked for. */
export function ticketRoutes(parts: TicketRouteParts): Route[] {
  const row = { path: '/v1/transfers/:ticket', tag: 'Transfers', params: path, access: { kind: 'open' } } as const;
  return [
    route({
      ...row,
      method: 'get',
      operation: 'transfer/download',
      summary: 'Download with a ticket',
      description: 'Honours `Range`. The ticket counts until it expires, so that a download can go on where it stopped.',
      ...downloadDoc,
      problems: [...downloadDoc.problems, ...REFUSALS],
      handle: async (request) => {
        const { target } = await redeem(request, 'download', parts);
        return download(parts.storage, target, { req: request.req, signal: request.signal, asAttachment: true });
      },
    }),
    route({
      ...row,
      method: 'put',
      operation: 'transfer/upload',
      summary: 'Upload with a ticket',
      description: 'The body is the object, or the part that the ticket was made for. The ticket counts once.',
      body: 'stream',
      ...uploadDoc,
      responses: { 200: { description: 'It stands.', schema: { anyOf: [writtenObject, part] } } },
      problems: [...uploadDoc.problems, ...REFUSALS],
      handle: async (request) => {
        const { target, upload } = await redeem(request, 'upload', parts);
        return upload === undefined ? receive(parts.storage, target, request) : receivePart(parts.storage, { ...target, id: upload.id }, upload.part, request);
      },
    }),
  ];
}

type TicketRequest = Pick<RouteRequest<{ path: { ticket: string } } & { query: unknown; body: unknown }, []>, 'input' | 'req' | 'res' | 'trail'>;

async function redeem({ input, req, res, trail }: TicketRequest, direction: Direction, { tickets, watch, ownOrigin }: TicketRouteParts) {
  ownOrigin.refuseOthers(req.headers);
  const { caller, target, upload } = await tickets.redeem(input.path.ticket, direction, trail);
  endWithCaller(watch, caller, { res, trail });
  return { target, upload };
}
