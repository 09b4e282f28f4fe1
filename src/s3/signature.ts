import { createSecretKey, hash, timingSafeEqual, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ShortHmac } from '../sigv4/short-hmac.ts';
import { ALGORITHM, queryOf, signingKeyOf, stampOf, UNSIGNED_PAYLOAD } from '../sigv4/sigv4.ts';
import { s3Fault, type S3FaultCode } from './fault.ts';
import type { S3Request } from './request.ts';

/** How far the clocks of client and service may be apart. */
const SKEW_MS = 15 * 60_000;
const MAX_EXPIRES_SECONDS = 604_800;
const MAX_SIGNING_KEYS = 2_048;
/** The length of what is signed, with the longest region. */
const STRING_TO_SIGN_CHARACTERS = 256;

/** The parts of a signature, not verified yet. `stamp` is the time of the request, such as `20250131T235959Z`. */
export type Signed = {
  readonly accessKeyId: string;
  readonly scope: string;
  readonly stamp: string;
  readonly names: readonly string[];
  readonly signature: string;
  readonly payloadHash: string;
  readonly sessionToken: string | undefined;
  readonly isQuery: boolean;
};

/** A verified signature, from which the chunks of a body are verified. */
export type Verified = Pick<Signed, 'scope' | 'stamp' | 'signature'> & { readonly key: KeyObject };

/** What a signature is made for: `s3`, or `sts`. */
export type SignedService = 's3' | 'sts';

/** @throws {SvcError} `InvalidRequest`: the request is signed with the version that S3 has given up. */
export function refuseVersion2(request: S3Request): void {
  if (request.query.has('AWSAccessKeyId') || request.header('authorization')?.startsWith('AWS ') === true)
    throw s3Fault(
      'InvalidRequest',
      'the request is signed with Signature Version 2; set the tool to version 4 (`signature_version=s3v4`)',
    );
}

/**
 * Reads the signature of a request: the Authorization header or the query.
 *
 * @param now - milliseconds since the epoch.
 * @throws {SvcError} a fault of S3: there is no signature, it is malformed, of another time, or leaves headers out that would change what is stored.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-auth-using-authorization-header.html
 */
export function readSignature(request: S3Request, service: SignedService, now: number): Signed {
  const authorization = request.header('authorization');
  if (request.isQuerySigned && authorization !== undefined)
    throw s3Fault('InvalidArgument', 'a request is signed in its header or in its query, not in both');
  const signed = request.isQuerySigned
    ? readQuery(request, service, now)
    : readHeader(request, authorization, service, now);
  requireSigned(request, signed.names);
  return signed;
}

function readHeader(
  request: S3Request,
  authorization: string | undefined,
  service: SignedService,
  now: number,
): Signed {
  if (authorization === undefined)
    throw s3Fault('AccessDenied', 'the request is not signed; sign it with an S3 key of this service');
  const malformed = (detail: string) => s3Fault('AuthorizationHeaderMalformed', detail);
  const found = new RegExp(
    `^${ALGORITHM} +Credential=([^, ]+), *SignedHeaders=([^, ]+), *Signature=([0-9a-f]{64})$`,
  ).exec(authorization);
  if (found === null) throw malformed(`the header \`Authorization\` is no signature of ${ALGORITHM}`);
  const stamp = request.header('x-amz-date') ?? dateStampOf(request.header('date'));
  if (stamp === undefined) throw s3Fault('AccessDenied', 'the request has no `x-amz-date`');
  const at = timeOf(stamp, 'AccessDenied');
  if (Math.abs(at - now) > SKEW_MS)
    throw s3Fault('RequestTimeTooSkewed', 'the clock of the client is more than 15 minutes off', {
      RequestTime: stamp,
      ServerTime: new Date(now).toISOString(),
    });
  const payloadHash = request.header('x-amz-content-sha256') ?? (service === 'sts' ? '' : undefined);
  if (payloadHash === undefined) throw s3Fault('MissingSecurityHeader', 'the request has no `x-amz-content-sha256`');
  return {
    ...credentialOf(found[1]!, stamp, service, malformed),
    stamp,
    names: namesOf(found[2]!, malformed),
    signature: found[3]!,
    payloadHash,
    sessionToken: request.header('x-amz-security-token'),
    isQuery: false,
  };
}

function readQuery(request: S3Request, service: SignedService, now: number): Signed {
  const malformed = (detail: string) => s3Fault('AuthorizationQueryParametersError', detail);
  const parameter = (name: string): string => {
    const value = request.query.get(name);
    if (value === undefined) throw malformed(`the query has no \`${name}\``);
    return value;
  };
  if (parameter('X-Amz-Algorithm') !== ALGORITHM) throw malformed(`\`X-Amz-Algorithm\` is not ${ALGORITHM}`);
  const signature = parameter('X-Amz-Signature');
  if (!/^[0-9a-f]{64}$/.test(signature)) throw malformed('`X-Amz-Signature` is no signature');
  const stamp = parameter('X-Amz-Date');
  const at = timeOf(stamp, 'AuthorizationQueryParametersError');
  const expires = parameter('X-Amz-Expires');
  if (!/^\d{1,6}$/.test(expires) || Number(expires) < 1 || Number(expires) > MAX_EXPIRES_SECONDS)
    throw malformed('`X-Amz-Expires` is not between 1 and 604800 seconds');
  if (at - now > SKEW_MS) throw s3Fault('AccessDenied', 'the request is not valid yet');
  if (at + Number(expires) * 1_000 < now)
    throw s3Fault('AccessDenied', 'the request has expired', { ServerTime: new Date(now).toISOString() });
  return {
    ...credentialOf(parameter('X-Amz-Credential'), stamp, service, malformed),
    stamp,
    names: namesOf(parameter('X-Amz-SignedHeaders'), malformed),
    signature,
    payloadHash: request.header('x-amz-content-sha256') ?? UNSIGNED_PAYLOAD,
    sessionToken: request.query.get('X-Amz-Security-Token'),
    isQuery: true,
  };
}

type Malformed = (detail: string) => Error;

function credentialOf(
  text: string,
  stamp: string,
  service: SignedService,
  malformed: Malformed,
): Pick<Signed, 'accessKeyId' | 'scope'> {
  const [accessKeyId = '', day, region = '', signedFor, end, ...more] = text.split('/');
  if (more.length > 0 || end !== 'aws4_request' || !/^[\w-]{1,64}$/.test(region))
    throw malformed('the credential of the signature is not `KEY/DATE/REGION/SERVICE/aws4_request`');
  if (signedFor !== service) throw malformed(`the signature is not made for the service \`${service}\``);
  if (day !== stamp.slice(0, 8)) throw malformed('the signature is made for another day than the request');
  return { accessKeyId, scope: `${day}/${region}/${signedFor}/${end}` };
}

function namesOf(text: string, malformed: Malformed): readonly string[] {
  const names = text.split(';');
  const isSorted = names.every(
    (name, i) => /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && (i === 0 || names[i - 1]! < name),
  );
  if (!isSorted || !names.includes('host'))
    throw malformed('the signed headers are not sorted names in lower case with `host` among them');
  return names;
}

/** A holder of a signed link could otherwise add what changes the request, such as a source to copy. */
function requireSigned(request: S3Request, names: readonly string[]): void {
  for (const name of request.headerNames())
    if (name.startsWith('x-amz-') && !names.includes(name))
      throw s3Fault('AccessDenied', `the signature does not cover the header \`${name}\``);
}

/** The signing keys of S3 keys, each derived once a day. */
export class SigningKeys {
  readonly #keys = new LRUCache<string, { readonly key: KeyObject; readonly hmac: ShortHmac }>({
    max: MAX_SIGNING_KEYS,
  });

  /** @returns the parts with which the chunks of the body are verified. @throws {SvcError} `SignatureDoesNotMatch`. */
  verify(request: S3Request, signed: Signed, secrets: readonly string[]): Verified {
    const toSign = `${ALGORITHM}\n${signed.stamp}\n${signed.scope}\n${sha256(canonicalOf(request, signed), 'latin1')}`;
    const given = Buffer.from(signed.signature);
    for (const secret of secrets) {
      const { key, hmac } = this.#keyOf(secret, signed.scope);
      if (timingSafeEqual(Buffer.from(hmac.hexOf(toSign)), given)) return { ...signed, key };
    }
    throw s3Fault(
      'SignatureDoesNotMatch',
      'the signature is not the one of this request; check the secret key, and that nothing between client and service changes the request',
    );
  }

  #keyOf(secret: string, scope: string) {
    const name = `${secret} ${scope}`;
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const key = signingKeyOf(secret, scope);
    const made = { key: createSecretKey(key), hmac: new ShortHmac(key, STRING_TO_SIGN_CHARACTERS) };
    this.#keys.set(name, made);
    return made;
  }
}

function canonicalOf(request: S3Request, { names, payloadHash }: Signed): string {
  const query = queryOf([...request.query].filter(([name]) => name !== 'X-Amz-Signature'));
  const headers = names.map((name) => `${name}:${request.signedHeader(name) ?? ''}\n`).join('');
  return `${request.method}\n${request.path}\n${query}\n${headers}\n${names.join(';')}\n${payloadHash}`;
}

export function sha256(text: string, encoding: BufferEncoding = 'utf8'): string {
  return hash('sha256', Buffer.from(text, encoding));
}

/** Milliseconds since the epoch. */
function timeOf(stamp: string, code: S3FaultCode): number {
  const at = /^\d{8}T\d{6}Z$/.test(stamp)
    ? Date.parse(stamp.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
    : NaN;
  if (Number.isNaN(at)) throw s3Fault(code, 'the time of the request is not as `20250131T235959Z`');
  return at;
}

/** The time of a `Date` header as it is signed. */
function dateStampOf(date: string | undefined): string | undefined {
  const at = new Date(date ?? NaN);
  return Number.isNaN(at.getTime()) ? undefined : stampOf(at);
}
