import { SvcError } from '../errors/svc-error.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import { headOf } from './conditions.ts';
import type { Abortable, ObjectRef } from './provider.ts';
import { isFault, mayBeDone } from './storage-error.ts';

/** How fast storage brings the object back: faster costs more, and not every archive has each. */
export type RetrievalTier = 'bulk' | 'standard' | 'expedited';
/** `begun`: storage brings it back from now on; `underway`: it was doing so already; `readable`: it can be read, for longer now. */
export type Retrieval = 'begun' | 'underway' | 'readable';

const ARCHIVES: readonly (string | undefined)[] = ['GLACIER', 'DEEP_ARCHIVE'];
const TIERS = { bulk: 'Bulk', standard: 'Standard', expedited: 'Expedited' } as const;

/**
 * Asks storage to bring an archived object back, so that it can be read for some days.
 *
 * @throws {SvcError} `conflict`: it is not archived.
 */
export async function unarchive(
  object: Permitted<ObjectRef>,
  { days, tier, signal }: Abortable & { readonly days: number; readonly tier: RetrievalTier },
): Promise<Retrieval> {
  const { provider, bucket, key } = object;
  // Storage without archives may take the request for another one.
  const { 'x-amz-storage-class': storageClass } = await headOf(object, { signal });
  if (!ARCHIVES.includes(storageClass)) throw notArchived();
  const body = Buffer.from(
    `<RestoreRequest xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Days>${days}</Days><GlacierJobParameters><Tier>${TIERS[tier]}</Tier></GlacierJobParameters></RestoreRequest>`,
  );
  const headers = { 'content-type': 'application/xml' };
  try {
    const request = { method: 'POST', bucket, key, query: { restore: '' }, headers, body } as const;
    return (await provider.s3.send(request, { signal })).status === 202 ? 'begun' : 'readable';
  } catch (error) {
    if (isFault(error, 'RestoreAlreadyInProgress')) return mayBeDone(error) ? 'begun' : 'underway';
    throw isFault(error, 'InvalidObjectState') ? notArchived() : error;
  }
}

function notArchived(): SvcError {
  return new SvcError('conflict', { detail: 'the object is not archived, so it can be read as it is' });
}
