import * as openid from 'openid-client';
import type { Identity } from '../policy/model/identity.ts';
import {
  areLeftOut,
  claimAt,
  groupsAt,
  nameOf,
  parseClaimPath,
  withoutNull,
  type Claims,
  type Warn,
} from './claims.ts';
import type { IdTokenClaims } from './id-token.ts';
import { providerFailure, rejected } from './provider-failure.ts';
import type { KnownProvider } from './provider.ts';
import type { SignInNotes } from './sign-in-notes.ts';
import { issuedLoginOf, type IssuedLogin } from './provider-login.ts';

/** A person whom the provider has authenticated. */
export type SignedInPerson = {
  readonly identity: Identity;
  readonly name: string;
  readonly idToken: string;
  /** The identifiers under which the provider ends this sign-in; undefined when it cannot. */
  readonly login: IssuedLogin | undefined;
  /**
   * The groups claim: its path, whether the claims had it, and the names of the claims. It helps when a signed-in person sees nothing. Undefined for local
   * users.
   */
  readonly groupsClaim:
    { readonly path: string; readonly found: boolean; readonly present: readonly string[] } | undefined;
};

/** Claims that describe the token, not the person. */
const PROTOCOL_CLAIMS: ReadonlySet<string> = new Set([
  'iss',
  'aud',
  'azp',
  'exp',
  'iat',
  'nbf',
  'jti',
  'nonce',
  'at_hash',
  'c_hash',
  'auth_time',
  'acr',
  'amr',
  'sid',
  'typ',
]);

export type ClaimNames = {
  readonly issuer: string;
  readonly subjectClaim: string;
  readonly groupsClaim: string;
  readonly localSubjects: ReadonlySet<string>;
  /** Whether a policy denies something to a group, so that a sign-in without known groups is refused. */
  readonly groupsDeny: boolean;
  readonly warn: Warn;
};

/** Databases cannot store such text, and without storing it, two names could not be told apart. */
const NO_NAME =
  'the identity provider sent a subject or a group with the character U+0000 or half a character, which no name can hold; ask an administrator';

function isName(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

const TOO_MANY_GROUPS =
  'the identity provider left your groups out because there are too many, and a policy here denies something to a group; ask an administrator to have the provider send only the groups that are assigned to this application';

/**
 * Reads the person from verified claims.
 *
 * When the ID token has no groups at the path of the claim, the userinfo endpoint is asked, if there is one. When that request
 * fails, the sign-in fails, because a deny that is bound to a group must not be lost for the whole life of the session.
 *
 * @throws {SvcError} `login_rejected`, `identity_provider_unavailable`, `identity_provider_timeout`
 */
export async function readPerson(
  provider: KnownProvider,
  tokens: { readonly idToken: string; readonly accessToken: string; readonly claims: IdTokenClaims },
  names: ClaimNames,
  notes: SignInNotes,
): Promise<SignedInPerson> {
  const subject = claimAt(tokens.claims, names.subjectClaim);
  if (typeof subject !== 'string' || subject.trim() === '') {
    throw rejected(
      `the ID token has no text in the claim \`${names.subjectClaim}\`, which \`identity.subject_claim\` names; ask an administrator`,
    );
  }
  if (!isName(subject)) throw rejected(NO_NAME);
  const login = issuedLoginOf(tokens.claims);
  if (names.localSubjects.has(subject))
    return {
      identity: { issuer: names.issuer, subject, groups: [] },
      name: nameOf(tokens.claims, subject),
      idToken: tokens.idToken,
      login,
      groupsClaim: undefined,
    };
  const claims = await withUserInfo(provider, tokens, names.groupsClaim);
  notes.received(claims, names.subjectClaim);
  if (names.groupsDeny && areLeftOut(claims, names.groupsClaim)) throw rejected(TOO_MANY_GROUPS);
  const { found, groups } = groupsAt(claims, names.groupsClaim, names.warn);
  notes.groups = groups;
  notes.groupsFound = found;
  if (!groups.every(isName)) throw rejected(NO_NAME);
  return {
    identity: { issuer: names.issuer, subject, groups },
    name: nameOf(claims, subject),
    idToken: tokens.idToken,
    login,
    groupsClaim: {
      path: names.groupsClaim,
      found,
      present: Object.keys(claims)
        .filter((name) => !PROTOCOL_CLAIMS.has(name))
        .sort(),
    },
  };
}

/** Adds claims from userinfo. The ID token's claims take precedence, except the one in which the groups were looked for. */
async function withUserInfo(
  provider: KnownProvider,
  tokens: { readonly accessToken: string; readonly claims: IdTokenClaims },
  groupsClaim: string,
): Promise<Claims> {
  const { accessToken } = tokens;
  const claims = withoutNull(tokens.claims);
  if (claimAt(claims, groupsClaim) !== undefined || provider.metadata.userinfo_endpoint === undefined) return claims;
  const { [parseClaimPath(groupsClaim)[0]!]: _searched, ...others } = claims;
  try {
    const more = await openid.fetchUserInfo(provider.config, accessToken, tokens.claims.sub);
    return { ...claims, ...more, ...others };
  } catch (error) {
    throw providerFailure(error, `the request for the claim \`${groupsClaim}\` at the userinfo endpoint`);
  }
}
