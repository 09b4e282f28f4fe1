import type { Audit, Tally } from './record.ts';

/** The same audit, with a tally that counts what happens. */
export function withTally(audit: Audit, tally: Tally): Audit {
  return {
    reads: audit.reads,
    tally,
    ready: (kind) => audit.ready(kind),
    intend: (intent) => audit.intend(intent),
    write: (record) => audit.write(record),
  };
}
