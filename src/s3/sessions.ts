import { randomBytes } from 'node:crypto';
import type { WebIdentitySession } from '../access/web-identity-caller.ts';
import { SvcError } from '../errors/svc-error.ts';
import { Sealer, sealingKeyFromSecret } from '../secret/sealer.ts';
import { s3Fault } from './fault.ts';

/** What a session is about. */
export type S3Session = Omit<WebIdentitySession, 'credentialId'> & { readonly provider: string };

export type SessionCredentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
};

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const SECRET_CHARACTERS = 40;
const MAX_TOKEN_CHARACTERS = 8_192;

/** Makes and opens the credentials of sessions. Everything about a session is sealed in its token, so that nothing is kept of it. */
export class S3Sessions {
  readonly #sealer: Sealer;

  /** @param secrets - of the S3 endpoint. The first seals; every one opens. */
  constructor(secrets: readonly string[]) {
    this.#sealer = new Sealer(keysOf(secrets), 'svc s3 session 1');
  }

  replaceSecrets(secrets: readonly string[]): void {
    this.#sealer.replaceKeys(keysOf(secrets));
  }

  /** @throws {SvcError} `invalid_request`: its token would be too long for a header. */
  begin(session: S3Session): SessionCredentials {
    const accessKeyId = `SVCT${[...randomBytes(16)].map((byte) => LETTERS[byte % LETTERS.length]).join('')}`;
    const { text, derive } = this.#sealer.seal(Buffer.from(JSON.stringify(session)), accessKeyId);
    if (text.length > MAX_TOKEN_CHARACTERS)
      throw new SvcError('invalid_request', {
        detail: 'the groups of the token are too long for a session; have the issuer send fewer',
      });
    return { accessKeyId, secretAccessKey: secretFrom(derive), sessionToken: text };
  }

  /** @param now - milliseconds since the epoch. @throws {SvcError} `InvalidToken`, `ExpiredToken`. */
  open(
    accessKeyId: string,
    sessionToken: string,
    now: number,
  ): { readonly session: S3Session; readonly secretAccessKey: string } {
    const sealed =
      sessionToken.length > MAX_TOKEN_CHARACTERS ? undefined : this.#sealer.open(sessionToken, accessKeyId);
    if (sealed === undefined) throw s3Fault('InvalidToken', 'the session token is not valid for this access key');
    const session = JSON.parse(sealed.content.toString('utf8')) as S3Session;
    if (session.expiresAt <= now) throw s3Fault('ExpiredToken', 'the session has expired; begin a new one');
    return { session, secretAccessKey: secretFrom(sealed.derive) };
  }
}

function keysOf(secrets: readonly string[]): Buffer[] {
  return secrets.map((secret) => sealingKeyFromSecret(secret, 'svc s3 session 1'));
}

function secretFrom(derive: (label: string) => Buffer): string {
  return derive('secret access key').toString('base64url').slice(0, SECRET_CHARACTERS);
}
