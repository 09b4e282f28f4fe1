import { digestOf } from '../secret/secret.ts';
import type { LoginName, Session } from './session.ts';

/** Whether a session is one of those that the name stands for. */
export function isNamed({ issuer, sid, sub }: LoginName, { identity, login }: Session): boolean {
  if (identity.issuer !== issuer || login === undefined) return false;
  if (sid !== undefined && login.sid !== undefined) return login.sid === sid;
  return login.sub === sub;
}

/** The digest under which a login is found: by its session at the provider if it has one, else by its person. */
export function loginDigest({ issuer, sid, sub }: LoginName): string {
  return digestOf(JSON.stringify([issuer, ...(sid === undefined ? ['login_sub', sub] : ['login_sid', sid])]));
}
