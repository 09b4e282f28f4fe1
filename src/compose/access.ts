import { CredentialWatch } from '../access/credential-watch.ts';
import { endSuspended } from '../access/end-suspended.ts';
import { Identify, isAdmin } from '../access/identify.ts';
import { LivePolicies } from '../access/live-policies.ts';
import { OriginCheck } from '../access/origin.ts';
import { Tickets } from '../access/ticket.ts';
import { ApiKeys } from '../apikey/api-keys.ts';
import { isLoopbackHost } from '../config/compile/origin.ts';
import type { Settings } from '../config/read/settings.ts';
import { Suspensions } from '../key/suspensions.ts';
import { EndedLogins } from '../session/ended-logins.ts';
import { S3Keys } from '../s3key/s3-keys.ts';
import { Sessions } from '../session/sessions.ts';
import type { Stores } from './stores.ts';

export type Access = ReturnType<typeof joinAccess>;

/** Joins sessions, keys and policies: who a caller is, and what they may do. */
export function joinAccess(
  { auth, policy, s3, server }: Settings,
  {
    sessionStore,
    apiKeyStore,
    s3KeyStore,
    suspensionStore,
    newEntries,
  }: Pick<Stores, 'sessionStore' | 'apiKeyStore' | 's3KeyStore' | 'suspensionStore' | 'newEntries'>,
  now: () => number,
) {
  const policies = new LivePolicies(policy);
  const s3Keys =
    s3 === undefined || s3KeyStore === undefined
      ? undefined
      : new S3Keys({ ...s3, store: s3KeyStore, capacity: s3.keyCapacity, now });
  const apiKeys =
    auth.apiKeys === undefined || apiKeyStore === undefined
      ? undefined
      : new ApiKeys({ store: apiKeyStore, ...auth.apiKeys, now });
  const keys = [apiKeys ?? apiKeyStore, s3Keys ?? s3KeyStore].filter((each) => each !== undefined);
  const suspensions =
    suspensionStore === undefined ? undefined : new Suspensions({ store: suspensionStore, keys, now });
  const sessions = new Sessions({
    ...(suspensions !== undefined && { isSuspended: (identity) => suspensions.includes(identity) }),
    ...(s3Keys !== undefined && { onStarted: (identity) => s3Keys.noteSignIn(identity) }),
    endedLogins: new EndedLogins({ entries: newEntries('ended logins'), now }),
    store: sessionStore,
    ttlSeconds: auth.session.ttlSeconds,
    isAdmin: (identity) => isAdmin(policies.grantsFor(identity).roles),
    now,
  });
  const identify = new Identify({
    authEnabled: auth.enabled,
    sessions,
    policies,
    apiKeys,
    s3Keys,
    ...(suspensions !== undefined && { isSuspended: (identity) => suspensions.includes(identity) }),
    cookieSecrets: auth.sessionSecrets,
  });
  return {
    policies,
    sessions,
    apiKeys,
    s3Keys,
    suspensions,
    identify,
    watch: new CredentialWatch({ identify, sessions, apiKeys, s3Keys, now }),
    tickets: new Tickets({ entries: newEntries('tickets'), identify, now }),
    ownOrigin: new OriginCheck({
      authEnabled: auth.enabled,
      publicOrigin: auth.publicOrigin,
      loopbackPort: isLoopbackHost(server.host) ? server.port : undefined,
    }),
    /** Completes suspensions in the middle of which the process was killed. */
    enforceSuspensions: async (): Promise<void> => {
      if (suspensions === undefined) return;
      await suspensions.enforce();
      await endSuspended({ suspensions, sessions, ttlSeconds: auth.session.ttlSeconds, now });
    },
    takeOver: (next: Settings): void => {
      policies.replace(next.policy);
      identify.replaceSecrets(next.auth.sessionSecrets);
      if (next.s3 !== undefined) s3Keys?.replaceSecrets(next.s3.secrets);
    },
    close: async (): Promise<void> => {
      await apiKeys?.close();
      await s3Keys?.close();
      await sessions.close();
    },
  };
}
