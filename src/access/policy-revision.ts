import { hash } from 'node:crypto';
import type { PolicySetDefinition } from '../policy/index/policy-set.ts';

/** The number of characters that distinguish revisions. */
const REVISION_LENGTH = 12;

/** A digest of the policies in force, as it is written in the lines of the audit. */
export function revisionOf(definition: PolicySetDefinition): string {
  return hash('sha256', JSON.stringify(definition)).slice(0, REVISION_LENGTH);
}
