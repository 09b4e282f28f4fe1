import { MAX_RESOURCES } from './audit-log.ts';
import type { AuditRecord, Intent } from './record.ts';

/** What a line is made of: a change before it begins, or a finished request. */
export type LineRecord = Intent & Partial<Omit<AuditRecord, keyof Intent>>;

/** The members of each line of a record as JSON, without the opening brace. Without resources there is one line too. */
export function membersOf(record: LineRecord): string[] {
  const { resources } = record;
  const lines = Math.ceil(resources.length / MAX_RESOURCES);
  if (lines <= 1) return [textOf(record, resources)];
  return Array.from({ length: lines }, (_, i) =>
    textOf(record, resources.slice(i * MAX_RESOURCES, (i + 1) * MAX_RESOURCES), i + 1, lines),
  );
}

/** Undefined members are left out. All are named here, because to copy them from object to object takes as long as to write them. */
function textOf(
  { operation, who, address, face, requestId, outcome, why, bytes, durationMs, intent }: LineRecord,
  resources: Intent['resources'],
  line?: number,
  lines?: number,
): string {
  const { issuer, subject, name, via, credentialId, policyRevision } = who;
  return JSON.stringify({
    operation,
    issuer,
    subject,
    name,
    via,
    credentialId,
    policyRevision,
    address,
    face,
    requestId,
    outcome,
    why,
    bytes,
    durationMs,
    intent,
    resources,
    line,
    lines,
  }).slice(1);
}
