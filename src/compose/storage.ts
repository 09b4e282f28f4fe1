import { Targets } from '../access/target.ts';
import type { Settings } from '../config/read/settings.ts';
import { sealingKeyFromSecret } from '../secret/sealer.ts';
import { StorageHealth } from '../storage/health.ts';
import type { S3Call } from '../storage/s3/call.ts';
import { Storage } from '../storage/storage.ts';
import type { Turns } from '../storage/turns.ts';

export type JoinedStorage = ReturnType<typeof joinStorage>;

/**
 * Joins the storage providers with what checks names and health for them.
 *
 * @param onCall - called for each request to a provider.
 * @param turns - the turns of writes, in a worker.
 */
export function joinStorage(
  settings: Settings,
  { onCall, turns, now }: { onCall: ((call: S3Call) => void) | undefined; turns: Turns | undefined; now: () => number },
) {
  const storage = new Storage(providersOf(settings), cursorKeysOf(settings), onCall, turns);
  return {
    storage,
    targets: new Targets((provider) => storage.providers.dotsOf(provider)),
    storageHealth: new StorageHealth({ providers: () => storage.providers.all(), now }),
    takeOver: (next: Settings): void => storage.replace(providersOf(next), cursorKeysOf(next)),
    close: (): void => storage.close(),
  };
}

function providersOf({ providers, proxy }: Settings) {
  return providers.map((provider) => ({ ...provider, proxy }));
}

function cursorKeysOf({ auth }: Settings): Buffer[] {
  return auth.sessionSecrets.map((secret) => sealingKeyFromSecret(secret, 'svc cursors'));
}
