import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cp, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { freePorts } from './free-port.ts';
import { missingPrograms, Programs } from './programs.ts';
import { AWKWARD_SECRET, type RealProvider } from './real-provider.ts';
import { Visitor } from './visitor.ts';

const SCHEMA = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3';
const WEB_APP = '/usr/share/glewlwyd/webapp';
const PLUGINS = '/usr/lib/glewlwyd';
const PERSON = { username: 'alice', password: 'a password of the tests', name: 'Alice', email: 'alice@example.com' };
const GROUPS = ['staff', 'storage-admins'];

export const missingForGlewlwyd = missingPrograms('glewlwyd', SCHEMA, WEB_APP);

/** Starts Debian's Glewlwyd on loopback: one confidential client that has to use PKCE. */
export async function startGlewlwyd(
  redirectUris: readonly string[],
  postLogoutUris: readonly string[] = [],
  backchannelLogoutUri?: string,
): Promise<RealProvider> {
  const programs = await Programs.open('glewlwyd');
  try {
    const [port = 0] = await freePorts(1);
    const origin = `http://127.0.0.1:${port}`;
    await cp(WEB_APP, join(programs.directory, 'webapp'), { recursive: true, dereference: true });
    await provideWebAppConfiguration(join(programs.directory, 'webapp'));
    const database = new DatabaseSync(join(programs.directory, 'glewlwyd.db'));
    database.exec(readFileSync(SCHEMA, 'utf8'));
    database.close();
    await writeFile(join(programs.directory, 'glewlwyd.conf'), configuration(programs.directory, port, origin));
    programs.start('glewlwyd', 'glewlwyd', [`--config-file=${join(programs.directory, 'glewlwyd.conf')}`]);
    await programs.until('glewlwyd', async () => (await fetch(`${origin}/login.html`)).ok);
    await setUp(origin, { redirectUris, postLogoutUris, backchannelLogoutUri });
    return {
      issuer: `${origin}/api/oidc`,
      clientSecret: AWKWARD_SECRET,
      scopes: ['openid', 'profile'],
      person: { subject: PERSON.username, groups: GROUPS, username: PERSON.username, password: PERSON.password },
      visit: (url) => visit(origin, url),
      close: () => programs.stop(),
    };
  } catch (error) {
    await programs.stop();
    throw error;
  }
}

/** Debian puts a folder where the program expects a file. */
async function provideWebAppConfiguration(webApp: string): Promise<void> {
  const file = join(webApp, 'config.json');
  const folder = join(webApp, 'config');
  await rename(file, folder).catch(() => mkdir(folder, { recursive: true }));
  await cp(join(folder, 'config.json'), file).catch(() => rename(folder, file));
}

function configuration(directory: string, port: number, origin: string): string {
  return `port=${port}
bind_address="127.0.0.1"
external_url="${origin}"
login_url="login.html"
api_prefix="api"
static_files_path="${directory}/webapp/"
static_files_mime_types = ( { extension = ".html" mime_type = "text/html" }, { extension = ".js" mime_type = "application/javascript" }, { extension = ".css" mime_type = "text/css" }, { extension = ".json" mime_type = "application/json" } )
log_mode="console"
log_level="WARNING"
cookie_secure=0
cookie_same_site="empty"
session_expiration=86400
session_key="GLEWLWYD2_SESSION_ID"
admin_session_authentication="cookie"
profile_session_authentication="cookie"
login_api_enabled=true
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="${PLUGINS}/user"
client_module_path="${PLUGINS}/client"
user_auth_scheme_module_path="${PLUGINS}/scheme"
plugin_module_path="${PLUGINS}/plugin"
hash_algorithm="SHA512"
database = { type = "sqlite3" path = "${directory}/glewlwyd.db" };
`;
}

type Module = { parameters: { 'data-format': Record<string, unknown> } };
type Call = (method: string, path: string, data?: unknown) => Promise<unknown>;

type ClientUris = {
  readonly redirectUris: readonly string[];
  readonly postLogoutUris: readonly string[];
  readonly backchannelLogoutUri: string | undefined;
};

async function setUp(
  origin: string,
  { redirectUris, postLogoutUris, backchannelLogoutUri }: ClientUris,
): Promise<void> {
  const admin = await session(origin, 'admin', 'password');
  const [users] = (await admin('GET', '/mod/user')) as [Module];
  users.parameters['data-format']['groups'] = {
    multiple: true,
    read: true,
    write: true,
    'profile-read': true,
    'profile-write': false,
  };
  await admin('PUT', '/mod/user/database', users);
  await admin('PUT', '/mod/user/database/reset');
  await admin('POST', '/scope', {
    name: 'profile',
    display_name: 'profile',
    description: 'profile',
    password_required: false,
    password_max_age: 0,
    scheme: {},
  });
  await admin('POST', '/mod/plugin/', {
    module: 'oidc',
    name: 'oidc',
    display_name: 'OIDC',
    enabled: true,
    parameters: openIdParameters(origin),
  });
  await admin('POST', '/client', {
    client_id: 'svc',
    name: 'svc',
    enabled: true,
    confidential: true,
    client_secret: AWKWARD_SECRET,
    password: AWKWARD_SECRET,
    authorization_type: ['code'],
    redirect_uri: redirectUris,
    post_logout_redirect_uris: postLogoutUris.join(' '),
    ...(backchannelLogoutUri !== undefined && {
      backchannel_logout_uri: backchannelLogoutUri,
      backchannel_logout_session_required: 'true',
    }),
    scope: ['openid', 'profile'],
    token_endpoint_auth_method: ['client_secret_basic', 'client_secret_post'],
  });
  await admin('POST', '/user', { ...PERSON, enabled: true, scope: ['openid', 'profile', 'g_profile'], groups: GROUPS });
  // Consent is given here, so that nobody is asked for it.
  const person = await session(origin, PERSON.username, PERSON.password);
  await person('PUT', '/auth/grant/svc', { scope: 'openid profile' });
}

function openIdParameters(origin: string): Record<string, unknown> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const claim = (name: string, property: string) => ({
    name,
    type: 'string',
    mandatory: true,
    'user-property': property,
    'on-demand': false,
    scope: ['profile'],
  });
  return {
    iss: `${origin}/api/oidc`,
    'subject-type': 'public',
    'jwt-type': 'rsa',
    'jwt-key-size': '256',
    key: privateKey,
    cert: publicKey,
    'jwks-show': true,
    'access-token-duration': 3600,
    'refresh-token-duration': 3600,
    'code-duration': 600,
    'refresh-token-rolling': true,
    'allow-non-oidc': false,
    'auth-type-code-enabled': true,
    'auth-type-token-enabled': false,
    'auth-type-id-token-enabled': true,
    'auth-type-none-enabled': false,
    'auth-type-password-enabled': false,
    'auth-type-client-enabled': false,
    'auth-type-device-enabled': false,
    'auth-type-refresh-enabled': true,
    scope: [],
    'additional-parameters': [],
    claims: [claim('groups', 'groups'), claim('preferred_username', 'username')],
    'name-claim': 'mandatory',
    'name-claim-scope': [],
    'email-claim': 'no',
    'email-claim-scope': [],
    'scope-claim': 'no',
    'scope-claim-scope': [],
    'address-claim': { type: 'no' },
    'allowed-scope': ['openid', 'profile'],
    'pkce-allowed': true,
    'pkce-method-plain-allowed': false,
    'pkce-required': true,
    'introspection-revocation-allowed': false,
    'session-management-allowed': true,
    'front-channel-logout-allowed': true,
    'back-channel-logout-allowed': true,
    'session-cookie-name': 'GLEWLWYD2_OIDC_SID',
    'session-cookie-expiration': 2_419_200,
    'request-parameter-allow': false,
  };
}

async function session(origin: string, username: string, password: string): Promise<Call> {
  const visitor = new Visitor();
  const call: Call = async (method, path, data) => {
    const response = await visitor.request(`${origin}/api${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(data !== undefined && { body: JSON.stringify(data) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`glewlwyd answered ${response.status} to ${method} ${path}: ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  };
  await call('POST', '/auth/', { username, password });
  return call;
}

async function visit(origin: string, authorizationUrl: string): Promise<string> {
  const visitor = new Visitor();
  const { username, password } = PERSON;
  await visitor.request(authorizationUrl);
  await visitor.request(`${origin}/api/auth/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  const response = await visitor.request(`${authorizationUrl}&g_continue`);
  return response.headers.get('location') ?? '';
}
