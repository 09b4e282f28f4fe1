import type { Settings } from '../config/read/settings.ts';
import { Storage } from '../storage/storage.ts';
import { examineAudit } from './audit.ts';
import { Findings, type Finding } from './finding.ts';
import { examineIdentityProvider } from './identity-provider.ts';
import { examineState, examineSessionStore } from './state.ts';
import { examineS3Endpoint } from './s3-endpoint.ts';
import { examineProvider } from './storage-provider.ts';

export type Examination = {
  /** Buckets in which a probe object is written and deleted. */
  readonly writeTo: readonly { readonly provider: string; readonly bucket: string }[];
  readonly tell: (finding: Finding) => void;
};

/**
 * Examines everything that the service depends on, without starting it: the identity provider, the state, the session store, the proxy before the S3 endpoint,
 * the audit, and each storage provider.
 */
export async function examine(settings: Settings, { writeTo, tell }: Examination): Promise<void> {
  const { oidc } = settings.auth;
  if (oidc !== undefined) await examineIdentityProvider(oidc, settings, new Findings('identity provider', tell));
  if (settings.state !== undefined) await examineState(settings.state, new Findings('state', tell));
  await examineSessionStore(settings, new Findings('session store', tell));
  if (settings.s3 !== undefined)
    await examineS3Endpoint(settings.s3, settings.providers[0]?.name ?? '', new Findings('S3 endpoint', tell));
  if (settings.audit !== undefined) await examineAudit(settings.audit, tell);
  const storage = new Storage(settings.providers.map((provider) => ({ ...provider, proxy: settings.proxy })));
  try {
    for (const provider of storage.providers.all()) {
      const buckets = writeTo.filter((place) => place.provider === provider.name).map(({ bucket }) => bucket);
      await examineProvider(provider, buckets, settings, new Findings(`storage ${provider.name}`, tell));
    }
  } finally {
    storage.close();
  }
}
