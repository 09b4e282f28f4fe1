import { claimAt, type Claims } from './claims.ts';

/** What is learned of a person while they sign in, for an administrator who looks into it. Of claims it holds names, and the values of the subject and of groups alone. */
export class SignInNotes {
  /** Undefined until the login is known. */
  kind: 'web' | 'desktop' | undefined;
  /** The error that the provider sent in place of a code. */
  providerError: string | undefined;
  /** Names of the claims that were received; undefined until a token was verified. */
  claims: readonly string[] | undefined;
  subject: string | undefined;
  issuer = '';
  groups: readonly string[] = [];
  groupsFound = false;

  /** @param subjectClaim - its path. */
  received(claims: Claims, subjectClaim: string): void {
    this.claims = Object.keys(claims).sort();
    this.issuer = String(claims['iss']);
    const subject = claimAt(claims, subjectClaim);
    if (typeof subject === 'string') this.subject = subject;
  }
}
