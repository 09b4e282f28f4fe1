import { bindingsSchema, claimText } from './bindings.ts';
import type { ConfigSchema } from './config-schema.ts';
import { sessionSchema } from './session.ts';
import { tlsSchema } from './tls.ts';

const oidcSchema = {
  type: 'object',
  description: 'The OpenID Connect provider that people sign in with.',
  additionalProperties: false,
  required: ['issuer', 'client_id'],
  properties: {
    issuer: {
      type: 'string',
      minLength: 1,
      description: 'Issuer URL, exactly as in the discovery document of the provider. HTTPS, except on loopback.',
      examples: ['https://login.example.com/realms/main'],
    },
    client_id: {
      type: 'string',
      minLength: 1,
      description: 'Client ID as registered with the provider.',
      examples: ['svc'],
    },
    client_secret: {
      type: 'string',
      minLength: 1,
      writeOnly: true,
      description: 'Client secret. Without it, the service is a public client.',
      examples: ['${SVC_OIDC_CLIENT_SECRET}'],
    },
    client_auth: {
      type: 'string',
      enum: ['basic', 'post'],
      description:
        'How the secret is sent: with HTTP Basic, or in the body of the token request. Requires `client_secret`. Default: `basic`.',
    },
    scopes: {
      type: 'array',
      items: {
        type: 'string',
        pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$',
        patternErrorMessage: 'must be one scope: printable ASCII characters without a space, `"` and `\\`',
        description: 'A scope.',
      },
      description: 'Scopes to request, in addition to `openid`.',
      default: ['profile', 'groups'],
    },
    groups_claim: {
      type: 'string',
      minLength: 1,
      description: 'The same as `identity.groups_claim`. Set one of the two, or both to the same value.',
      examples: ['realm_access.roles'],
    },
    redirect_uri: {
      type: 'string',
      minLength: 1,
      description:
        'Redirect URI as registered with the provider; every sign-in sends exactly this value. Default: `auth.public_origin` + `server.base_path` + `/v1/auth/callback`. The service always serves that path and `/api/auth/callback`.',
      examples: ['https://storage.example.com/v1/auth/callback'],
    },
    desktop_prompt: {
      type: 'string',
      enum: ['login', 'select_account', 'consent', 'none'],
      description:
        'Prompt that the provider shows when a desktop client or `svc login` signs in. With `login`, people authenticate again, so that no page can obtain a credential without their knowledge; the provider has to support `max_age` and `auth_time`. `none` requests no prompt.',
      default: 'login',
    },
    tls: tlsSchema,
    rp_initiated_logout: {
      type: 'boolean',
      description:
        'Whether sign-out also ends the session at the provider. With `false`, it ends only the session of svc.',
      default: true,
    },
    post_logout_redirect_uri: {
      type: 'string',
      minLength: 1,
      description: 'Address to which the provider sends people after sign-out. Default: `auth.public_origin` + `/`.',
      examples: ['https://storage.example.com/signed-out'],
    },
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
      description:
        'Whether people have to sign in. If not, everybody may do everything, and the service listens only on loopback.',
      default: false,
    },
    public_origin: {
      type: 'string',
      minLength: 1,
      description:
        'Scheme, host and port of the address that people open. HTTPS, or HTTP on a numeric loopback address; without path, query, fragment and credentials. Default: the origin of `auth.oidc.redirect_uri`, or the listening address if that is loopback. It is never taken from a request.',
      examples: ['https://storage.example.com'],
    },
    allow_open_network: {
      type: 'boolean',
      description:
        'Allows a service without sign-in to listen on an address that is not loopback. Everybody who can reach it may do everything. Browsers then need `auth.public_origin`.',
      default: false,
    },
    oidc: oidcSchema,
    session: sessionSchema,
    api_keys: {
      type: 'object',
      description: 'API keys, stored in the state database (`state`). Without this key, there are no API keys.',
      additionalProperties: false,
      properties: {
        capacity: {
          type: 'integer',
          minimum: 1,
          maximum: 1000000,
          description: 'Maximum number of API keys. Administrators may exceed it by 5 %, at least by one key.',
          default: 256,
        },
        per_subject: {
          type: 'integer',
          minimum: 1,
          maximum: 1000000,
          description: 'Maximum number of API keys per person. Further keys are refused.',
          default: 32,
        },
      },
    },
    bindings: bindingsSchema,
    local_users: {
      type: 'array',
      description:
        'People whose roles are set here; svc does not look up their groups. Without `auth.oidc`, the sign-in page lets a developer choose one of them, only on loopback. Remove them in production.',
      default: [],
      items: {
        type: 'object',
        description: 'A person.',
        additionalProperties: false,
        required: ['subject', 'roles'],
        properties: {
          subject: { type: 'string', ...claimText, description: 'Value of the subject claim.', examples: ['dev'] },
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
  description:
    'Claims that identify a person. A dotted path selects a member of an object (`realm_access.roles`); `\\.` is a literal dot.',
  additionalProperties: false,
  default: {},
  properties: {
    subject_claim: {
      type: 'string',
      minLength: 1,
      description: 'Claim with the identifier of the person.',
      default: 'sub',
    },
    groups_claim: {
      type: 'string',
      minLength: 1,
      description:
        'Claim with the groups: a string or a list of strings. Default, if `auth.oidc.groups_claim` is not set either: `groups`.',
      examples: ['groups', 'realm_access.roles'],
    },
  },
} as const satisfies ConfigSchema;
