import type { Settings } from '../config/read/settings.ts';
import { LocalSignIn } from '../http/signin/local-sign-in.ts';
import { SessionCookie } from '../http/signin/session-cookie.ts';
import { SignInFlow } from '../http/signin/sign-in-flow.ts';
import type { Logger } from '../log/logger.ts';
import { deniesToGroups } from '../policy/index/group-deny.ts';
import { randomSealingKey, sealingKeyFromSecret } from '../secret/sealer.ts';
import { DesktopCodes } from '../signin/desktop-code.ts';
import { SignIn } from '../signin/sign-in.ts';
import { SignInRecords } from '../signin/sign-in-records.ts';
import type { Access } from './access.ts';
import { isShared, type Stores } from './stores.ts';

export type JoinedSignIn = ReturnType<typeof joinSignIn>;

/** Joins the ways to sign in: an identity provider, or local users. */
export function joinSignIn(
  settings: Settings,
  { newEntries, recent }: Pick<Stores, 'newEntries' | 'recent'>,
  { identify, ownOrigin, policies, sessions }: Access,
  { log, now }: { readonly log: Logger; readonly now: () => number },
) {
  const { auth, policy, proxy, server } = settings;
  const { oidc } = auth;
  const ownKey = randomSealingKey();
  const provider =
    oidc &&
    new SignIn({
      ...oidc,
      proxy,
      localSubjects: new Set(auth.localUsers.map(({ subject }) => subject)),
      groupsDeny: deniesToGroups(policy),
      ledger: newEntries('used logins'),
      now,
      warn: log.warn,
      sealingKeys: sealingKeysOf(settings, ownKey),
    });
  // What has waited for the start is answered first.
  setImmediate(() => void provider?.prepare());
  const records =
    oidc && new SignInRecords({ ...oidc, lists: recent, definition: () => policies.definition, now, warn: log.warn });
  const secure = auth.publicOrigin.startsWith('https:');
  const sessionCookie = new SessionCookie({
    sessions,
    secrets: auth.sessionSecrets,
    secure,
    path: server.basePath || '/',
    ttlSeconds: auth.session.ttlSeconds,
  });
  const desktopCodes = new DesktopCodes({ entries: newEntries('desktop codes'), now });
  const flow = new SignInFlow({
    authEnabled: auth.enabled,
    signIn: provider,
    records,
    sessions,
    sessionCookie,
    desktopCodes,
    identify,
    basePath: server.basePath,
    secure,
    log,
  });
  return {
    flow,
    records,
    desktopCodes,
    /** Replaces the identity provider, for development. */
    local: auth.enabled && provider === undefined ? new LocalSignIn({ users: auth.localUsers, ownOrigin }) : undefined,
    certificateEndsAt: () => provider?.certificateEndsAt,
    takeOver: (next: Settings): void => {
      sessionCookie.replaceSecrets(next.auth.sessionSecrets);
      provider?.replaceSecrets({
        clientSecret: next.auth.oidc?.clientSecret,
        sealingKeys: sealingKeysOf(next, ownKey),
      });
    },
    close: async (): Promise<void> => provider?.close(),
  };
}

/**
 * The keys of pending logins. Processes that share sessions share the keys, so that each can finish a login that another began. Otherwise the key belongs to
 * this process, and a restart loses unfinished logins.
 */
function sealingKeysOf(settings: Settings, own: Buffer): Buffer[] {
  return isShared(settings)
    ? settings.auth.sessionSecrets.map((secret) => sealingKeyFromSecret(secret, 'svc pending logins'))
    : [own];
}
