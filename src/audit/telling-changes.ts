import { FOLDER_CHANGES } from './operations.ts';
import type { Audit, AuditRecord } from './record.ts';

/** Hears of an object that was written, deleted or brought back. */
export type OnObjectChanged = (provider: string, bucket: string, key: string) => void;

/** The same audit, which also tells of each object that was changed. Every face writes the lines of all changes to the audit, so this is where they are known. */
export function tellingChanges(audit: Audit, onChanged: OnObjectChanged): Audit {
  const { reads, tally } = audit;
  return {
    reads,
    ...(tally !== undefined && { tally }),
    ready: (kind) => audit.ready(kind),
    intend: (intent) => audit.intend(intent),
    write: (record) => {
      tellOf(record, onChanged);
      return audit.write(record);
    },
  };
}

function tellOf({ operation, resources }: AuditRecord, onChanged: OnObjectChanged): void {
  if (!FOLDER_CHANGES.has(operation)) return;
  for (const resource of resources) {
    // The source of a copy was only read.
    if (resource.outcome === 'done' && resource.action !== 'objects:get' && 'key' in resource)
      onChanged(resource.provider, resource.bucket, resource.key);
  }
}
