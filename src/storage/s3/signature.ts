import { hash } from 'node:crypto';
import { ALGORITHM, queryOf, signedValueOf, signingKeyOf, stampOf, UNSIGNED_PAYLOAD } from '../../sigv4/sigv4.ts';
import { ShortHmac } from '../../sigv4/short-hmac.ts';

/** `expiration` is the end of temporary credentials, if known. */
export type Credentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
};

/** `path` and `query` are encoded as they are sent; `query` is sorted by name. */
export type Signable = {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
};

export type LinkOptions = {
  /** Seconds. */
  readonly expiresIn: number;
  /** Lower-case names of headers that the link signs as empty, so that nobody can add them. */
  readonly emptyHeaders?: readonly string[] | undefined;
};

/** The length of what is signed, without the region. */
const STRING_TO_SIGN_CHARACTERS = 256;

/**
 * Signs requests to S3 in one region (AWS Signature Version 4). A signing key is derived once for each day and secret.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export class Signer {
  readonly #region: string;
  #derived: { readonly secret: string; readonly day: string; readonly hmac: ShortHmac } | undefined;
  #time = { second: NaN, stamp: '' };

  constructor(region: string) {
    this.#region = region;
  }

  /** Adds the headers of the signature. It signs every header that is already there; their names are in lower case. */
  sign(
    request: Signable,
    headers: Record<string, string>,
    payloadHash: string,
    credentials: Credentials,
    now: number,
  ): void {
    const stamp = this.#stampAt(now);
    headers['host'] = request.host;
    headers['x-amz-content-sha256'] = payloadHash;
    headers['x-amz-date'] = stamp;
    if (credentials.sessionToken !== undefined) headers['x-amz-security-token'] = credentials.sessionToken;
    const names = Object.keys(headers).sort();
    let canonical = '';
    for (const name of names) {
      // Ceph signs a tab as it is, and others as a blank. A blank means the same in a header.
      if (headers[name]!.includes('\t')) headers[name] = headers[name]!.replaceAll('\t', ' ');
      canonical += `${name}:${signedValueOf(headers[name]!)}\n`;
    }
    const signed = names.join(';');
    const scope = this.#scopeAt(stamp);
    const signature = this.#signature(request, canonical, signed, payloadHash, stamp, credentials.secretAccessKey);
    headers['authorization'] =
      `${ALGORITHM} Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
  }

  /** The query of a signed link, beginning with the members of `request.query`. */
  signQuery(
    request: Signable,
    { expiresIn, emptyHeaders = [] }: LinkOptions,
    credentials: Credentials,
    now: number,
  ): string {
    const stamp = this.#stampAt(now);
    const signed = ['host', ...emptyHeaders].sort().join(';');
    const query = queryOf([
      ...new URLSearchParams(request.query),
      ['X-Amz-Algorithm', ALGORITHM],
      ['X-Amz-Credential', `${credentials.accessKeyId}/${this.#scopeAt(stamp)}`],
      ['X-Amz-Date', stamp],
      ['X-Amz-Expires', String(expiresIn)],
      ['X-Amz-SignedHeaders', signed],
      ['X-Amz-Security-Token', credentials.sessionToken],
    ]);
    const signature = this.#signature(
      { ...request, query },
      `host:${request.host}\n`,
      signed,
      UNSIGNED_PAYLOAD,
      stamp,
      credentials.secretAccessKey,
    );
    return `${query}&X-Amz-Signature=${signature}`;
  }

  #signature(
    { method, path, query }: Signable,
    headers: string,
    signed: string,
    payloadHash: string,
    stamp: string,
    secret: string,
  ): string {
    const canonical = `${method}\n${path}\n${query}\n${headers}\n${signed}\n${payloadHash}`;
    const toSign = `${ALGORITHM}\n${stamp}\n${this.#scopeAt(stamp)}\n${hash('sha256', Buffer.from(canonical, 'latin1'), 'hex')}`;
    return this.#hmacAt(stamp, secret).hexOf(toSign);
  }

  #scopeAt(stamp: string): string {
    return `${stamp.slice(0, 8)}/${this.#region}/s3/aws4_request`;
  }

  #hmacAt(stamp: string, secret: string): ShortHmac {
    const day = stamp.slice(0, 8);
    if (this.#derived?.day !== day || this.#derived.secret !== secret) {
      const key = signingKeyOf(secret, this.#scopeAt(stamp));
      this.#derived = { secret, day, hmac: new ShortHmac(key, STRING_TO_SIGN_CHARACTERS + this.#region.length) };
    }
    return this.#derived.hmac;
  }

  /** Formatting the time takes longer than the rest of a signature, so it is done once a second. */
  #stampAt(now: number): string {
    const second = Math.floor(now / 1000);
    if (second !== this.#time.second) this.#time = { second, stamp: stampOf(new Date(second * 1000)) };
    return this.#time.stamp;
  }
}
