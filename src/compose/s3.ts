import type { IncomingMessage, RequestListener } from 'node:http';
import type { Audit } from '../audit/record.ts';
import type { Settings } from '../config/read/settings.ts';
import type { Logger } from '../log/logger.ts';
import { FaultLimit } from '../http/routing/fault-limit.ts';
import type { Performer } from '../operation/perform.ts';
import type { Identity } from '../policy/model/identity.ts';
import { WebIdentities } from '../signin/web-identity.ts';
import type { Access } from './access.ts';
import type { JoinedStorage } from './storage.ts';

export type S3Parts = {
  readonly access: Access;
  readonly storage: JoinedStorage;
  readonly performer: Performer;
  /** Takes the line of each session that is begun. */
  readonly lines: Audit;
  readonly addressOf: (req: IncomingMessage) => string | undefined;
  readonly log: Logger;
  readonly bodyDeadlineMs: number;
  readonly now: () => number;
};

export type JoinedS3 = {
  readonly listener: RequestListener;
  readonly takeOver: (next: Settings) => void;
  readonly close: () => Promise<void>;
};

/** Makes the face of S3, which is loaded only when it is configured. */
export async function joinS3(
  { s3, proxy, server }: Settings,
  { access, storage: { storage }, lines, now, ...parts }: S3Parts,
): Promise<JoinedS3 | undefined> {
  const { s3Keys, identify, suspensions, policies } = access;
  if (s3 === undefined || s3Keys === undefined) return undefined;
  const [{ s3Listener }, { S3Credentials }, { S3Sessions }] = await Promise.all([
    import('../s3/listener.ts'),
    import('../s3/credentials.ts'),
    import('../s3/sessions.ts'),
  ]);
  const sessions = new S3Sessions(s3.secrets);
  const credentials = new S3Credentials({
    keys: s3Keys,
    sessions,
    identify,
    isSuspended: async (identity) => (await suspensions?.includes(identity)) === true,
    now,
  });
  const identities =
    s3.webIdentity.length === 0
      ? undefined
      : new WebIdentities({ trusted: s3.webIdentity, proxy, now, warn: parts.log.warn });
  const strangers = new FaultLimit(server.signInPerMinute);
  const sts = {
    audit: lines,
    credentials,
    sessions,
    webIdentity: identities && ((token: string) => identities.verify(token)),
    isBound: (identity: Identity) => policies.grantsFor(identity).policies.length > 0,
    countStranger: (address: string | undefined) => strangers.count(address),
    hasProvider: (name: string) => storage.providers.names().includes(name),
    maxSessionSeconds: s3.maxSessionSeconds,
  };
  const endpointHost = new URL(s3.publicEndpoint).host;
  return {
    listener: s3Listener({ ...parts, credentials, sts, endpointHost, region: s3.region }),
    takeOver: (next) => {
      if (next.s3 !== undefined) sessions.replaceSecrets(next.s3.secrets);
    },
    close: async () => identities?.close(),
  };
}
