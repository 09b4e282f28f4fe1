import type { Caller } from '../access/caller.ts';
import type { Identify } from '../access/identify.ts';
import { SvcError } from '../errors/svc-error.ts';
import type { Identity } from '../policy/model/identity.ts';
import type { S3Keys } from '../s3key/s3-keys.ts';
import { s3Fault } from './fault.ts';
import type { S3Request } from './request.ts';
import type { S3Sessions } from './sessions.ts';
import { SigningKeys, type Signed, type Verified } from './signature.ts';

export type S3CredentialsParts = {
  readonly keys: S3Keys;
  readonly sessions: S3Sessions;
  readonly identify: Identify;
  /** Whether an administrator has suspended a person or a job. Keys of suspended people rest anyway. */
  readonly isSuspended: (identity: Identity) => Promise<boolean>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

/** Whose signature a request has, and the provider to which it is limited. */
export type VerifiedCaller = { readonly caller: Caller; readonly provider: string; readonly verified: Verified };

/** Finds out whose signature a request has. */
export class S3Credentials {
  readonly #parts: S3CredentialsParts;
  readonly #signingKeys = new SigningKeys();

  constructor(parts: S3CredentialsParts) {
    this.#parts = parts;
  }

  now(): number {
    return this.#parts.now();
  }

  /** @throws {SvcError} `InvalidAccessKeyId`, `InvalidToken`, `ExpiredToken`, `SignatureDoesNotMatch`, `person_suspended`, `state_unavailable`. */
  async verify(request: S3Request, signed: Signed): Promise<VerifiedCaller> {
    return signed.sessionToken === undefined
      ? this.#verifyKey(request, signed)
      : this.#verifySession(request, signed, signed.sessionToken);
  }

  async #verifyKey(request: S3Request, signed: Signed): Promise<VerifiedCaller> {
    const { keys, identify } = this.#parts;
    const found = await keys.secretsOf(signed.accessKeyId);
    if (found === undefined)
      throw s3Fault('InvalidAccessKeyId', 'there is no such S3 key, or it has ended; create one in the service');
    const { key, secretAccessKeys } = found;
    const verified = this.#signingKeys.verify(request, signed, secretAccessKeys);
    keys.noteUse(key);
    return { caller: identify.byS3Key(key), provider: key.provider, verified };
  }

  /** @throws {SvcError} `person_suspended`. */
  async refuseSuspended(identity: Identity): Promise<void> {
    if (await this.#parts.isSuspended(identity))
      throw new SvcError('person_suspended', { detail: `an administrator has suspended \`${identity.subject}\`` });
  }

  async #verifySession(request: S3Request, signed: Signed, sessionToken: string): Promise<VerifiedCaller> {
    const { sessions, identify, now } = this.#parts;
    const { session, secretAccessKey } = sessions.open(signed.accessKeyId, sessionToken, now());
    const verified = this.#signingKeys.verify(request, signed, [secretAccessKey]);
    await this.refuseSuspended(session.identity);
    const caller = identify.byWebIdentity({ ...session, credentialId: signed.accessKeyId });
    return { caller, provider: session.provider, verified };
  }
}
