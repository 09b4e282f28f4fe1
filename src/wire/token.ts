import { object, string } from './schema.ts';

export const TOKEN_REQUEST_MAX_BYTES = 8_192;

/** Longer than what the body of the row holds, since a fault of the schema would be answered as a problem. */
const anything = { maxLength: TOKEN_REQUEST_MAX_BYTES, maxItems: TOKEN_REQUEST_MAX_BYTES } as const;

/** `POST /v1/auth/token`. The schema documents it; the handler checks it, because faults are answered as RFC 6749 says and not as a problem. */
export const tokenRequest = {
  type: 'object',
  // What the form's parser takes.
  maxProperties: 1_000,
  properties: {
    grant_type: { ...anything, description: '`authorization_code`' },
    client_id: { ...anything, description: '`svc-desktop`' },
    redirect_uri: { ...anything, description: 'Exactly as in the authorize request.' },
    code: anything,
    code_verifier: { ...anything, description: 'PKCE, 43 to 128 characters.' },
  },
} as const;

export const tokenAnswer = object({
  access_token: { type: 'string', description: 'Opaque session credential.' },
  token_type: { type: 'string', enum: ['Bearer'] },
  expires_in: { type: 'integer', description: 'Seconds.' },
});

/** RFC 6749 section 5.2. */
export const tokenFault = object({ error: string, error_description: string }, ['error_description']);
