import type { Caller } from '../../access/caller.ts';
import { refuseAsPartOfDocument } from '../../access/origin.ts';
import type { Direction, TicketPurpose, Tickets } from '../../access/ticket.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { readObject, writeObject } from '../../operation/transfers.ts';
import { uploadPart } from '../../operation/uploads.ts';
import { written } from '../../wire/object.ts';
import { anyOf } from '../../wire/schema.ts';
import { part } from '../../wire/upload.ts';
import type { Call } from '../routing/call.ts';
import { documentedRow, type OperationRouteParts } from '../routing/operation-route.ts';
import { RowAttempt, type RowAttemptParts } from '../routing/row-attempt.ts';
import { row } from '../routing/row.ts';
import type { Route } from '../routing/route.ts';
import { download, objectReply, upload } from './transfers.ts';

const REFUSALS = [
  'access_denied',
  'not_found',
  'session_store_unavailable',
  'storage_unavailable',
  'storage_timeout',
] as const satisfies readonly ErrorCode[];

const place = { path: '/v1/transfers/:ticket', tag: 'Transfers' } as const;

const downloading = row({
  ...place,
  method: 'get',
  operation: readObject,
  summary: 'Download with a ticket',
  description:
    'Honours `Range`, and the same conditions as the other download. A ticket can be used again until it expires, so that a download can continue where it stopped.',
  ...download,
  problems: [...download.problems, ...REFUSALS],
  read: (req) => (req.method === 'HEAD' ? { headersOnly: '1' as const } : {}),
  reply: (object, input) => objectReply(object, input.key, true),
});

const answers = { 200: { description: 'The object, or the part, was stored.', schema: anyOf([written, part]) } };

const uploading = row({
  ...place,
  method: 'put',
  operation: writeObject,
  summary: 'Upload with a ticket',
  description:
    'The body is the object, or the part for which the ticket was created. `Content-Type` is stored with the object, and so are the headers that the ticket was created with; for parts, `upload/create` sets them. With `Content-MD5`, a body with a different MD5 is refused. With `If-Match` the request is refused when the object has changed. A ticket can be used once.',
  query: ['keep'],
  body: 'stream',
  ...upload,
  answers,
  problems: [...upload.problems, ...REFUSALS],
});

const uploadingPart = row({
  ...place,
  method: 'put',
  operation: uploadPart,
  summary: uploading.summary,
  headers: { size: 'Content-Length', contentMd5: 'Content-MD5' },
  body: 'stream',
  answers,
});

/** The routes that accept transfer tickets. The ticket is the only credential, and it performs the operation that it was issued for. */
export function ticketRoutes(tickets: Tickets, parts: OperationRouteParts): Route[] {
  const [asDownload, asUpload, asPart] = [
    documentedRow(downloading, parts),
    documentedRow(uploading, parts),
    documentedRow(uploadingPart, parts),
  ] as const;
  const use = async (direction: Direction, call: Call): Promise<void> => {
    const redeemed = await redeem(tickets, direction, call, parts);
    const { attemptParts } =
      direction === 'download' ? asDownload : redeemed.purpose?.upload === undefined ? asUpload : asPart;
    return parts.performer.perform(attemptParts.row.operation, new TicketAttempt(redeemed, attemptParts, call));
  };
  const open = { kind: 'open' } as const;
  return [
    { ...asDownload.doc, access: open, ...both((call) => use('download', call)) },
    { ...asUpload.doc, access: open, ...both((call) => use('upload', call)) },
  ];
}

/** Serves a row that is found before Express is asked, and by Express as well. */
function both(serve: (call: Call) => Promise<void>): Pick<Route, 'serve' | 'hot'> {
  return { serve, hot: serve };
}

type Redeemed =
  | { readonly purpose: TicketPurpose & { readonly caller: Caller }; readonly refused?: undefined }
  | { readonly purpose?: undefined; readonly refused: unknown };

/** Redeems a ticket, which determines the operation. A refusal is kept, so that the operation throws it and writes its audit line. */
async function redeem(
  tickets: Tickets,
  direction: Direction,
  { req: { headers }, params, address }: Call,
  { ownOrigin, faults }: OperationRouteParts,
): Promise<Redeemed> {
  try {
    const purpose = await faults.refusing(address, () => {
      refuseAsPartOfDocument(headers);
      ownOrigin.refuseOthers(headers);
      return tickets.redeem(params['ticket']!, direction);
    });
    return { purpose };
  } catch (refused) {
    return { refused };
  }
}

/** A request whose ticket names the caller and the object. */
class TicketAttempt extends RowAttempt {
  readonly #redeemed: Redeemed;

  constructor(redeemed: Redeemed, parts: RowAttemptParts, call: Call) {
    super(parts, call);
    this.#redeemed = redeemed;
  }

  override async identify(): Promise<Caller | undefined> {
    const { purpose, refused } = this.#redeemed;
    if (purpose === undefined) throw refused;
    return purpose.caller;
  }

  protected override inputOf(call: Call): object {
    const { ticket: _ticket, ...sent } = super.inputOf(call) as { readonly ticket?: unknown };
    const { target, upload: of, version, stored } = this.#redeemed.purpose!;
    const { provider, bucket, key } = target;
    return {
      ...sent,
      provider,
      bucket,
      key,
      ...(version !== undefined && { version }),
      ...(stored !== undefined && { stored }),
      ...(of !== undefined && { id: of.id, number: of.part }),
    };
  }
}
