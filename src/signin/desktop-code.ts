import type { DesktopRequest } from './pending-login.ts';
import type { SignedInPerson } from './sign-in.ts';

export const CODE_LIFETIME_SECONDS = 60;

/** Where codes are kept. */
export interface CodeEntries {
  put(id: string, value: string, expiresAt: number): Promise<void>;
  get(id: string): Promise<string | undefined>;
  /** Atomic: of several callers at once exactly one is `first`. */
  consume(id: string, expiresAt: number): Promise<'first' | 'replayed'>;
}

/** What a code stands for. */
export type DesktopGrant = { readonly desktop: DesktopRequest; readonly person: Pick<SignedInPerson, 'identity' | 'name' | 'idToken'> };

export type CodeRequest = {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly code: string;
  /** PKCE `code_verifier`, 43 to 128 characters. */
  readonly verifier: string;
};

export type SessionEnds<S> = {
  start(person: DesktopGrant['person']): Promise<S>;
  /** By public id. */
  revoke(sessionId: string): Promise<void>;
  idOf(session: S): string;
};

/**
 * The codes that a desktop client exchanges for a session credential.
 *
 * @see spec "Pending login and authorization code"; RFC 7636 section 4.6
 */
export class DesktopCodes {
  constructor(_options: { readonly entries: CodeEntries; readonly now: () => number }) {
    throw new Error('not built yet');
  }

  issue(_grant: DesktopGrant): Promise<string> {
    throw new Error('not built yet');
  }

  /**
   * Exchanges a code for the session that `sessions.start` makes. Single use; using a code again revokes that session.
   *
   * @returns undefined: expired, reused or mismatched; the cases are not told apart (RFC 6749 `invalid_grant`).
   */
  redeem<S>(_request: CodeRequest, _sessions: SessionEnds<S>): Promise<S | undefined> {
    throw new Error('not built yet');
  }
}
