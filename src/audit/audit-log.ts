import type { Logger } from '../log/logger.ts';
import type { Audit } from './record.ts';

/** How many resources one line holds. Further resources follow in further lines with the same request id. */
const MAX_RESOURCES = 100;

/** Writes audit records as log lines with `audit: true`, so that they can be filtered and kept longer. */
export function auditLog(logger: Logger): Audit {
  return ({ who, resources, operation, outcome, why, requestId, address }) => {
    const lines = Math.max(1, Math.ceil(resources.length / MAX_RESOURCES));
    for (let line = 0; line < lines; line += 1) {
      logger.info(`${operation} ${outcome}`, {
        audit: true,
        operation,
        outcome,
        ...(why === undefined ? {} : { why }),
        ...who,
        ...(address === undefined ? {} : { address }),
        requestId,
        resources: resources.slice(line * MAX_RESOURCES, (line + 1) * MAX_RESOURCES),
        ...(lines === 1 ? {} : { line: line + 1, lines }),
      });
    }
  };
}
