import type { SignInOptions } from '../../src/signin/options.ts';
import { randomSealingKey } from '../../src/secret/sealer.ts';
import { SignIn } from '../../src/signin/sign-in.ts';
import { MemoryEntries } from '../../src/state/memory-entries.ts';

export const REDIRECT_URI = 'http://127.0.0.1:9/v1/auth/callback';
export const POST_LOGOUT_REDIRECT_URI = 'http://127.0.0.1:9/';

export type Warning = { readonly message: string; readonly fields: Readonly<Record<string, unknown>> | undefined };

/** A sign-in engine as the service has it, with the warnings that it gave. */
export function signInWith(options: Partial<SignInOptions> & Pick<SignInOptions, 'issuer'>): {
  signIn: SignIn;
  warnings: Warning[];
} {
  const warnings: Warning[] = [];
  const now = options.now ?? Date.now;
  const signIn = new SignIn({
    clientId: 'svc',
    clientSecret: 'hostile-secret',
    clientAuth: 'basic',
    scopes: ['profile', 'groups'],
    subjectClaim: 'sub',
    groupsClaim: 'groups',
    redirectUri: REDIRECT_URI,
    desktopPrompt: 'login',
    localSubjects: new Set(),
    groupsDeny: false,
    rpInitiatedLogout: true,
    postLogoutRedirectUri: POST_LOGOUT_REDIRECT_URI,
    sealingKeys: [randomSealingKey()],
    ledger: new MemoryEntries({ now }),
    warn: (message, fields) => void warnings.push({ message, fields }),
    ...options,
    now,
  });
  return { signIn, warnings };
}

export function queryOf(url: string): string {
  return new URL(url).search;
}
