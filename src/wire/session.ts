import { inPages, nextPage, ofGroup, onePerson } from './paged.ts';
import {
  anyText,
  anything,
  boolean,
  integer,
  list,
  nothing,
  object,
  oneOf,
  orNull,
  optional,
  string,
  strings,
  text,
  textOrNull,
  time,
} from './schema.ts';

/** `GET /api/auth/me` */
export const me = object({
  authenticated: boolean(),
  auth_enabled: boolean(),
  subject: text('The subject claim; `anonymous` when authentication is off, empty when not signed in.'),
  groups: strings,
});

const person = {
  issuer: text('Issuer of the identity; empty when authentication is off.'),
  subject: string,
  groups: strings,
  name: text('Display name. If the provider sent no name, it is the subject.'),
};
const expiresAt = textOrNull(
  'When the session or key expires, as RFC 3339; null when it does not, or when authentication is off.',
);

/** `GET /v1/auth/session` */
export const principal = object({ ...person, kind: oneOf(['web', 'desktop']), expiresAt });

const sessionId = text('Public id of a session. It is not a credential.', { minLength: 1, maxLength: 128 });

export const sessionOperations = {
  initialize: {
    input: anything(64),
    output: object({
      server: object({ name: string, version: string }),
      capabilities: object({
        apiKeys: boolean({ description: 'Whether the `apiKey/…` methods exist.' }),
        s3Keys: boolean({ description: 'Whether the `s3Key/…` methods exist.' }),
        admin: boolean({ description: 'Whether the caller has the admin role.' }),
        audit: boolean({ description: 'Whether the audit can be queried with `audit/list` and `object/activity`.' }),
        places: boolean({ description: 'Whether `place/list` and `place/mark` keep the places of the caller.' }),
      }),
      s3: orNull(
        object({
          endpoint: text('Where tools reach the S3 endpoint.', { examples: ['https://s3.example.com'] }),
          region: text('The region to configure.', { examples: ['svc'] }),
        }),
      ),
    }),
  },
  'session/get': {
    input: object({}),
    output: object({ ...person, kind: oneOf(['web', 'desktop', 'apiKey']), expiresAt }),
  },
  'session/list': {
    input: object({ ...inPages, group: ofGroup('Only sessions with this group.') }),
    output: object({
      sessions: list(
        object({
          id: sessionId,
          subject: string,
          issuer: string,
          groups: strings,
          name: string,
          kind: oneOf(['web', 'desktop']),
          since: time,
          expires: time,
          lastUsed: text('When the session was last used, to the minute, as RFC 3339.'),
          address: textOrNull("The client's address at the sign-in; null if unknown."),
          current: boolean({ description: 'Whether this request came with the session.' }),
        }),
      ),
      ...nextPage,
    }),
  },
  'session/revoke': { input: object({ id: sessionId }), output: nothing },
  'session/revokeAll': {
    input: object(onePerson),
    output: object({ revoked: integer({ description: 'Number of ended sessions.' }) }),
  },
};

/** `POST /v1/auth/logout`, when the browser can end the provider's session too. */
export const endSession = object({ endSessionUrl: string });

const MAX_PARAMETER_CHARACTERS = 16_384;
const parameter = (description: string, ...examples: string[]) =>
  anyText(description, { maxLength: MAX_PARAMETER_CHARACTERS, ...(examples.length === 0 ? {} : { examples }) });
const returnPath = parameter('Relative path to return to after the sign-in. Any other value counts as `/`.');

/** `GET /v1/auth/authorize`: a browser sends `return_to`, a desktop client sends all other parameters. */
export const authorizeQuery = object({
  return_to: optional(returnPath),
  response_type: optional(oneOf(['code'])),
  client_id: optional(oneOf(['svc-desktop'])),
  redirect_uri: optional(
    parameter('`http://127.0.0.1:PORT/callback` or `http://[::1]:PORT/callback`, compared as a raw string.'),
  ),
  state: optional(parameter('State of the client, which is returned with the code.')),
  code_challenge: optional(parameter('PKCE challenge: the SHA-256 of the verifier, base64url.')),
  code_challenge_method: optional(oneOf(['S256'])),
});

/** The query of the callback: the identity provider sends `code`, or `error` when it refuses. */
export const callbackQuery = object({
  state: parameter('State that the service sent to the provider.'),
  code: optional(parameter('The authorization code.', 'SplxlOBeZQQYbYS6WxSbIA')),
  iss: optional(parameter('The issuer, when the provider sends it (RFC 9207).')),
  error: optional(parameter('Error code with which the provider refused.', 'access_denied')),
  error_description: optional(parameter('Reason why the provider refused, as text.', 'The person pressed Cancel.')),
});

/** The body of `POST` to a sign-in route, when the configuration has local users. */
export const localChoice = object({ subject: text('Subject of a local user.', { maxLength: 1024 }) });

export const returnTo = object({ return_to: optional(returnPath) });
