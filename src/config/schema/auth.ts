import { bindingsSchema } from './bindings.ts';
import type { ConfigSchema } from './config-schema.ts';
import { clientTlsSchema, tlsSchema } from './tls.ts';

const oidcSchema = {
  type: 'object',
  description: 'The OpenID Connect provider that people sign in with.',
  additionalProperties: false,
  required: ['issuer', 'client_id'],
  properties: {
    issuer: {
      type: 'string',
      minLength: 1,
      description: 'Issuer URL, exactly as the provider gives it. HTTPS, except on loopback.',
      examples: ['https://login.example.com/realms/main'],
    },
    client_id: { type: 'string', minLength: 1, description: 'Client ID as registered with the provider.', examples: ['svc'] },
    client_secret: {
      type: 'string',
      minLength: 1,
      writeOnly: true,
      description: 'Client secret. Without one the service is a public client and sends none.',
      examples: ['${SVC_OIDC_CLIENT_SECRET}'],
    },
    client_auth: {
      type: 'string',
      enum: ['basic', 'post'],
      description: 'How the secret is sent: by HTTP Basic, or in the body of the token request. Needs `client_secret`; `basic` when left out.',
    },
    scopes: {
      type: 'array',
      items: { type: 'string', pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$', patternErrorMessage: 'must be one scope: printable ASCII characters without a space, `"` and `\\`', description: 'A scope.' },
      description: 'Scopes to ask for. `openid` is always asked for as well.',
      default: ['profile', 'groups'],
    },
    groups_claim: {
      type: 'string',
      minLength: 1,
      description: 'The same as `identity.groups_claim`. Set one of the two, or both alike.',
      examples: ['realm_access.roles'],
    },
    redirect_uri: {
      type: 'string',
      minLength: 1,
      description:
        'Callback as registered with the provider; every sign-in sends exactly this. `auth.public_origin` + `server.base_path` + `/v1/auth/callback` when left out. The service answers there and at `/api/auth/callback`, whatever this says.',
      examples: ['https://storage.example.com/v1/auth/callback'],
    },
    desktop_prompt: {
      type: 'string',
      enum: ['login', 'select_account', 'consent', 'none'],
      description:
        'What the provider is asked to show when a desktop client or `svc login` signs in. With `login` people say again who they are, so that no page can have a credential handed out behind their back; the provider has to support `max_age` and `auth_time`. `none` asks for nothing.',
      default: 'login',
    },
    tls: tlsSchema,
    rp_initiated_logout: { type: 'boolean', description: 'Signing out here ends the session at the provider too. False ends only ours.', default: true },
    post_logout_redirect_uri: {
      type: 'string',
      minLength: 1,
      description: 'Where the provider sends people after signing out. `auth.public_origin` + `/` when left out.',
      examples: ['https://storage.example.com/signed-out'],
    },
  },
} as const satisfies ConfigSchema;

const sessionSchema = {
  type: 'object',
  description: 'Sessions: where they are kept, and for how long.',
  additionalProperties: false,
  default: {},
  properties: {
    type: {
      type: 'string',
      enum: ['memory', 'database', 'redis'],
      description:
        '`memory` serves one instance and forgets at a restart; `database` keeps sessions in the state database (`state.path` for one instance, `state.url` for any number of them); `redis` shares them between instances.',
      default: 'memory',
    },
    ttl_seconds: { type: 'integer', minimum: 1, maximum: 31536000, description: 'A session ends so many seconds after sign-in, used or not.', default: 28800 },
    capacity: {
      type: 'integer',
      minimum: 1,
      maximum: 10000000,
      description: 'How many sessions there may be at once, for `memory` and `database`. At capacity a sign-in is refused; no session is pushed out. Administrators may go 5 % above it, at least one session.',
      default: 4096,
    },
    per_subject: { type: 'integer', minimum: 1, maximum: 1000000, description: 'How many sessions one person may have. One more ends the oldest of them.', default: 64 },
    url: {
      type: 'string',
      minLength: 1,
      writeOnly: true,
      description:
        'URL of a RESP-compatible server, for `redis`; `rediss://` for TLS, with a user of an ACL where there is one. With `sentinel` or `cluster` the hosts of several Sentinels or nodes, with commas between them; user and password are those of the servers.',
      examples: ['${REDIS_URL:-redis://127.0.0.1:6379}', 'rediss://user:password@redis.example.com:6379/0', 'redis://user:password@sentinel-1:26379,sentinel-2:26379,sentinel-3:26379'],
    },
    sentinel: {
      type: 'object',
      description: 'Redis is behind Sentinels: `url` names them, and they name the server.',
      additionalProperties: false,
      required: ['name'],
      properties: {
        name: { type: 'string', minLength: 1, description: 'Name of the server in the configuration of the Sentinels.', examples: ['mymaster'] },
        username: { type: 'string', minLength: 1, description: 'User at the Sentinels, where they ask for one.' },
        password: { type: 'string', minLength: 1, writeOnly: true, description: 'Password at the Sentinels, where they ask for one.', examples: ['${file:/run/secrets/sentinel}'] },
      },
    },
    cluster: {
      type: 'boolean',
      description: '`url` names nodes of a Redis Cluster. All keys of the service have the tag `{svc}`, so one node and its replicas hold them: a Cluster makes sessions survive a node, and not spread over several.',
      default: false,
    },
    tls: clientTlsSchema,
  },
} as const satisfies ConfigSchema;

export const authSchema = {
  type: 'object',
  description: 'Sign-in, sessions and API keys.',
  additionalProperties: false,
  default: {},
  properties: {
    enabled: {
      type: 'boolean',
      description: 'Whether people sign in. Without it everybody may do everything, and the service listens on loopback only.',
      default: false,
    },
    public_origin: {
      type: 'string',
      minLength: 1,
      description:
        'Scheme, host and port that people type. HTTPS, or HTTP on a numeric loopback address; no path, query, fragment or credentials. Left out: the origin of `auth.oidc.redirect_uri`, or the address listened on when that is loopback. Never taken from a request.',
      examples: ['https://storage.example.com'],
    },
    allow_open_network: {
      type: 'boolean',
      description: 'Lets a service without sign-in listen on an address that is not loopback. Everybody who reaches it may do everything. Browsers then need `auth.public_origin`.',
      default: false,
    },
    oidc: oidcSchema,
    session: sessionSchema,
    api_keys: {
      type: 'object',
      description: 'The API-key registry, in the state database (`state`). Left out: no API keys.',
      additionalProperties: false,
      properties: {
        capacity: { type: 'integer', minimum: 1, maximum: 1000000, description: 'How many keys there may be. Administrators may go 5 % above it, at least one key.', default: 256 },
        per_subject: { type: 'integer', minimum: 1, maximum: 1000000, description: 'How many keys one person may have. One more is refused.', default: 32 },
      },
    },
    bindings: bindingsSchema,
    local_users: {
      type: 'array',
      description:
        'People who get their roles here; their groups are not looked up. Without `auth.oidc` the sign-in page lets a developer pick one of them, on loopback only. Remove in production.',
      default: [],
      items: {
        type: 'object',
        description: 'A person.',
        additionalProperties: false,
        required: ['subject', 'roles'],
        properties: {
          subject: { type: 'string', minLength: 1, description: 'Value of the subject claim.', examples: ['dev'] },
          roles: {
            type: 'array',
            items: { type: 'string', minLength: 1, description: 'A role name.' },
            description: 'Names of roles under `roles`.',
            examples: [['admin']],
          },
        },
      },
    },
  },
} as const satisfies ConfigSchema;

export const identitySchema = {
  type: 'object',
  description: 'Which claims say who somebody is. A dotted path reaches into objects (`realm_access.roles`); `\\.` is a literal dot.',
  additionalProperties: false,
  default: {},
  properties: {
    subject_claim: { type: 'string', minLength: 1, description: 'Claim with the identifier of the person.', default: 'sub' },
    groups_claim: {
      type: 'string',
      minLength: 1,
      description: 'Claim with the groups: a text or a list of texts. `groups` when it stands neither here nor at `auth.oidc.groups_claim`.',
      examples: ['groups', 'realm_access.roles'],
    },
  },
} as const satisfies ConfigSchema;
