import type { Person, Who } from '../audit/record.ts';
import type { Session } from '../session/session.ts';
import type { Caller } from './caller.ts';

/** The caller as recorded in the audit. */
export function whoOf({ identity, name, session, kind, credentialId, policyRevision }: Caller): Who {
  const via: Who['via'] = session?.kind ?? (kind === 'session' ? 'anonymous' : kind);
  const who = {
    issuer: identity.issuer,
    subject: identity.subject,
    name,
    via,
    ...(policyRevision !== undefined && { policyRevision }),
  };
  return credentialId === '' ? who : { ...who, credentialId };
}

/** The person of a session as recorded in the audit. */
export function personOf({ identity, name }: Pick<Session, 'identity' | 'name'>): Person {
  return { issuer: identity.issuer, subject: identity.subject, name };
}
