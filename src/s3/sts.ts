import type { IncomingMessage, ServerResponse } from 'node:http';
import { slowBody } from '../access/invalid.ts';
import { audited } from '../audit/audited.ts';
import type { Audit, Origin } from '../audit/record.ts';
import { Collected } from '../bounds/collected.ts';
import { withDeadline } from '../bounds/deadline.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import type { Identity } from '../policy/model/identity.ts';
import { send } from './attempt.ts';
import type { S3Credentials } from './credentials.ts';
import { tell, type Told } from './fault.ts';
import type { S3Request } from './request.ts';
import type { S3Sessions } from './sessions.ts';
import { readSignature, sha256 } from './signature.ts';
import { element, text } from './xml-answer.ts';

const NAMESPACE = 'https://sts.amazonaws.com/doc/2011-06-15/';
const MAX_FORM_BYTES = 65_536;
const MIN_SECONDS = 900;

export type StsParts = {
  readonly audit: Audit;
  readonly credentials: S3Credentials;
  readonly sessions: S3Sessions;
  /** Verifies a token of an issuer that is trusted. Undefined when none is. */
  readonly webIdentity:
    ((token: string) => Promise<{ readonly identity: Identity; readonly name: string }>) | undefined;
  /** Whether any policy is bound to somebody. Anybody may have a token of an issuer that is open to all. */
  readonly isBound: (identity: Identity) => boolean;
  /** Counts a request of a stranger. @throws {SvcError} `rate_limited` when the address has sent too many. */
  readonly countStranger: (address: string | undefined) => void;
  readonly hasProvider: (name: string) => boolean;
  readonly maxSessionSeconds: number;
};

/** Whether a request is one for the security token service, which shares the endpoint. */
export function isStsRequest(request: S3Request): boolean {
  const isForm = request.header('content-type')?.startsWith('application/x-www-form-urlencoded') === true;
  return request.bucket === undefined && (request.query.has('Action') || (request.method === 'POST' && isForm));
}

type Call = {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly request: S3Request;
  readonly origin: Origin;
  readonly bodyDeadlineMs: number;
};

/** Answers the two calls of the security token service: who one is, and a session for a token. */
export async function answerSts(parts: StsParts, call: Call): Promise<void> {
  const { req, res, request, origin, bodyDeadlineMs } = call;
  let answer: { readonly status: number; readonly xml: string };
  try {
    const body = await withDeadline(formOf(req), bodyDeadlineMs, () => slowBody(bodyDeadlineMs));
    const form = new Map([...request.query, ...new URLSearchParams(body)]);
    const action = form.get('Action');
    const result =
      action === 'GetCallerIdentity'
        ? await callerIdentity(parts, request, body)
        : action === 'AssumeRoleWithWebIdentity'
          ? await assumeRole(parts, form, origin)
          : undefined;
    if (action === undefined || result === undefined)
      throw invalid('the actions are AssumeRoleWithWebIdentity and GetCallerIdentity');
    answer = { status: 200, xml: responseOf(action, result, origin.requestId) };
  } catch (error) {
    const { status, code, message } = tellSts(error);
    const fault = element('Error', text('Type', 'Sender'), text('Code', code), text('Message', message));
    const xml = `<ErrorResponse xmlns="${NAMESPACE}">${fault}${text('RequestId', origin.requestId)}</ErrorResponse>`;
    answer = { status, xml };
  }
  if (!res.destroyed) await send(res, req.method === 'HEAD', answer, origin.requestId);
}

const invalid = (detail: string): SvcError => new SvcError('invalid_request', { detail });

/** STS's codes for the errors of its calls; a fault of the signature has the code that it has in S3. */
const CODES: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'ValidationError',
  login_invalid: 'InvalidIdentityToken',
  login_rejected: 'ExpiredTokenException',
  identity_provider_unavailable: 'IDPCommunicationError',
  identity_provider_timeout: 'IDPCommunicationError',
};

function tellSts(error: unknown): Pick<Told, 'status' | 'code' | 'message'> {
  const told = tell(error, { missing: 'NoSuchKey', caller: undefined });
  const code = CODES[codeOf(error) ?? 'internal'];
  return code === undefined ? told : { status: 400, code, message: told.message };
}

async function formOf(req: IncomingMessage): Promise<string> {
  if (!(Number(req.headers['content-length'] ?? 0) <= MAX_FORM_BYTES) || req.headers['transfer-encoding'] !== undefined)
    throw invalid(`a form has at most ${MAX_FORM_BYTES} bytes, and a \`Content-Length\``);
  const body = new Collected();
  for await (const piece of req as AsyncIterable<Buffer>) body.add(piece);
  return body.join().toString('utf8');
}

async function callerIdentity({ credentials }: StsParts, request: S3Request, body: string): Promise<string> {
  const read = readSignature(request, 'sts', credentials.now());
  // A client that signs for this service may leave out the hash of its body.
  const signed = { ...read, payloadHash: sha256(body) };
  const { caller, provider } = await credentials.verify(request, signed);
  const { subject } = caller.identity;
  return (
    text('Arn', `arn:svc:sts::${provider}:${subject}`) + text('UserId', caller.credentialId) + text('Account', provider)
  );
}

function assumeRole(parts: StsParts, form: ReadonlyMap<string, string>, origin: Origin): Promise<string> {
  return audited(parts.audit, 's3Session/create', origin, async (trail) => {
    const { sessions, webIdentity, isBound, countStranger, hasProvider, maxSessionSeconds, credentials } = parts;
    const provider = /^arn:svc:provider:::(.+)$/.exec(form.get('RoleArn') ?? '')?.[1];
    if (provider === undefined)
      throw invalid('`RoleArn` is `arn:svc:provider:::NAME`, with the name of a storage provider');
    const roleSessionName = form.get('RoleSessionName') ?? '';
    if (!/^[\w+=,.@-]{2,64}$/.test(roleSessionName))
      throw invalid('`RoleSessionName` is 2 to 64 letters, digits and `+=,.@-`');
    const duration = form.get('DurationSeconds') ?? String(maxSessionSeconds);
    const seconds = /^\d+$/.test(duration) ? Number(duration) : NaN;
    if (!(seconds >= MIN_SECONDS && seconds <= maxSessionSeconds))
      throw invalid(`\`DurationSeconds\` is between ${MIN_SECONDS} and ${maxSessionSeconds}`);
    if (webIdentity === undefined)
      throw new SvcError('login_invalid', { detail: 'this service trusts no issuer of tokens (`s3.web_identity`)' });
    const { identity, name } = await webIdentity(form.get('WebIdentityToken') ?? '');
    await credentials.refuseSuspended(identity);
    const who = { issuer: identity.issuer, subject: identity.subject, name, via: 'webIdentity' } as const;
    if (!isBound(identity)) {
      countStranger(origin.address);
      trail.by(who);
      throw new SvcError('access_denied', {
        detail: `no binding names \`${identity.subject}\` or a group in its token`,
      });
    }
    // Only whoever has a valid token may learn which providers there are.
    if (!hasProvider(provider)) throw invalid(`there is no storage provider \`${provider}\``);
    trail.about({ provider });
    const expiresAt = credentials.now() + seconds * 1_000;
    const made = sessions.begin({ identity, name, provider, expiresAt });
    trail.by({ ...who, credentialId: made.accessKeyId });
    await trail.write();
    return (
      element(
        'Credentials',
        text('AccessKeyId', made.accessKeyId),
        text('SecretAccessKey', made.secretAccessKey),
        text('SessionToken', made.sessionToken),
        text('Expiration', new Date(expiresAt).toISOString()),
      ) +
      text('SubjectFromWebIdentityToken', identity.subject) +
      text('Provider', identity.issuer) +
      element(
        'AssumedRoleUser',
        text('Arn', `arn:svc:sts::${provider}:${roleSessionName}`),
        text('AssumedRoleId', `${made.accessKeyId}:${roleSessionName}`),
      )
    );
  });
}

function responseOf(action: string, result: string, requestId: string): string {
  const metadata = element('ResponseMetadata', text('RequestId', requestId));
  return `<${action}Response xmlns="${NAMESPACE}">${element(`${action}Result`, result)}${metadata}</${action}Response>`;
}
