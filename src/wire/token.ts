import { object, string, text } from './schema.ts';

export const TOKEN_REQUEST_MAX_BYTES = 8_192;

const field = (description: string) => ({ ...text(TOKEN_REQUEST_MAX_BYTES), description }) as const;

/** `POST /v1/auth/token`. The handler checks it, because faults are answered as RFC 6749 says and not as a problem. */
export const tokenRequest = object({
  grant_type: { type: 'string', enum: ['authorization_code'] },
  client_id: { type: 'string', enum: ['svc-desktop'] },
  redirect_uri: field('Exactly as in the authorize request.'),
  code: { ...field('From the loopback redirect.'), examples: ['SplxlOBeZQQYbYS6WxSbIA'] },
  code_verifier: { ...text(128), minLength: 43, description: 'PKCE.' },
});

/** All that the guard asks of it; as many members as the form's parser takes. */
export const tokenForm = { type: 'object', maxProperties: 1_000 } as const;

export const tokenAnswer = object({
  access_token: { type: 'string', description: 'Opaque session credential.' },
  token_type: { type: 'string', enum: ['Bearer'] },
  expires_in: { type: 'integer', description: 'Seconds.' },
});

/** RFC 6749 section 5.2. */
export const tokenFault = object({ error: string, error_description: string }, ['error_description']);
