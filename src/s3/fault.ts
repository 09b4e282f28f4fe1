import type { Ask } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import { catalogue, type ErrorCode } from '../errors/catalogue.ts';
import { codeOf, detailToTell, SvcError } from '../errors/svc-error.ts';
import { decideRequest } from '../policy/index/decide-request.ts';
import type { ObjectResource } from '../policy/model/resource.ts';

/** The faults that only this face knows, by S3's codes: the status of each, and the code under which the audit keeps it. */
const FAULTS = {
  AccessControlListNotSupported: [400, 'not_supported'],
  AccessDenied: [403, 'access_denied'],
  AuthorizationHeaderMalformed: [400, 'session_required'],
  AuthorizationQueryParametersError: [400, 'session_required'],
  BadDigest: [400, 'invalid_request'],
  EntityTooLarge: [400, 'payload_too_large'],
  ExpiredToken: [400, 'session_required'],
  IncompleteBody: [400, 'invalid_request'],
  InvalidAccessKeyId: [403, 'session_required'],
  InvalidArgument: [400, 'invalid_request'],
  InvalidBucketName: [400, 'invalid_request'],
  InvalidChunkSizeError: [403, 'invalid_request'],
  InvalidDigest: [400, 'invalid_request'],
  InvalidPart: [400, 'conflict'],
  InvalidPartOrder: [400, 'invalid_request'],
  InvalidRequest: [400, 'invalid_request'],
  InvalidToken: [400, 'session_required'],
  InvalidURI: [400, 'invalid_request'],
  MalformedXML: [400, 'invalid_request'],
  MethodNotAllowed: [405, 'method_not_allowed'],
  MissingContentLength: [411, 'invalid_request'],
  MissingSecurityHeader: [400, 'invalid_request'],
  NoSuchBucket: [404, 'not_found'],
  NoSuchUpload: [404, 'not_found'],
  NotImplemented: [501, 'not_supported'],
  RequestTimeTooSkewed: [403, 'session_required'],
  SignatureDoesNotMatch: [403, 'session_required'],
  XAmzContentSHA256Mismatch: [400, 'invalid_request'],
} as const satisfies Readonly<Record<string, readonly [status: number, code: ErrorCode]>>;

export type S3FaultCode = keyof typeof FAULTS;

/** The member of an error in which this face keeps S3's own code and further elements of the answer. */
const MEMBER = 's3';
type Kept = { readonly code: S3FaultCode; readonly elements: Readonly<Record<string, string>> };

/** An error with S3's own code. `elements` become further elements of the answer, such as `ServerTime`. */
export function s3Fault(code: S3FaultCode, detail: string, elements: Readonly<Record<string, string>> = {}): SvcError {
  return new SvcError(FAULTS[code][1], { detail, members: { [MEMBER]: { code, elements } satisfies Kept } });
}

/** What an answer says of an error, in S3's words. */
export type Told = {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly elements: Readonly<Record<string, string>>;
};

/** S3's words for the errors of operations. An error that is not here is the fault of the service or of its storage, which a client may try again. */
const TOLD: Partial<Record<ErrorCode, readonly [status: number, code: string]>> = {
  invalid_request: [400, 'InvalidArgument'],
  session_required: [403, 'InvalidAccessKeyId'],
  access_denied: [403, 'AccessDenied'],
  person_suspended: [403, 'AccessDenied'],
  admin_required: [403, 'AccessDenied'],
  interactive_session_required: [403, 'AccessDenied'],
  method_not_allowed: [405, 'MethodNotAllowed'],
  bucket_exists: [409, 'BucketAlreadyExists'],
  bucket_not_empty: [409, 'BucketNotEmpty'],
  conflict: [409, 'OperationAborted'],
  precondition_failed: [412, 'PreconditionFailed'],
  payload_too_large: [400, 'EntityTooLarge'],
  range_not_satisfiable: [416, 'InvalidRange'],
  rate_limited: [503, 'SlowDown'],
  overloaded: [503, 'SlowDown'],
  internal: [500, 'InternalError'],
  not_supported: [501, 'NotImplemented'],
};

/** Codes of storage that are passed on, because clients act upon them. */
const PASSED_ON = new Set([
  'NoSuchBucket',
  'NoSuchKey',
  'NoSuchUpload',
  'InvalidBucketName',
  'InvalidPart',
  'EntityTooSmall',
]);

/** What an answer needs to know of a failed request. */
export type Context = {
  /** What is missing when the error does not say: what the request names. */
  readonly missing: 'NoSuchBucket' | 'NoSuchKey' | 'NoSuchUpload';
  /** Undefined when the request was refused before its signature was verified. */
  readonly caller: Caller | undefined;
};

export function tell(error: unknown, { missing, caller }: Context): Told {
  const code = codeOf(error) ?? 'internal';
  const known = codeOf(error) === undefined ? new SvcError('internal') : (error as SvcError);
  const message = detailToTell(known) ?? catalogue[code].title;
  const kept = known.members[MEMBER] as Kept | undefined;
  if (kept !== undefined) return { status: FAULTS[kept.code][0], code: kept.code, message, elements: kept.elements };
  const cause = (known.cause as { readonly name?: unknown } | undefined)?.name;
  const passedOn = typeof cause === 'string' && PASSED_ON.has(cause) ? cause : undefined;
  if (code === 'not_found') return { status: 404, code: passedOn ?? missing, message, elements: {} };
  if (code === 'conflict' && (passedOn === 'InvalidPart' || known.members['parts'] !== undefined))
    return { status: 400, code: 'InvalidPart', message, elements: {} };
  if (code === 'invalid_request' && passedOn !== undefined)
    return { status: 400, code: passedOn, message, elements: {} };
  const [status, name] = TOLD[code] ?? [503, 'ServiceUnavailable'];
  return { status, code: name, message: sentence(known, message, caller), elements: {} };
}

type Refused = Partial<Ask> & { readonly reason?: string };

/** A refusal by policy says what was asked, because tools show nothing but the message. */
function sentence({ code, members }: SvcError, message: string, caller: Caller | undefined): string {
  const { action, resource, reason } = members as Refused;
  if (code !== 'access_denied' || action === undefined || resource === undefined) return message;
  const isOutsideOfScope = caller?.scope !== undefined && decideRequest(caller.grants, action, resource).allowed;
  const { provider, bucket, key } = resource as Partial<ObjectResource>;
  const place = [provider, bucket, key].filter((part) => part !== undefined).join('/');
  return `${action} on ${place} is refused (${isOutsideOfScope ? 'key_scope' : reason}): ${message}`;
}
