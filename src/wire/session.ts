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

export const returnTo = object({ return_to: { ...text(16_384), description: 'Relative path to come back to; anything else is `/`.' } }, ['return_to']);
