import { object, string } from './schema.ts';

/** `POST /v1/auth/token`. The schema documents it; the handler checks it, because faults are answered as RFC 6749 says and not as a problem. */
export const tokenRequest = {
  type: 'object',
  properties: {
    grant_type: { description: '`authorization_code`' },
    client_id: { description: '`svc-desktop`' },
    redirect_uri: { description: 'Exactly as in the authorize request.' },
    code: {},
    code_verifier: { description: 'PKCE, 43 to 128 characters.' },
  },
} as const;

export const tokenAnswer = object({
  access_token: { type: 'string', description: 'Opaque session credential.' },
  token_type: { type: 'string', enum: ['Bearer'] },
  expires_in: { type: 'integer', description: 'Seconds.' },
});

/** RFC 6749 section 5.2. */
export const tokenFault = object({ error: string, error_description: string }, ['error_description']);
