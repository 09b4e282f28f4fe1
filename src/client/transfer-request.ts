import type { Readable } from 'node:stream';
import type { Problem } from '../wire/problem.ts';
import type { Dispatcher } from 'undici';
import { ClientFailure } from './client-failure.ts';
import type { Connection } from './connection.ts';
import { bytesOf, headerOf, problemOf, unreachable } from './connection.ts';
import { SvcError } from '../errors/svc-error.ts';
import type { Target } from '../transfer/transport.ts';

/** Storage needs a while to join the parts of a large upload. */
const ANSWER_TIMEOUT_MS = 15 * 60_000;
const IDLE_TIMEOUT_MS = 60_000;

export type TransferRequest = {
  readonly headers: Record<string, string>;
  readonly body?: Readable | Buffer;
  /** The body is this part of an upload. */
  readonly upload?: { readonly id: string; readonly part: number } | undefined;
  readonly signal?: AbortSignal;
};

/**
 * Gets a ticket for one transfer and uses it at once, because it must be used within 60 seconds.
 *
 * @throws {SvcError} the refusal of the service; {@link ClientFailure} `incomplete` when the ticket is not valid, so that the next try asks for another one.
 */
export async function beginTransfer(
  connection: Connection,
  direction: 'download' | 'upload',
  { provider, bucket, key }: Target,
  request: TransferRequest,
): Promise<Dispatcher.ResponseData> {
  const { headers, body = null, upload, signal = null } = request;
  const { url, method } = await connection.call('transfer/create', {
    direction,
    provider,
    bucket,
    key,
    ...(upload === undefined ? {} : { upload }),
  });
  const undici = await import('undici');
  let response: Dispatcher.ResponseData;
  try {
    response = await undici.request(url, {
      method,
      headers,
      body,
      signal,
      headersTimeout: ANSWER_TIMEOUT_MS,
      bodyTimeout: IDLE_TIMEOUT_MS,
    });
  } catch (error) {
    throw unreachable(new URL(url).origin, error);
  }
  // An answer that is thrown away must not end the process.
  response.body.on('error', () => undefined);
  const { statusCode: status } = response;
  if (status === 200 || (status === 206 && headers['range'] !== undefined)) return response;
  const problem = problemOf(status, (await bytesOf(response.body)).toString(), headerOf(response, 'retry-after'));
  // A proxy that lost an instance may have sent the request to another one after the first had used the ticket, or the service was restarted.
  const isSpent = problem instanceof SvcError && (problem.members as Partial<Problem>).ticket === 'not_valid';
  throw isSpent ? new ClientFailure('the service no longer knows the ticket of this transfer', 'incomplete') : problem;
}

/** The ETag without quotes and `W/`, so that the forms of listings and headers can be compared. */
export function plainEtag(etag: string): string {
  return etag.replace(/^W\//, '').replace(/^"(.*)"$/, '$1');
}
