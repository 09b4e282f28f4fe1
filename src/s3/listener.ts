import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Caller } from '../access/caller.ts';
import { cutOff } from '../bounds/send-body.ts';
import { codeOf } from '../errors/svc-error.ts';
import type { AnyOperation } from '../operation/operation.ts';
import type { Performer } from '../operation/perform.ts';
import type { Logger } from '../log/logger.ts';
import { S3Attempt, send } from './attempt.ts';
import type { S3Credentials } from './credentials.ts';
import { tell } from './fault.ts';
import { presigned } from './presigned.ts';
import { S3Request } from './request.ts';
import { routeOf, type S3Route } from './route.ts';
import { routes } from './routes.ts';
import { refuseVersion2 } from './signature.ts';
import { answerSts, isStsRequest, type StsParts } from './sts.ts';
import { DECLARATION, element, text } from './xml-answer.ts';

export type S3ListenerParts = {
  readonly performer: Performer;
  readonly credentials: S3Credentials;
  readonly sts: StsParts;
  /** The host, with its port, at which clients reach this face. */
  readonly endpointHost: string;
  readonly region: string;
  /** Milliseconds within which a body that is no object has to arrive. */
  readonly bodyDeadlineMs: number;
  /** The address of a client; undefined when the connection has none. */
  readonly addressOf: (req: IncomingMessage) => string | undefined;
  readonly log: Logger;
};

/**
 * Answers the calls of S3 tools: reads the request, finds the call, and performs its operation, which verifies the signature first. Nothing is decided here.
 */
export function s3Listener(parts: S3ListenerParts): RequestListener {
  return (req, res) => void answer(parts, req, res);
}

async function answer(parts: S3ListenerParts, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { performer, credentials, endpointHost, region, bodyDeadlineMs, addressOf, log } = parts;
  const requestId = randomUUID();
  let request: S3Request | undefined;
  let route: S3Route | undefined;
  let attempt: S3Attempt | undefined;
  try {
    request = new S3Request(req, endpointHost);
    refuseVersion2(request);
    const origin = { requestId, address: addressOf(req), face: 's3' } as const;
    if (isStsRequest(request)) {
      await answerSts(parts.sts, { req, res, request, origin, bodyDeadlineMs });
      return;
    }
    route = routeOf(request, routes);
    const operation: AnyOperation = request.isQuerySigned ? presigned(route) : route.operation;
    attempt = new S3Attempt({ req, res, request, route, origin, credentials, region, bodyDeadlineMs });
    await performer.perform(operation, attempt);
  } catch (error) {
    sendFault(error, { req, res, request, route, caller: attempt?.caller, requestId, log });
  }
}

type Failed = {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly request: S3Request | undefined;
  readonly route: S3Route | undefined;
  readonly caller: Caller | undefined;
  readonly requestId: string;
  readonly log: Logger;
};

function sendFault(error: unknown, { req, res, request, route, caller, requestId, log }: Failed): void {
  if (res.destroyed) return;
  const missing = request?.key === undefined ? 'NoSuchBucket' : isOfUpload(route) ? 'NoSuchUpload' : 'NoSuchKey';
  const { status, code, message, elements } = tell(error, { missing, caller });
  // A person who asks for too much is told to slow down, which has a status of faults in S3.
  const isFault = status >= 500 && status !== 501 && codeOf(error) !== 'rate_limited';
  if (isFault && (error as { readonly isLogged?: boolean }).isLogged !== true)
    log.error(`s3 ${route?.name ?? 'request'} failed`, { requestId, answered: code, cause: error });
  if (res.headersSent) {
    if (!res.writableEnded) cutOff(res);
    return;
  }
  const xml =
    DECLARATION +
    element(
      'Error',
      text('Code', code),
      text('Message', message),
      text('Resource', request?.path),
      text('RequestId', requestId),
      ...Object.entries(elements).map(([name, value]) => text(name, value)),
    );
  void send(res, req.method === 'HEAD', { status, xml }, requestId);
}

function isOfUpload(route: S3Route | undefined): boolean {
  return route?.selectedBy.includes('uploadId') === true;
}
