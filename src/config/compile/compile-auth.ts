import type { Faults, Warn } from '../read/fault.ts';
import { isLoopbackHost, issuerFault, publicOriginFault, safeUrlFault } from './origin.ts';
import type { Config } from '../schema/schema.ts';
import { compileSession } from './compile-session.ts';
import { compileTls } from './compile-tls.ts';
import { sessionSecrets } from '../read/secrets.ts';
import type { AuthSettings, OidcSettings, ServerSettings } from '../read/settings.ts';
import type { Environment } from '../read/substitute.ts';

export type AuthContext = {
  /** The base of relative paths. */ readonly directory: string;
  readonly env: Environment;
  readonly server: ServerSettings;
  readonly faults: Faults;
  readonly warn: Warn;
  /** Paths of values that came from the environment or a file. */ readonly substituted: ReadonlySet<string>;
};

type Oidc = NonNullable<Config['auth']['oidc']>;

const API_CALLBACK = '/api/auth/callback';
const V1_CALLBACK = '/v1/auth/callback';

export function compileAuth(config: Config, context: AuthContext): AuthSettings {
  const { auth } = config;
  const { faults, env, warn } = context;
  const publicOrigin = publicOriginOf(config, context);
  checkWhoMayListen(config, context);
  if (env['NODE_ENV'] === 'production') warnOfDevelopment(config, context);
  const oidc = auth.oidc === undefined ? undefined : compileOidc(config, auth.oidc, publicOrigin, context);
  return {
    enabled: auth.enabled,
    publicOrigin,
    oidc: auth.enabled ? oidc : undefined,
    localUsers: compileLocalUsers(config, faults),
    session: compileSession(config, context),
    sessionSecrets: sessionSecrets(env, faults, auth.enabled ? warn : () => undefined),
    apiKeys: compileApiKeys(config, faults),
  };
}

/** Without sign-in or an identity provider the service must listen on loopback, unless the operator explicitly allows the network. */
function checkWhoMayListen({ auth }: Config, { server: { host }, faults }: AuthContext): void {
  if (!auth.enabled) {
    if (isLoopbackHost(host) || auth.allow_open_network) return;
    faults.add(
      'auth.enabled',
      `is false while the service listens on \`${host}\`: everyone who can connect could do everything; turn it on, listen on 127.0.0.1, or set \`auth.allow_open_network: true\``,
      'server.host',
      'auth.allow_open_network',
    );
  } else if (auth.oidc === undefined && auth.local_users.length === 0) {
    faults.add(
      'auth.oidc',
      'is missing: sign-in needs an identity provider (or `auth.local_users`, for development)',
      'auth.local_users',
    );
  } else if (auth.oidc === undefined && !isLoopbackHost(host)) {
    faults.add(
      'auth.local_users',
      `without \`auth.oidc\` anyone may choose any of them, so the service must listen on loopback, not on \`${host}\``,
      'server.host',
      'auth.oidc',
    );
  }
}

function warnOfDevelopment({ auth, audit }: Config, { substituted, warn }: AuthContext): void {
  const warnOfWritten = (path: string, variable: string, file: string) => {
    if (!substituted.has(path))
      warn(
        path,
        `stands in the file itself; take it from the environment (\`\${${variable}}\`) or from a file (\`\${file:/run/secrets/${file}}\`)`,
      );
  };
  if (auth.enabled && auth.local_users.length > 0)
    warn('auth.local_users', 'is for development; bind people to roles under `bindings` in production');
  if (auth.oidc?.client_secret !== undefined)
    warnOfWritten('auth.oidc.client_secret', 'SVC_OIDC_CLIENT_SECRET', 'oidc');
  if (audit !== undefined) warnOfWritten('audit.signing_secret', 'SVC_AUDIT_SECRET', 'audit');
}

function compileLocalUsers({ auth }: Config, faults: Faults): AuthSettings['localUsers'] {
  const subjects = new Set<string>();
  auth.local_users.forEach(({ subject }, i) => {
    if (subjects.has(subject))
      faults.add(`auth.local_users.${i}.subject`, `\`${subject}\` is listed already; give all roles in one entry`);
    subjects.add(subject);
  });
  return auth.local_users.map(({ subject, roles }) => ({ issuer: auth.oidc?.issuer ?? '', subject, roles }));
}

/** The configured public origin, or the origin of the redirect URI; on loopback the address on which the service listens. It is never taken from a request. */
function publicOriginOf({ auth }: Config, { server: { host, port }, faults, warn }: AuthContext): string {
  // A browser leaves port 80 out of an origin.
  const listening = `http://${host.includes(':') ? `[${host}]` : host === 'localhost' ? '127.0.0.1' : host}${port === 80 ? '' : `:${port}`}`;
  const { public_origin: origin, oidc } = auth;
  if (origin !== undefined) {
    const fault = publicOriginFault(origin);
    if (fault === undefined) return new URL(origin).origin;
    faults.add('auth.public_origin', fault);
    return listening;
  }
  const redirect = oidc?.redirect_uri;
  if (redirect !== undefined && safeUrlFault(redirect) === undefined) return new URL(redirect).origin;
  if (auth.enabled && redirect === undefined && !isLoopbackHost(host)) {
    faults.add(
      'auth.public_origin',
      'is missing: the address that people type, such as `https://files.example.com`',
      'server.host',
      'auth.enabled',
      'auth.oidc.redirect_uri',
    );
  }
  if (!auth.enabled && !isLoopbackHost(host)) {
    warn(
      'auth.public_origin',
      'is missing, so a browser can change nothing here unless it was given exactly the address that is listened on; set the address that people type',
    );
  }
  return listening;
}

function compileOidc(config: Config, oidc: Oidc, publicOrigin: string, context: AuthContext): OidcSettings {
  const { directory, server, faults } = context;
  const fault = issuerFault(oidc.issuer);
  if (fault !== undefined) faults.add('auth.oidc.issuer', fault);
  if (oidc.client_auth !== undefined && oidc.client_secret === undefined) {
    faults.add(
      'auth.oidc.client_auth',
      'needs `auth.oidc.client_secret`; a public client sends no secret',
      'auth.oidc.client_secret',
    );
  }
  const home = publicOrigin + server.basePath;
  const logoutRedirect = oidc.post_logout_redirect_uri;
  const logoutFault = logoutRedirect === undefined ? undefined : safeUrlFault(logoutRedirect);
  if (logoutFault !== undefined) faults.add('auth.oidc.post_logout_redirect_uri', logoutFault);
  return {
    issuer: oidc.issuer,
    clientId: oidc.client_id,
    clientSecret: oidc.client_secret,
    clientAuth: oidc.client_secret === undefined ? 'none' : (oidc.client_auth ?? 'basic'),
    scopes: [...new Set(['openid', ...oidc.scopes])],
    subjectClaim: config.identity.subject_claim,
    groupsClaim: groupsClaimOf(config, oidc, faults),
    redirectUri: redirectUriOf(oidc, home, publicOrigin, context),
    desktopPrompt: oidc.desktop_prompt,
    rpInitiatedLogout: oidc.rp_initiated_logout,
    postLogoutRedirectUri: logoutRedirect ?? `${home}/`,
    ca: compileTls(oidc.tls, 'auth.oidc.tls', directory, faults),
  };
}

function groupsClaimOf({ identity }: Config, oidc: Oidc, faults: Faults): string {
  const [ours, theirs] = [identity.groups_claim, oidc.groups_claim];
  if (ours !== undefined && theirs !== undefined && ours !== theirs) {
    faults.add(
      'auth.oidc.groups_claim',
      `differs from \`identity.groups_claim\` (\`${theirs}\`, \`${ours}\`); set one of them`,
      'identity.groups_claim',
    );
  }
  return ours ?? theirs ?? 'groups';
}

/** The redirect URI of every login. Both callbacks of the service finish any login. */
function redirectUriOf(
  { redirect_uri: given }: Oidc,
  home: string,
  publicOrigin: string,
  { faults, warn }: AuthContext,
): string {
  const served = home + V1_CALLBACK;
  if (given === undefined) return served;
  const fault = safeUrlFault(given);
  if (fault !== undefined) {
    faults.add('auth.oidc.redirect_uri', fault);
    return served;
  }
  if (new URL(given).origin !== publicOrigin)
    warn(
      'auth.oidc.redirect_uri',
      'has another origin than `auth.public_origin`; the cookie of a sign-in that starts on one does not reach the other',
    );
  else if (given !== served && given !== home + API_CALLBACK)
    warn('auth.oidc.redirect_uri', `the service answers at \`${served}\`; a proxy has to bring the other path there`);
  return given;
}

function compileApiKeys({ auth, state }: Config, faults: Faults): AuthSettings['apiKeys'] {
  if (auth.api_keys === undefined) return undefined;
  if (state === undefined) faults.add('state.path', 'is missing: `auth.api_keys` keeps keys in the state database');
  return { capacity: auth.api_keys.capacity, perSubject: auth.api_keys.per_subject };
}
