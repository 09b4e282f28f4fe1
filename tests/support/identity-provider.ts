import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, importJWK, SignJWT, type JWK, type JWTPayload } from 'jose';
import { Provider, type ClientMetadata, type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import { IdentityProviderMemory } from './identity-provider-memory.ts';
import { accountPage, messagePage, signOutPage } from './identity-provider-page.ts';

export type Account = {
  readonly sub: string;
  readonly name?: string;
  readonly groups?: readonly string[];
  /** Any further claims, such as `realm_access`. They come with the `profile` scope. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Shown on the account's button instead of its groups. */
  readonly note?: string;
};

export type IdentityProviderOptions = {
  readonly accounts: readonly Account[];
  readonly clients?: readonly ClientMetadata[];
  /** 0, the default, takes any that is free. */
  readonly port?: number;
  /** What the login page is headed with. */
  readonly title?: string;
  /** Where claims beyond `sub` are given; `id_token` by default. */
  readonly claimsIn?: 'id_token' | 'userinfo';
};

const SIGNING_ALGORITHMS = ['RS256', 'ES256', 'Ed25519'] as const;

/** Starts a real OpenID provider on loopback: PKCE is required, RP-initiated logout is on, consent is never asked. */
export async function startIdentityProvider(options: IdentityProviderOptions): Promise<IdentityProvider> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  try {
    return new IdentityProvider(server, options, await newKeys());
  } catch (error) {
    server.close();
    throw error;
  }
}

/** A running identity provider. Its clients, accounts and keys can be changed while it runs. */
export class IdentityProvider {
  readonly issuer: string;
  /** Every request that was made, as `METHOD /path`. */
  readonly requests: string[] = [];
  readonly #server: Server;
  readonly #options: IdentityProviderOptions;
  readonly #memory = new IdentityProviderMemory();
  readonly #cookieKey = randomUUID();
  #accounts: readonly Account[];
  #clients: readonly ClientMetadata[];
  #keys: JWK[];
  #provider: Provider;

  constructor(server: Server, options: IdentityProviderOptions, keys: JWK[]) {
    this.#server = server;
    this.#options = options;
    this.#accounts = options.accounts;
    this.#clients = options.clients ?? [];
    this.#keys = keys;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#provider = this.#build();
    server.on('request', (req: IncomingMessage, res: ServerResponse) => void this.#answer(req, res));
  }

  /** Adds a client, or replaces the one with the same id. */
  register(client: ClientMetadata): void {
    this.#clients = [...this.#clients.filter(({ client_id }) => client_id !== client.client_id), client];
    this.#provider = this.#build();
  }

  setAccounts(accounts: readonly Account[]): void {
    this.#accounts = accounts;
    this.#provider = this.#build();
  }

  /** A token of its own making, signed as its ID tokens are. */
  async signed(claims: JWTPayload, header: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const key = this.#keys[0]!;
    return new SignJWT(claims)
      .setProtectedHeader({ alg: SIGNING_ALGORITHMS[0], kid: key.kid!, ...header })
      .sign(await importJWK(key, SIGNING_ALGORITHMS[0]));
  }

  /** The public half of the key that signs ID tokens. */
  get publicKey(): JWK {
    const { kty, n, e, kid } = this.#keys[0]!;
    return { kty, n, e, kid } as JWK;
  }

  /** Replaces every signing key at once. */
  async rotateKeys(options: { readonly keepIds?: boolean } = {}): Promise<void> {
    const fresh = await newKeys();
    this.#keys = options.keepIds === true ? fresh.map((key, i) => ({ ...key, kid: this.#keys[i]!.kid! })) : fresh;
    this.#provider = this.#build();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #build(): Provider {
    const provider = new Provider(this.issuer, this.#configuration());
    provider.on('backchannel.error', (_ctx, error) => console.error('identity provider, back-channel logout:', error));
    provider.on('server_error', (_ctx, error) => console.error('identity provider:', error));
    return provider;
  }

  #configuration(): Configuration {
    const title = this.#options.title ?? 'Example identity provider';
    const extraClaims = new Set(this.#accounts.flatMap(({ claims = {} }) => Object.keys(claims)));
    return {
      adapter: (model: string) => this.#memory.adapter(model),
      clients: this.#clients.map((client) => ({ ...client })),
      jwks: { keys: this.#keys },
      // It would send nothing to loopback, where the service of the tests listens.
      fetch: (url: string | URL | Request, init?: RequestInit) =>
        globalThis.fetch(url, { ...init, dispatcher: undefined } as RequestInit),
      cookies: { keys: [this.#cookieKey] },
      claims: { openid: ['sub'], profile: ['name', ...extraClaims], groups: ['groups'] },
      conformIdTokenClaims: this.#options.claimsIn === 'userinfo',
      pkce: { required: () => true },
      features: {
        backchannelLogout: { enabled: true },
        devInteractions: { enabled: false },
        rpInitiatedLogout: {
          enabled: true,
          logoutSource: (ctx, form) => void (ctx.body = signOutPage(title, form)),
          postLogoutSuccessSource: (ctx) => void (ctx.body = messagePage(title, 'You are signed out.')),
        },
      },
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      findAccount: (_ctx, sub) => {
        const account = this.#accounts.find((candidate) => candidate.sub === sub);
        return account && { accountId: sub, claims: () => claimsOf(account) };
      },
      loadExistingGrant: grantEverything,
      renderError: (ctx, out) => {
        ctx.type = 'html';
        ctx.body = messagePage(title, `${out.error}: ${out.error_description ?? ''}`);
      },
      ttl: {
        AccessToken: 600,
        AuthorizationCode: 60,
        Grant: 86_400,
        IdToken: 3_600,
        Interaction: 3_600,
        Session: 86_400,
      },
    };
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = (req.url ?? '/').split('?')[0]!;
    this.requests.push(`${req.method ?? ''} ${path}`);
    if (!path.startsWith('/interaction/')) {
      await this.#provider.callback()(req, res);
      return;
    }
    try {
      await this.#interact(req, res, path);
    } catch {
      res.writeHead(400, { 'content-type': 'text/html; charset=utf-8' });
      res.end(
        messagePage(
          this.#options.title ?? 'Example identity provider',
          'This sign-in is not under way any more. Go back and begin again.',
        ),
      );
    }
  }

  async #interact(req: IncomingMessage, res: ServerResponse, path: string): Promise<void> {
    await this.#provider.interactionDetails(req, res);
    if (req.method === 'POST') {
      const form = new URLSearchParams(await text(req));
      const account = this.#accounts.find(({ sub }) => sub === form.get('account'));
      const result =
        account === undefined
          ? { error: 'access_denied', error_description: 'the person cancelled the sign-in' }
          : { login: { accountId: account.sub } };
      await this.#provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false });
      return;
    }
    res.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    res.end(accountPage(this.#options.title ?? 'Example identity provider', path, this.#accounts));
  }
}

function claimsOf(account: Account): { sub: string; [claim: string]: unknown } {
  return {
    ...account.claims,
    sub: account.sub,
    ...(account.name !== undefined && { name: account.name }),
    ...(account.groups !== undefined && { groups: account.groups }),
  };
}

/** Its clients are the company's own, so nobody is asked for consent. */
async function grantEverything(ctx: KoaContextWithOIDC): Promise<InstanceType<Provider['Grant']>> {
  const { client, session, provider, params } = ctx.oidc;
  const scope = params?.['scope'];
  const grant = new provider.Grant({ clientId: client!.clientId, accountId: session!.accountId! });
  grant.addOIDCScope(typeof scope === 'string' ? scope : 'openid');
  await grant.save();
  return grant;
}

async function newKeys(): Promise<JWK[]> {
  return await Promise.all(
    SIGNING_ALGORITHMS.map(async (alg) => {
      const { privateKey } = await generateKeyPair(alg, { extractable: true });
      return { ...(await exportJWK(privateKey)), kid: randomUUID(), use: 'sig' };
    }),
  );
}
