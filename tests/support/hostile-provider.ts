import {
  createHmac,
  generateKeyPair,
  randomBytes,
  randomUUID,
  sign as signRsa,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

export type ProviderEndpoint = 'discovery' | 'jwks' | 'token' | 'userinfo';
export type Answer = (req: IncomingMessage, res: ServerResponse) => void;
type Claims = Record<string, unknown>;

export type Misbehaviour = {
  /** Changes the claims of the ID token. */
  readonly claims?: (claims: Claims) => Claims;
  /** Changes the header of the ID token, before it is signed. */
  readonly header?: Claims;
  /** How the ID token is signed; with the published key by default. */
  readonly sign?:
    'published key' | 'another key' | 'none' | 'HS256 with the public key' | 'HS256 with the client secret';
  /** Changes which keys are published. */
  readonly published?: (right: JsonWebKey) => readonly JsonWebKey[];
  readonly metadata?: (metadata: Claims) => Claims;
  /** Changes the body of the token answer. */
  readonly tokens?: (tokens: Claims) => Claims;
  readonly userinfo?: Claims;
  /** Answers in place of the provider. */
  readonly answers?: Partial<Record<ProviderEndpoint, Answer>>;
  /** Milliseconds before the provider answers as it should. */
  readonly delays?: Partial<Record<ProviderEndpoint, number>>;
};

const CLIENT_SECRET = 'hostile-secret';

type Keys = { readonly privateKey: KeyObject; readonly publicJwk: JsonWebKey & { readonly kid: string } };

/** A small OpenID provider that signs everybody in as `mallory`, and misbehaves on command. */
export class HostileProvider {
  readonly issuer: string;
  readonly clientSecret = CLIENT_SECRET;
  /** How often each place was asked. */
  readonly asked: Record<ProviderEndpoint, number> = { discovery: 0, jwks: 0, token: 0, userinfo: 0 };
  readonly #server: Server;
  readonly #logins = new Map<string, { readonly nonce: string; readonly clientId: string }>();
  #keys: Keys;
  #misbehaviour: Misbehaviour = {};

  private constructor(server: Server, keys: Keys) {
    this.#server = server;
    this.#keys = keys;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (req: IncomingMessage, res: ServerResponse) => void this.#answer(req, res));
  }

  static async start(): Promise<HostileProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new HostileProvider(server, await newKeys(randomUUID()));
  }

  /** Replaces the misbehaviour so far; none puts it right again. */
  behave(misbehaviour: Misbehaviour = {}): void {
    this.#misbehaviour = misbehaviour;
  }

  /** Signs with a new key from now on, and publishes only that. */
  async rotate(options: { readonly keepId?: boolean } = {}): Promise<void> {
    this.#keys = await newKeys(options.keepId === true ? this.#keys.publicJwk.kid : randomUUID());
  }

  /** What a browser's visit to the authorization URL ends in: the callback URL. */
  visit(authorizationUrl: string): string {
    const query = new URL(authorizationUrl).searchParams;
    const code = randomBytes(16).toString('hex');
    this.#logins.set(code, { nonce: query.get('nonce')!, clientId: query.get('client_id')! });
    const callback = new URL(query.get('redirect_uri')!);
    callback.searchParams.set('code', code);
    callback.searchParams.set('state', query.get('state')!);
    return callback.href;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const place = placeOf(req.url ?? '');
    if (place === undefined) {
      res.writeHead(404).end();
      return;
    }
    this.asked[place] += 1;
    const { answers, delays } = this.#misbehaviour;
    const instead = answers?.[place];
    if (delays?.[place] !== undefined) await wait(delays[place]);
    if (instead !== undefined) instead(req, res);
    else if (place === 'discovery') json(res, this.#metadata());
    else if (place === 'jwks')
      json(res, { keys: this.#misbehaviour.published?.(this.#keys.publicJwk) ?? [this.#keys.publicJwk] });
    else if (place === 'userinfo') json(res, this.#misbehaviour.userinfo ?? { sub: 'mallory' });
    else await this.#token(req, res);
  }

  #metadata(): Claims {
    const metadata = {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/jwks`,
      end_session_endpoint: `${this.issuer}/end`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    };
    return this.#misbehaviour.metadata?.(metadata) ?? metadata;
  }

  async #token(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(req));
    const code = form.get('code') ?? '';
    const login = this.#logins.get(code);
    this.#logins.delete(code);
    if (login === undefined) {
      json(res, { error: 'invalid_grant', error_description: `no such code: ${code}` }, 400);
      return;
    }
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: this.issuer,
      aud: login.clientId,
      sub: 'mallory',
      nonce: login.nonce,
      iat: now,
      exp: now + 300,
      groups: ['all'],
    };
    const tokens = {
      access_token: 'access',
      token_type: 'Bearer',
      id_token: await this.#idToken(this.#misbehaviour.claims?.(claims) ?? claims),
    };
    json(res, this.#misbehaviour.tokens?.(tokens) ?? tokens);
  }

  async #idToken(claims: Claims): Promise<string> {
    const { sign = 'published key', header: changed } = this.#misbehaviour;
    const header = { alg: 'RS256', kid: this.#keys.publicJwk.kid, ...changed };
    if (sign === 'none') return `${encode({ ...header, alg: 'none' })}.${encode(claims)}.`;
    if (sign.startsWith('HS256')) {
      const signed = `${encode({ ...header, alg: 'HS256' })}.${encode(claims)}`;
      const secret = sign === 'HS256 with the client secret' ? CLIENT_SECRET : JSON.stringify(this.#keys.publicJwk);
      return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
    }
    const { privateKey } = sign === 'another key' ? await newKeys('another') : this.#keys;
    const signed = `${encode(header)}.${encode(claims)}`;
    return `${signed}.${signRsa(header.alg.endsWith('512') ? 'sha512' : 'sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
  }
}

/** A body that never ends. */
export const endless: Answer = (_req, res) => {
  res.writeHead(200, { 'content-type': 'application/json' });
  const chunk = Buffer.alloc(65_536, ' ');
  const write = (): void => {
    if (res.destroyed) return;
    if (res.write(chunk)) setImmediate(write);
    else res.once('drain', write);
  };
  write();
};

let bomb: Buffer | undefined;

/** 64 MiB in 64 kB. */
export const gzipBomb: Answer = (_req, res) => {
  prepareGzipBomb();
  res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb);
};

/** Makes the bomb beforehand, so that making it takes no time out of a test. */
export function prepareGzipBomb(): void {
  bomb ??= gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));
}

/** Accepts the request and says nothing. */
export const silent: Answer = () => undefined;

/** A byte every 20 ms. */
export const dripping: Answer = (_req, res) => {
  res.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => res.write(' '), 20);
  res.on('close', () => clearInterval(timer));
};

export const reset: Answer = (req) => void req.socket.resetAndDestroy();

export const redirecting =
  (location: string): Answer =>
  (_req, res) =>
    void res.writeHead(302, { location }).end();

export const failing =
  (status: number, body: unknown): Answer =>
  (_req, res) =>
    json(res, body, status);

function placeOf(url: string): ProviderEndpoint | undefined {
  const path = url.split('?')[0];
  if (path === '/.well-known/openid-configuration') return 'discovery';
  return (['jwks', 'token', 'userinfo'] as const).find((place) => path === `/${place}`);
}

function json(res: ServerResponse, body: unknown, status = 200): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

export async function newKeys(kid: string): Promise<Keys> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return { privateKey, publicJwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' } };
}
