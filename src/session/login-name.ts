import { digestOf } from '../secret/secret.ts';
import type { LoginName, Session, SessionOfLogin } from './session.ts';

/** The session, or nothing when it is none of those that the name stands for. */
export function sessionOfLogin({ issuer, sid, sub }: LoginName, { id, identity, login }: Session): SessionOfLogin | [] {
  if (identity.issuer !== issuer || login === undefined) return [];
  const isNamed = sid !== undefined && login.sid !== undefined ? login.sid === sid : login.sub === sub;
  return isNamed ? { id, sub: login.sub } : [];
}

/** The digest under which a login is found: by its session at the provider if it has one, else by its person. */
export function loginDigest({ issuer, sid, sub }: LoginName): string {
  return digestOf(JSON.stringify([issuer, ...(sid === undefined ? ['login_sub', sub] : ['login_sid', sid])]));
}
