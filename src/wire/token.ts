import { anything, integer, object, oneOf, optional, string, text } from './schema.ts';

export const TOKEN_REQUEST_MAX_BYTES = 8_192;

const field = (description: string, ...examples: string[]) =>
  text(description, { maxLength: TOKEN_REQUEST_MAX_BYTES, ...(examples.length === 0 ? {} : { examples }) });

/** `POST /v1/auth/token`. The handler validates the form itself, because it answers faults in the form of RFC 6749 and not as a problem. */
export const tokenRequest = object({
  grant_type: oneOf(['authorization_code']),
  client_id: oneOf(['svc-desktop']),
  redirect_uri: field('The redirect URI, exactly as in the authorize request.'),
  code: field('The code from the loopback redirect.', 'SplxlOBeZQQYbYS6WxSbIA'),
  code_verifier: text('PKCE verifier.', { minLength: 43, maxLength: 128 }),
});

/** The schema that the guard checks: a form with any members, as many as the form parser accepts. */
export const tokenForm = anything(1_000);

export const tokenAnswer = object({
  access_token: text('Opaque session credential.'),
  token_type: oneOf(['Bearer']),
  expires_in: integer({ description: 'Seconds until the session expires.' }),
});

export const LOGOUT_TOKEN_MAX_BYTES = 16_384;

/** `POST /v1/auth/backchannel-logout`. The handler validates the form itself, because it answers faults in the form of OpenID Connect. */
export const logoutTokenRequest = object({
  logout_token: text('The logout token, a signed JWT.', {
    maxLength: LOGOUT_TOKEN_MAX_BYTES,
    examples: ['eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiIuLi4ifQ.c2lnbmF0dXJl'],
  }),
});

/** An error in the form of RFC 6749 section 5.2. */
export const tokenFault = object({ error: string, error_description: optional(string) });
