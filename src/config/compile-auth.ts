import type { Faults } from './fault.ts';
import { isLoopbackHost, publicOriginFault, safeUrlFault } from './origin.ts';
import type { Config } from './schema.ts';
import { sessionSecrets } from './secrets.ts';
import type { AuthSettings, OidcSettings, ServerSettings } from './settings.ts';
import type { Environment } from './substitute.ts';

export type AuthContext = { readonly env: Environment; readonly server: ServerSettings; readonly faults: Faults; readonly warn: (message: string) => void };

type Oidc = NonNullable<NonNullable<Config['auth']>['oidc']>;

const API_CALLBACK = '/api/auth/callback';
const V1_CALLBACK = '/v1/auth/callback';

export function compileAuth(config: Config, context: AuthContext): AuthSettings {
  const auth = config.auth ?? {};
  const { server, faults, env, warn } = context;
  const enabled = auth.enabled === true;
  const publicOrigin = publicOriginOf(config, context);
  if (!enabled && !isLoopbackHost(server.host) && auth.allow_open_network !== true) {
    faults.add('auth.enabled', `is false while the service listens on \`${server.host}\`: everyone who can connect could do everything; turn it on, listen on 127.0.0.1, or set \`auth.allow_open_network: true\``);
  }
  const localUsers = auth.local_users ?? [];
  if (enabled && auth.oidc === undefined && localUsers.length === 0) faults.add('auth.oidc', 'is missing: sign-in needs an identity provider (or `auth.local_users`, for development)');
  if (enabled && auth.oidc === undefined && localUsers.length > 0 && !isLoopbackHost(server.host)) {
    faults.add('auth.local_users', `without \`auth.oidc\` anyone may choose any of them, so the service must listen on loopback, not on \`${server.host}\``);
  }
  return {
    enabled,
    publicOrigin,
    oidc: !enabled || auth.oidc === undefined ? undefined : compileOidc(config, auth.oidc, publicOrigin, context),
    localUsers: localUsers.map(({ subject, roles }) => ({ issuer: auth.oidc?.issuer ?? '', subject, roles })),
    session: compileSession(config, context),
    sessionSecrets: sessionSecrets(env, faults, enabled ? warn : () => undefined),
    apiKeys: compileApiKeys(config, faults),
  };
}

/** Set, or the origin of the redirect URI; on loopback the address that it listens on. Never from a request. */
function publicOriginOf(config: Config, { server, faults }: AuthContext): string {
  const { public_origin: origin, oidc, enabled } = config.auth ?? {};
  const listening = `http://${server.host === '::1' ? '[::1]' : server.host === 'localhost' ? '127.0.0.1' : server.host}:${server.port}`;
  if (origin !== undefined) {
    const fault = publicOriginFault(origin);
    if (fault !== undefined) faults.add('auth.public_origin', fault);
    return URL.canParse(origin) ? new URL(origin).origin : listening;
  }
  const redirect = oidc?.redirect_uri;
  if (redirect !== undefined && URL.canParse(redirect)) return new URL(redirect).origin;
  if (enabled === true && !isLoopbackHost(server.host)) faults.add('auth.public_origin', 'is missing: the address that people type, such as `https://files.example.com`');
  return listening;
}

function compileOidc(config: Config, oidc: Oidc, publicOrigin: string, { server, faults }: AuthContext): OidcSettings {
  const issuerFault = safeUrlFault(oidc.issuer);
  if (issuerFault !== undefined) faults.add('auth.oidc.issuer', issuerFault);
  // `client_auth` has no default in the file's own data: set without a secret, it is a mistake.
  if (oidc.client_auth !== undefined && oidc.client_secret === undefined) faults.add('auth.oidc.client_auth', 'needs `auth.oidc.client_secret`; a public client sends no secret');
  for (const [i, scope] of (oidc.scopes ?? []).entries()) if (/\s/.test(scope)) faults.add(`auth.oidc.scopes.${i}`, 'must be one scope, without spaces');
  const home = publicOrigin + server.basePath;
  const logoutRedirect = oidc.post_logout_redirect_uri;
  const logoutFault = logoutRedirect === undefined ? undefined : safeUrlFault(logoutRedirect);
  if (logoutFault !== undefined) faults.add('auth.oidc.post_logout_redirect_uri', logoutFault);
  return {
    issuer: oidc.issuer,
    clientId: oidc.client_id,
    clientSecret: oidc.client_secret,
    clientAuth: oidc.client_secret === undefined ? 'none' : (oidc.client_auth ?? 'basic'),
    scopes: [...new Set(['openid', ...(oidc.scopes ?? ['profile', 'groups'])])],
    subjectClaim: config.identity?.subject_claim ?? 'sub',
    groupsClaim: groupsClaimOf(config, oidc, faults),
    redirectUris: redirectUrisOf(oidc, home, faults),
    rpInitiatedLogout: oidc.rp_initiated_logout ?? true,
    postLogoutRedirectUri: logoutRedirect ?? `${home}/`,
  };
}

function groupsClaimOf(config: Config, oidc: Oidc, faults: Faults): string {
  const [a, b] = [config.identity?.groups_claim, oidc.groups_claim];
  if (a !== undefined && b !== undefined && a !== b) faults.add('auth.oidc.groups_claim', `differs from \`identity.groups_claim\` (\`${b}\`, \`${a}\`); set one of them`);
  return a ?? b ?? 'groups';
}

function redirectUrisOf(oidc: Oidc, home: string, faults: Faults): OidcSettings['redirectUris'] {
  const uris = { api: home + API_CALLBACK, v1: home + V1_CALLBACK };
  const given = oidc.redirect_uri;
  if (given === undefined) return uris;
  const fault = safeUrlFault(given);
  if (fault !== undefined) {
    faults.add('auth.oidc.redirect_uri', fault);
    return uris;
  }
  return new URL(given).pathname.endsWith(API_CALLBACK) ? { ...uris, api: given } : { ...uris, v1: given };
}

function compileSession(config: Config, { faults }: AuthContext): AuthSettings['session'] {
  const session = config.auth?.session ?? {};
  const type = session.type ?? 'memory';
  if (type === 'redis' && session.url === undefined) faults.add('auth.session.url', 'is missing: `redis` needs the URL of its server');
  if (type === 'redis' && session.url !== undefined && !/^rediss?:\/\/[^\s]+$/.test(session.url)) faults.add('auth.session.url', 'must be a `redis://` or `rediss://` URL');
  if (type !== 'redis' && session.url !== undefined) faults.add('auth.session.url', `belongs to \`auth.session.type: redis\`; the type is \`${type}\``);
  if (type === 'database' && config.state?.path === undefined) faults.add('state.path', 'is missing: `auth.session.type: database` keeps sessions in the state database');
  return { type, ttlSeconds: session.ttl_seconds ?? 28_800, capacity: session.capacity ?? 4_096, url: session.url };
}

function compileApiKeys(config: Config, faults: Faults): AuthSettings['apiKeys'] {
  const keys = config.auth?.api_keys;
  if (keys === undefined) return undefined;
  if (config.state?.path === undefined) faults.add('state.path', 'is missing: `auth.api_keys` keeps keys in the state database');
  return { capacity: keys.capacity ?? 256 };
}

