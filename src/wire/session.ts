import { boolean, object, string, strings, text, type Wire } from './schema.ts';

/** `GET /api/auth/me` */
export const me = object({
  authenticated: boolean,
  auth_enabled: boolean,
  subject: { type: 'string', description: 'The subject claim; `anonymous` when authentication is off, empty when not signed in.' },
  groups: strings,
});
export type Me = Wire<typeof me>;

/** `GET /v1/auth/session` */
export const principal = object({
  issuer: { type: 'string', description: 'Empty when authentication is off.' },
  subject: string,
  groups: strings,
  name: { type: 'string', description: 'For people; the subject where the provider gave no name.' },
  kind: { type: 'string', enum: ['web', 'desktop'] },
  expiresAt: { type: ['string', 'null'], description: 'RFC 3339; null when authentication is off.' },
});
export type Principal = Wire<typeof principal>;

/** `POST /v1/auth/logout`, when the provider's session should be ended too. */
export const endSession = object({ endSessionUrl: string });
export type EndSession = Wire<typeof endSession>;

const described = (description: string) => ({ ...text(16_384), description }) as const;
const returnPath = described('Relative path to come back to; anything else is `/`.');

/** `GET /v1/auth/authorize`: a browser gives `return_to`, a desktop client all the rest. */
export const authorizeQuery = object(
  {
    return_to: returnPath,
    response_type: { type: 'string', enum: ['code'] },
    client_id: { type: 'string', enum: ['svc-desktop'] },
    redirect_uri: described('`http://127.0.0.1:PORT/callback` or `http://[::1]:PORT/callback`, compared as it is written.'),
    state: described('Comes back with the code.'),
    code_challenge: described('PKCE: the SHA-256 of the verifier, base64url.'),
    code_challenge_method: { type: 'string', enum: ['S256'] },
  },
  ['return_to', 'response_type', 'client_id', 'redirect_uri', 'state', 'code_challenge', 'code_challenge_method'],
);

/** What the identity provider sends the browser back with: `code`, or `error` when it refused. */
export const callbackQuery = object(
  {
    state: described('As it was sent to the provider.'),
    code: { ...described('The authorization code.'), examples: ['SplxlOBeZQQYbYS6WxSbIA'] },
    iss: described('The issuer, where the provider says it (RFC 9207).'),
    error: { ...described('Why the provider refused.'), examples: ['access_denied'] },
    error_description: { ...described('The same for people.'), examples: ['The person pressed Cancel.'] },
  },
  ['code', 'iss', 'error', 'error_description'],
);

/** `POST` to a sign-in route, where people are configured as local users. */
export const localChoice = object({ subject: { type: 'string', maxLength: 1024, description: 'Of a local user.' } });

export const returnTo = object({ return_to: returnPath }, ['return_to']);
