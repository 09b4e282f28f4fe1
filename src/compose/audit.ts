import { auditLog } from '../audit/audit-log.ts';
import { AuditQuestions } from '../audit/audit-questions.ts';
import type { AuditStore } from '../audit/audit-store.ts';
import type { Audit, Tally } from '../audit/record.ts';
import { tellingChanges, type OnObjectChanged } from '../audit/telling-changes.ts';
import type { AuditSettings } from '../config/read/settings.ts';
import type { Metrics } from '../http/rows/metrics.ts';
import type { Logger } from '../log/logger.ts';

export type OpenAudit = {
  /** Takes the line of each request. */
  readonly lines: Audit;
  /** Undefined when the audit is only in the log. */
  readonly store: AuditStore | undefined;
  /** Undefined when the audit is only in the log. */
  readonly questions: AuditQuestions | undefined;
};

/** Opens the audit in files, or in the log without `audit`. */
export async function openAudit(
  settings: AuditSettings | undefined,
  metrics: Metrics | undefined,
  { onChanged, ...parts }: { readonly log: Logger; readonly now: () => number; readonly onChanged: OnObjectChanged },
): Promise<OpenAudit> {
  const store = settings === undefined ? undefined : await openStore(settings, parts);
  const audit = store ?? auditLog(parts.log);
  return {
    lines: tellingChanges(metrics === undefined ? audit : withTally(audit, metrics), onChanged),
    store,
    questions: settings === undefined ? undefined : new AuditQuestions(settings.path),
  };
}

async function openStore(
  settings: AuditSettings,
  parts: { readonly log: Logger; readonly now: () => number },
): Promise<AuditStore> {
  const { AuditStore: Store } = await import('../audit/audit-store.ts');
  return Store.open(settings, parts);
}

/** The same audit, with a tally that counts what happens. */
function withTally(audit: Audit, tally: Tally): Audit {
  return {
    reads: audit.reads,
    tally,
    ready: (kind) => audit.ready(kind),
    intend: (intent) => audit.intend(intent),
    write: (record) => audit.write(record),
  };
}
