import type { ErrorCode } from '../errors/catalogue.ts';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import { tlsFault } from '../errors/tls-fault.ts';
import { MAX_ANSWER_BYTES } from './s3/exchange.ts';
import { S3Fault } from './s3/fault.ts';

/**
 * Catalogue codes of faults by the name that storage, Node or undici gives them. Faults with a remedy are `storage_unavailable`. These are maps, because
 * storage chooses the names, and one could be `constructor`.
 */
const CODE_OF_NAME = mapOf<ErrorCode>({
  NoSuchKey: 'not_found',
  NoSuchBucket: 'not_found',
  NoSuchUpload: 'not_found',
  NoSuchVersion: 'not_found',
  NotFound: 'not_found',
  BucketAlreadyExists: 'bucket_exists',
  BucketAlreadyOwnedByYou: 'bucket_exists',
  BucketNotEmpty: 'bucket_not_empty',
  PreconditionFailed: 'precondition_failed',
  ConditionalRequestConflict: 'conflict',
  OperationAborted: 'conflict',
  InvalidObjectState: 'conflict',
  InvalidRange: 'range_not_satisfiable',
  EntityTooLarge: 'payload_too_large',
  RequestTimeout: 'storage_timeout',
  TimeoutError: 'storage_timeout',
  ETIMEDOUT: 'storage_timeout',
  UND_ERR_CONNECT_TIMEOUT: 'storage_timeout',
  UND_ERR_HEADERS_TIMEOUT: 'storage_timeout',
  UND_ERR_BODY_TIMEOUT: 'storage_timeout',
  NotImplemented: 'not_supported',
});

/** Catalogue codes by status, for faults without a known name. */
const CODE_OF_STATUS: Readonly<Partial<Record<number, ErrorCode>>> = {
  401: 'storage_unavailable',
  403: 'storage_unavailable',
  404: 'not_found',
  405: 'storage_unavailable',
  408: 'storage_timeout',
  409: 'conflict',
  412: 'precondition_failed',
  413: 'payload_too_large',
  416: 'range_not_satisfiable',
  429: 'storage_unavailable',
  501: 'not_supported',
  504: 'storage_timeout',
};

/** What an operator can do, for faults that an operator has to fix. */
const REMEDY_OF_NAME = mapOf<string>({
  InvalidAccessKeyId: 'does not know the access key; check `credentials.access_key_id`',
  SignatureDoesNotMatch: 'refuses the signature; check `credentials.secret_access_key` and `region`',
  ExpiredToken: 'says that the credentials have expired; renew them',
  InvalidToken: 'refuses the session token; renew `credentials.session_token`',
  TokenRefreshRequired: 'says that the credentials have expired; renew them',
  RequestTimeTooSkewed: 'sees another time than this server; set its clock',
  CredentialsProviderError: 'has no credentials; set `credentials`, or give the AWS default chain some',
  AccessDenied:
    "does not let the service's access key do this; check the bucket's policy and the permissions of the key",
  PermanentRedirect: 'has this bucket in another place; check `endpoint` and `region`',
  AuthorizationHeaderMalformed: 'expects another region; check `region`',
  IllegalLocationConstraintException: 'expects another region; check `region`',
  MethodNotAllowed: 'does not support this operation',
  SlowDown: 'asks to slow down; try again later',
  TooManyBuckets: 'allows no further bucket to these credentials',
  QuotaExceeded: 'has no room left',
  ECONNREFUSED: 'refuses the connection; check that it runs, and `endpoint`',
  ENOTFOUND: 'has an address that is not known; check `endpoint`',
  EAI_AGAIN: 'has an address that cannot be looked up now; check the name service and `endpoint`',
  ECONNRESET: 'closed the connection; try again',
  EPIPE: 'closed the connection; try again',
  UND_ERR_SOCKET: 'closed the connection; try again',
  UND_ERR_PRX_CONN: 'cannot be reached through the proxy, which closed the connection; try again',
  EHOSTUNREACH: 'cannot be reached over the network; check `endpoint`',
  ENETUNREACH: 'cannot be reached over the network; check `endpoint`',
  UND_ERR_ABORTED: 'is not let through by the proxy; check `HTTPS_PROXY` and `NO_PROXY` of the service',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: `answered with more than ${MAX_ANSWER_BYTES / 1_048_576} MiB`,
  HPE_INVALID_CONSTANT: 'does not speak HTTP; check whether `endpoint` is `https:` or `http:`',
});

const TLS_SETTINGS = { authority: "the provider's `tls.ca_file`", address: '`endpoint`' };

/** Statuses that proxies send themselves. They keep their meaning whatever the body is. */
const MEANT_STATUSES: readonly number[] = [408, 412, 413, 416, 429];

/** The members that are read of an error: an {@link S3Fault}, or an error of Node, undici or the credential chain. */
type Fault = { readonly name?: unknown; readonly code?: unknown; readonly status?: unknown };

/**
 * Turns a fault of storage, or of the connection to it, into an {@link SvcError}. It never names the endpoint's address or a credential.
 *
 * @param provider - name of the provider, for the reader of the detail.
 * @param listed - the bucket of the request, if the provider's `buckets` lists it.
 */
export function storageError(provider: string, error: unknown, listed?: string): SvcError {
  if (codeOf(error) !== undefined) return error as SvcError;
  const fault: Fault = typeof error === 'object' && error !== null ? error : {};
  const network = networkCodeOf(error);
  const name = nameOf(fault);
  const misplaced = fault instanceof S3Fault ? misplacedDetail(fault, name) : undefined;
  if (misplaced !== undefined)
    return new SvcError('storage_unavailable', {
      detail: `storage provider \`${provider}\` ${misplaced}`,
      cause: error,
    });

  const code = codeOfName(network || name) ?? codeOfStatus(statusOf(fault)) ?? 'storage_unavailable';
  return new SvcError(code, { detail: detailOf(provider, code, { name, network, listed }), cause: error });
}

/** The detail when the request went to the wrong region, or to a service that is not S3. */
function misplacedDetail(
  { name, status, region, contentType, isNumbered }: S3Fault,
  meant: string,
): string | undefined {
  // The answer to a HEAD has no body, so it does not name its fault.
  const isElsewhere =
    meant === 'Unknown'
      ? status === 301 || status === 400
      : ['PermanentRedirect', 'AuthorizationHeaderMalformed', 'IllegalLocationConstraintException'].includes(meant);
  if (isElsewhere && region !== undefined && /^[a-z0-9-]{1,40}$/i.test(region))
    return `expects the region \`${region}\`; set the provider's \`region\` to it`;
  // For example `404, text/html` from a web page or another service.
  const type = /^(?:text\/html|text\/plain|application\/json)/.exec(contentType)?.[0];
  // Ceph answers so to what it cannot read as a request for an object, such as a key with U+0000.
  const isOfCeph = type === 'application/json' && isNumbered && status === 400;
  const isForeign =
    type !== undefined &&
    !isOfCeph &&
    status < 500 &&
    !MEANT_STATUSES.includes(status) &&
    codeOfName(name) === undefined;
  return isForeign ? `does not answer as S3 does (${status}, ${type}); check \`endpoint\`` : undefined;
}

/** The catalogue code of a fault that storage names within a successful answer, such as the one to a bulk delete. */
export function codeOfFault(name: string): ErrorCode {
  return (
    codeOfName(name) ??
    (name.startsWith('Invalid') || name.startsWith('Malformed') ? 'invalid_request' : 'storage_unavailable')
  );
}

/** Whether the cause of an error is the fault with this name, or has the status that a HEAD answers instead. */
export function isFault(error: unknown, name: string, status?: number): boolean {
  const fault = faultBehind(error);
  return fault !== undefined && (fault.name === name || (status !== undefined && fault.status === status));
}

/** The answer of storage, when that is the cause of an error. */
export function faultBehind(error: unknown): S3Fault | undefined {
  const cause: unknown = error instanceof SvcError ? error.cause : undefined;
  return cause instanceof S3Fault ? cause : undefined;
}

/** Whether storage may have carried out the request before it answered with this error, because its answer to an earlier attempt was lost. */
export function mayBeDone(error: unknown): boolean {
  return faultBehind(error)?.mayBeDone === true;
}

/** Passes over the error of a deletion when nothing is there any more, because storage may have deleted it when it was asked before. */
export function passOverGone(error: unknown): void {
  if (codeOf(error) !== 'not_found' || !mayBeDone(error)) throw error;
}

function statusOf({ status }: Fault): number | undefined {
  return typeof status === 'number' ? status : undefined;
}

function nameOf(fault: Fault): string {
  const named = typeof fault.name === 'string' ? fault.name : '';
  const status = statusOf(fault);
  const refused = status === 401 || status === 403;
  // The answer to a HEAD has no body that names its fault.
  return refused && codeOfName(named) === undefined ? 'AccessDenied' : named;
}

function codeOfName(name: string): ErrorCode | undefined {
  return CODE_OF_NAME.get(name) ?? (REMEDY_OF_NAME.has(name) ? 'storage_unavailable' : undefined);
}

/** The code that Node or undici gives to a connection fault, such as `ECONNREFUSED`; empty for any other error. */
export function networkCodeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || codeOf(error) !== undefined) return '';
  const { code }: Fault = error;
  return typeof code === 'string' ? code : '';
}

function codeOfStatus(status: number | undefined): ErrorCode | undefined {
  if (status === undefined) return undefined;
  return CODE_OF_STATUS[status] ?? (status >= 400 && status < 500 ? 'invalid_request' : 'storage_unavailable');
}

function detailOf(
  provider: string,
  code: ErrorCode,
  { name, network, listed }: { readonly name: string; readonly network: string; readonly listed: string | undefined },
): string {
  const subject = `storage provider \`${provider}\``;
  switch (code) {
    case 'not_found':
      if (name === 'NoSuchBucket')
        return listed === undefined
          ? 'there is no such bucket'
          : `${subject} has no bucket \`${listed}\`; check its \`buckets\``;
      return name === 'NoSuchUpload'
        ? 'there is no such upload of this key; start a new one'
        : 'there is no such object';
    case 'bucket_exists':
      return 'a bucket of this name exists already; choose another name';
    case 'bucket_not_empty':
      return 'delete the objects, their earlier versions and unfinished uploads in the bucket first';
    case 'precondition_failed':
      return 'the object exists already, or has changed';
    case 'conflict':
      return name === 'InvalidObjectState'
        ? 'the object is archived; it has to be brought back first'
        : 'another request changes the same thing; try again';
    case 'range_not_satisfiable':
      return 'the range begins behind the end of the object';
    case 'payload_too_large':
      return `${subject} takes nothing as large as this`;
    case 'invalid_request':
      // Storage chooses the name, and people see it.
      return !/^[A-Za-z]{1,64}$/.test(name) || name === 'Unknown'
        ? `${subject} refuses the request`
        : `${subject} refuses the request (${name})`;
    case 'not_supported':
      return `${subject} does not support this operation`;
    case 'storage_timeout':
      return `${subject} did not answer in time; try again later`;
    default:
      return `${subject} ${REMEDY_OF_NAME.get(name) ?? REMEDY_OF_NAME.get(network) ?? tlsFault(network, TLS_SETTINGS) ?? 'cannot be used now; try again later'}`;
  }
}

function mapOf<T>(members: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(Object.entries(members));
}
