import type { IncomingMessage, ServerResponse } from 'node:http';
import { Collected } from '../bounds/collected.ts';
import type { CredentialWatch } from '../access/credential-watch.ts';
import { readCredentials } from '../access/credentials.ts';
import { slowBody } from '../access/invalid.ts';
import { credentialRefOf } from '../access/credential-ref.ts';
import type { Identify } from '../access/identify.ts';
import type { OriginCheck } from '../access/origin.ts';
import type { Origin } from '../audit/record.ts';
import { catalogue } from '../errors/catalogue.ts';
import { SvcError, codeOf } from '../errors/svc-error.ts';
import { withDeadline } from '../bounds/deadline.ts';
import { cutOff, sendBytes } from '../bounds/send-body.ts';
import type { Performer } from '../operation/perform.ts';
import { errorResponse, MAX_MESSAGE_BYTES, sessionEnded, type Dispatch } from './dispatch.ts';
import { TIMES_WHILE_ANSWERED } from './rpc-request.ts';

export type RpcPostParts = {
  readonly identify: Identify;
  readonly dispatch: Dispatch;
  readonly performer: Performer;
  readonly watch: CredentialWatch;
  readonly ownOrigin: OriginCheck;
  readonly bodyDeadlineMs: number;
};

/**
 * Answers `POST /rpc`.
 *
 * A request without a valid credential or from another origin gets the HTTP status of its problem, with a JSON-RPC error as body. The outcome of a call always
 * has status 200.
 */
export function rpcPost(
  parts: RpcPostParts,
): (req: IncomingMessage, res: ServerResponse, origin: Origin) => Promise<void> {
  return async (req, res, origin) => {
    let leave: (() => void) | undefined;
    try {
      parts.ownOrigin.admit(req.headers);
      if (req.method !== 'POST')
        throw new SvcError('method_not_allowed', { detail: 'JSON-RPC needs POST, or a WebSocket' });
      const caller = await callerOf(req, parts);
      if (!/^application\/json\b/i.test(req.headers['content-type'] ?? ''))
        throw new SvcError('unsupported_media_type', { detail: 'send `content-type: application/json`' });
      const away = new AbortController();
      leave = parts.watch.watch(caller, () => {
        away.abort(sessionEnded());
        // An answer that the client does not read would stay in memory.
        if (res.headersSent) cutOff(res);
      });
      // The client may have disconnected while the caller was identified.
      if (res.destroyed) away.abort();
      else
        res.once('close', () => {
          if (!res.writableFinished) away.abort();
        });
      const again = () => parts.identify.byCredentialRef(credentialRefOf(caller));
      const read = () => withDeadline(readBody(req), parts.bodyDeadlineMs, () => slowBody(parts.bodyDeadlineMs));
      const serve = (text: string) =>
        parts.dispatch.serve(text, { caller, origin, again, signal: away.signal }, (answer) =>
          send(res, answer === undefined ? 204 : 200, answer),
        );
      // What a message holds stays in memory while its calls wait for storage.
      const most = Math.min(Number(req.headers['content-length'] ?? MAX_MESSAGE_BYTES), MAX_MESSAGE_BYTES);
      await parts.performer.hold(caller, TIMES_WHILE_ANSWERED * most, away, async (keep) => {
        const text = await read();
        keep(TIMES_WHILE_ANSWERED * Buffer.byteLength(text));
        await serve(text);
      });
    } catch (error) {
      const code = codeOf(error) ?? 'internal';
      if (code === 'method_not_allowed') res.setHeader('Allow', 'POST');
      const retry = code === codeOf(error) ? (error as SvcError).retryAfterSeconds : undefined;
      if (retry !== undefined) res.setHeader('Retry-After', String(retry));
      if (!req.complete) res.setHeader('Connection', 'close');
      await send(res, catalogue[code].status, Buffer.from(JSON.stringify(errorResponse(error))));
    } finally {
      leave?.();
    }
  };
}

async function callerOf(req: IncomingMessage, { identify, ownOrigin }: RpcPostParts) {
  const credentials = readCredentials(req.headers);
  if (credentials.cookie !== undefined) ownOrigin.require(req.headers);
  const caller = await identify.byCredentials(credentials);
  const isSent = credentials.bearer !== undefined || credentials.cookie !== undefined;
  if (caller === undefined)
    throw new SvcError('session_required', {
      detail: isSent
        ? 'the credential is not valid, or has ended'
        : 'the request has no credential (`Authorization: Bearer …`)',
    });
  return caller;
}

async function readBody(req: IncomingMessage): Promise<string> {
  const body = new Collected();
  for await (const chunk of req as AsyncIterable<Buffer>) {
    body.add(chunk);
    if (body.bytes > MAX_MESSAGE_BYTES)
      throw new SvcError('payload_too_large', { detail: `a message has at most ${MAX_MESSAGE_BYTES} bytes` });
  }
  return body.join().toString('utf8');
}

/** Resolves when the client has the answer, or has left. */
async function send(res: ServerResponse, status: number, answer: Buffer | undefined): Promise<void> {
  await sendBytes(res, answer ?? Buffer.alloc(0), () => {
    res.statusCode = status;
    res.setHeader('Cache-Control', 'no-store');
    if (answer !== undefined) res.setHeader('Content-Type', 'application/json; charset=utf-8');
  });
}
