import type { Audit } from '../audit/record.ts';
import type { Settings } from '../config/read/settings.ts';
import type { Logger } from '../log/logger.ts';
import { Performer } from '../operation/perform.ts';
import type { Services } from '../operation/services.ts';
import { Dispatch } from '../rpc/dispatch.ts';
import { rpcMethods } from '../rpc/methods.ts';
import type { Access } from './access.ts';
import type { JoinedStorage } from './storage.ts';

export type OperationParts = Pick<
  Services,
  'audit' | 'auditStore' | 'places' | 'signIns' | 'thumbnails' | 'version'
> & {
  readonly access: Access;
  readonly storage: JoinedStorage;
  /** Takes the line of each operation. `audit` answers questions about earlier lines. */
  readonly lines: Audit;
  readonly log: Logger;
};

/** Gives operations the services that they use, and each face the means to perform them. */
export function joinOperations(
  { audit, auth, s3, server }: Settings,
  { access, storage: { storage, storageHealth, targets }, lines, log, ...services }: OperationParts,
): { readonly performer: Performer; readonly dispatch: Dispatch } {
  const { apiKeys, s3Keys, suspensions, policies, sessions, tickets, watch } = access;
  const all: Services = {
    ...services,
    activity: audit?.activity ?? 'changes',
    home: auth.publicOrigin + server.basePath,
    apiKeys,
    s3Keys,
    suspensions,
    s3Endpoint: s3 === undefined ? null : { endpoint: s3.publicEndpoint, region: s3.region },
    policies,
    sessions,
    storageHealth,
    targets,
    tickets,
  };
  const performer = new Performer({ audit: lines, watch, storage, services: all });
  return { performer, dispatch: new Dispatch({ methods: rpcMethods(all), performer, log, version: all.version }) };
}
