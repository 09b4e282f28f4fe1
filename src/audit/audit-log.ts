import type { Logger } from '../log/logger.ts';
import { operations } from './operations.ts';
import type { Audit, ResourceOutcome } from './record.ts';

/** The maximum number of resources in one line. Further resources are in further lines with the same request id. */
export const MAX_RESOURCES = 100;

/**
 * Writes audit records as log lines with `audit: true`, so that they can be filtered and kept longer. Operations do not wait for them. The line of a change is written
 * before its client learns of the change.
 */
export function auditLog(logger: Logger): Audit {
  return {
    reads: 'content',
    ready: () => undefined,
    intend: () => undefined,
    write: ({ who, resources, operation, outcome, why, requestId, address }) => {
      let written: Promise<void> | undefined;
      const lines = Math.max(1, Math.ceil(resources.length / MAX_RESOURCES));
      for (let line = 0; line < lines; line += 1) {
        const fields = {
          audit: true,
          operation,
          outcome,
          ...(why === undefined ? {} : { why }),
          ...who,
          ...(address === undefined ? {} : { address }),
          requestId,
          resources: resources.slice(line * MAX_RESOURCES, (line + 1) * MAX_RESOURCES).map(withRuleOfRefusal),
          ...(lines === 1 ? {} : { line: line + 1, lines }),
        };
        const message = `${operation} ${outcome}`;
        if (logger.plain === undefined) logger.info(message, fields);
        else written = logger.plain(message, fields);
      }
      return operations[operation].kind === 'change' ? written : undefined;
    },
  };
}

/** The log names the rule that refused something, but not the rule that allowed it. */
function withRuleOfRefusal(resource: ResourceOutcome): ResourceOutcome {
  if (resource.outcome === 'denied' || resource.rule === undefined) return resource;
  const { rule: _rule, ...rest } = resource;
  return rest;
}
