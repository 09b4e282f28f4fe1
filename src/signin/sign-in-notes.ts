import { claimAt, nameOf, type Claims } from './claims.ts';

/** What is learned about a person during a sign-in, for administrators. It contains the names of claims, but only the values of the subject, the name and the groups. */
export class SignInNotes {
  /** Undefined until the login is known. */
  kind: 'web' | 'desktop' | undefined;
  /** The error that the provider sent instead of a code. */
  providerError: string | undefined;
  /** Names of the received claims; undefined until a token was verified. */
  claims: readonly string[] | undefined;
  subject: string | undefined;
  name: string | undefined;
  issuer = '';
  groups: readonly string[] = [];
  groupsFound = false;

  /** @param subjectClaim - the path of the claim. */
  received(claims: Claims, subjectClaim: string): void {
    this.claims = Object.keys(claims).sort();
    this.issuer = String(claims['iss']);
    const subject = claimAt(claims, subjectClaim);
    if (typeof subject !== 'string') return;
    this.subject = subject;
    this.name = nameOf(claims, subject);
  }
}
