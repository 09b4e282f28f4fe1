import { anything, boolean, object, oneOf, optional, string, strings, text, textOrNull, type Wire } from './schema.ts';

/** `GET /api/auth/me` */
export const me = object({
  authenticated: boolean(),
  auth_enabled: boolean(),
  subject: text('The subject claim; `anonymous` when authentication is off, empty when not signed in.'),
  groups: strings,
});
export type Me = Wire<typeof me>;

const person = {
  issuer: text('Empty when authentication is off.'),
  subject: string,
  groups: strings,
  name: text('For people; the subject where the provider gave no name.'),
};
const expiresAt = textOrNull('RFC 3339; null when authentication is off.');

/** `GET /v1/auth/session` */
export const principal = object({ ...person, kind: oneOf(['web', 'desktop']), expiresAt });
export type Principal = Wire<typeof principal>;

export const sessionOperations = {
  'initialize': {
    input: anything(64),
    output: object({ server: object({ name: string, version: string }), capabilities: object({ apiKeys: boolean({ description: 'The `apiKey/…` methods exist.' }), admin: boolean({ description: 'The caller has the admin role.' }) }) }),
  },
  'session/get': { input: object({}), output: object({ ...person, kind: oneOf(['web', 'desktop', 'apiKey']), expiresAt }) },
};

/** `POST /v1/auth/logout`, when the provider's session should be ended too. */
export const endSession = object({ endSessionUrl: string });
export type EndSession = Wire<typeof endSession>;

const MAX_PARAMETER_CHARACTERS = 16_384;
const parameter = (description: string, ...examples: string[]) => text(description, { maxLength: MAX_PARAMETER_CHARACTERS, ...(examples.length === 0 ? {} : { examples }) });
const returnPath = parameter('Relative path to come back to; anything else is `/`.');

/** `GET /v1/auth/authorize`: a browser gives `return_to`, a desktop client all the rest. */
export const authorizeQuery = object({
  return_to: optional(returnPath),
  response_type: optional(oneOf(['code'])),
  client_id: optional(oneOf(['svc-desktop'])),
  redirect_uri: optional(parameter('`http://127.0.0.1:PORT/callback` or `http://[::1]:PORT/callback`, compared as it is written.')),
  state: optional(parameter('Comes back with the code.')),
  code_challenge: optional(parameter('PKCE: the SHA-256 of the verifier, base64url.')),
  code_challenge_method: optional(oneOf(['S256'])),
});

/** What the identity provider sends the browser back with: `code`, or `error` when it refused. */
export const callbackQuery = object({
  state: parameter('As it was sent to the provider.'),
  code: optional(parameter('The authorization code.', 'SplxlOBeZQQYbYS6WxSbIA')),
  iss: optional(parameter('The issuer, where the provider says it (RFC 9207).')),
  error: optional(parameter('Why the provider refused.', 'access_denied')),
  error_description: optional(parameter('The same for people.', 'The person pressed Cancel.')),
});

/** `POST` to a sign-in route, where people are configured as local users. */
export const localChoice = object({ subject: text('Of a local user.', { maxLength: 1024 }) });

export const returnTo = object({ return_to: optional(returnPath) });
