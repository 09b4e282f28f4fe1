import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Connection } from './connection.ts';
import { headerOf, problemOf, unreachable } from './connection.ts';
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
 * @throws {SvcError}
 */
export async function beginTransfer(connection: Connection, direction: 'download' | 'upload', { provider, bucket, key }: Target, request: TransferRequest): Promise<Dispatcher.ResponseData> {
  const { headers, body = null, upload, signal = null } = request;
  const { url, method } = await connection.call('transfer/create', { direction, provider, bucket, key, ...(upload === undefined ? {} : { upload }) });
  const undici = await import('undici');
  let response: Dispatcher.ResponseData;
  try {
    response = await undici.request(url, { method, headers, body, signal, headersTimeout: ANSWER_TIMEOUT_MS, bodyTimeout: IDLE_TIMEOUT_MS });
  } catch (error) {
    throw unreachable(new URL(url).origin, error);
  }
  if (response.statusCode >= 400) throw problemOf(response.statusCode, await response.body.text(), headerOf(response, 'retry-after'));
  return response;
}

/** The ETag without quotes and `W/`, so that the forms of listings and headers can be compared. */
export function plainEtag(etag: string): string {
  return etag.replace(/^W\//, '').replace(/^"(.*)"$/, '$1');
}
