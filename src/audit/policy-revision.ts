import { hash } from 'node:crypto';
import type { PolicySetDefinition } from '../policy/policy-set.ts';

/** So many characters tell revisions apart. */
const REVISION_LENGTH = 12;

/** A digest of the policies that decide, as the lines of the audit name it. */
export function revisionOf(definition: PolicySetDefinition): string {
  return hash('sha256', JSON.stringify(definition)).slice(0, REVISION_LENGTH);
}
