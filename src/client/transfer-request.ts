import { plainEtag } from '../transfer/plain-etag.ts';
import type { Readable } from 'node:stream';
import type { Problem } from '../wire/problem.ts';
import type { Dispatcher } from 'undici';
import { ClientFailure } from './client-failure.ts';
import type { Connection } from './connection.ts';
import { bytesOf, exchange, headerOf } from './connection.ts';
import { jsonOf, problemOf } from './service-failure.ts';
import { SvcError } from '../errors/svc-error.ts';
import { API_KEY_PREFIX } from '../secret/secret.ts';
import type { Target } from '../transfer/transport.ts';
import type { StoredHeaders } from '../wire/stored-headers.ts';
import type { Ticket, UploadTurns } from './upload-turns.ts';

/** An object, or one version of it. */
export type VersionTarget = Target & { readonly version?: string | undefined };

/** Storage needs a while to join the parts of a large upload. */
const ANSWER_TIMEOUT_MS = 15 * 60_000;
const IDLE_TIMEOUT_MS = 60_000;
/** Servers take some 8 kB for a request line. A key of 1,024 bytes has at most 3,072 in a path. */
const MAX_PATH = 4_096;

export type TransferRequest = {
  readonly headers: Record<string, string>;
  /** Only the headers of a download are asked for. The answer to a failure has no body then, so its code is unknown. */
  readonly headersOnly?: boolean;
  readonly body?: Readable | Buffer;
  /** The body is this part of an upload. */
  readonly upload?: { readonly id: string; readonly part: number } | undefined;
  /** The headers that an upload of a whole object stores with it. */
  readonly stored?: StoredHeaders | undefined;
  /** An upload replaces only the content. The header `if-match` is required. */
  readonly keep?: boolean;
  /** The turns of the uploads that are under way; undefined for an upload that waits for no other. */
  readonly turns?: UploadTurns | undefined;
  readonly signal?: AbortSignal;
};

export type TransferAnswer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'> & { readonly body: Readable };

/**
 * Begins a transfer. A download is one request, if the credential works there. An upload has a ticket, because a proxy that lost an instance sends it again,
 * and a ticket is used once.
 *
 * @throws {SvcError} the refusal of the service; {@link ClientFailure} `incomplete` when the ticket is not valid, so that the next try asks for another one.
 */
export async function beginTransfer(
  connection: Connection,
  direction: 'download' | 'upload',
  target: VersionTarget,
  { upload, stored, headersOnly = false, keep = false, turns, ...transfer }: TransferRequest,
): Promise<TransferAnswer> {
  const { pace } = connection;
  const { body } = transfer;
  if (Buffer.isBuffer(body)) await pace?.take(body.length);
  else if (body !== undefined && pace !== undefined) transfer.body = pace.through(body);
  const request = { ...transfer, headersTimeout: ANSWER_TIMEOUT_MS, bodyTimeout: IDLE_TIMEOUT_MS };
  const { provider, bucket, key, version } = target;
  const path = direction === 'download' ? objectPath(connection, target) : undefined;
  let response: Dispatcher.ResponseData;
  if (path !== undefined)
    response = await connection.request(path, { ...request, method: headersOnly ? 'HEAD' : 'GET' });
  else {
    const params = {
      direction,
      provider,
      bucket,
      key,
      ...(upload === undefined ? {} : { upload }),
      ...(stored === undefined ? {} : { stored: { ...stored } }),
      ...(version === undefined ? {} : { version }),
    };
    const begin = ({ url, method }: Ticket) =>
      exchange(keep ? `${url}?keep=1` : url, { ...request, method: headersOnly ? 'HEAD' : method });
    response = await (turns?.take(params, begin) ?? begin(await connection.call('transfer/create', params)));
  }
  const { statusCode: status } = response;
  if (status === 200 || (status === 206 && transfer.headers['range'] !== undefined)) {
    // The page of a proxy is not the content of the object. It may have an ETag, which some storage does not give.
    if (direction === 'download' && headerOf(response, 'content-disposition') === '') {
      response.body.destroy();
      throw connection.notOurs(status, '/api', '');
    }
    return pace === undefined || direction === 'upload' ? response : { ...response, body: pace.through(response.body) };
  }
  const retryAfter = headerOf(response, 'retry-after');
  const problem = problemOf(status, (await bytesOf(response.body)).toString(), retryAfter);
  if (path !== undefined) throw problem instanceof SvcError ? problem : connection.notOurs(status, '/api', retryAfter);
  // A proxy that lost an instance may have sent the request to another one after the first had used the ticket, or the service was restarted.
  const isSpent = problem instanceof SvcError && (problem.members as Partial<Problem>).ticket === 'not_valid';
  throw isSpent ? new ClientFailure('the service no longer knows the ticket of this transfer', 'incomplete') : problem;
}

/** The answer to an upload. @throws {ClientFailure} `incomplete` when it is not one of the service, such as the page of a proxy. */
export async function writtenIn({ body }: Pick<TransferAnswer, 'body'>): Promise<{ readonly etag: string }> {
  const told = jsonOf((await bytesOf(body)).toString()) as { readonly etag?: unknown } | null | undefined;
  if (typeof told?.etag === 'string') return told as { readonly etag: string };
  throw new ClientFailure('the answer to an upload cannot be read; it may be stored', 'incomplete');
}

/** The path of an object with this credential; undefined for an API key, which works at `/rpc` alone, and for a key that is too long or has half a character. */
function objectPath({ credential }: Connection, { provider, bucket, key, version }: VersionTarget): string | undefined {
  if (credential?.startsWith(API_KEY_PREFIX) || ![provider, bucket, key].every((name) => name.isWellFormed()))
    return undefined;
  const [inProvider, inBucket, named] = [provider, bucket, key].map(encodeURIComponent);
  const path = `/api/providers/${inProvider}/buckets/${inBucket}/object?key=${named}${version === undefined ? '' : `&version=${encodeURIComponent(version)}`}`;
  return path.length <= MAX_PATH ? path : undefined;
}

/** The ETag as a condition names it. */
export function quotedEtag(etag: string): string {
  return `"${plainEtag(etag)}"`;
}
