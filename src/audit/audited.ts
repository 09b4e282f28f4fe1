import { codeOf } from '../errors/svc-error.ts';
import type { OperationName } from './operations.ts';
import type { Audit, Origin } from './record.ts';
import { Trail } from './trail.ts';

/**
 * Runs an operation and writes its audit line. Every face writes its audit lines through this function.
 *
 * @throws {SvcError} `audit_unavailable` instead of another error, for a change whose line could not be written.
 */
export function audited<T>(
  audit: Audit,
  operation: OperationName,
  origin: Origin,
  run: (trail: Trail) => Promise<T>,
): Promise<T> {
  const trail = new Trail(audit, operation, origin);
  return recorded(trail, () => trail.end(), run);
}

/**
 * Runs a part of an operation, which has audit lines of its own.
 *
 * @throws {SvcError} like {@link audited}.
 */
export function auditedPart<T>(trail: Trail, run: (part: Trail) => Promise<T>): Promise<T> {
  return recorded(trail.part(), () => undefined, run);
}

async function recorded<T>(trail: Trail, end: () => void, run: (trail: Trail) => Promise<T>): Promise<T> {
  try {
    return await run(trail);
  } catch (error) {
    trail.failed(codeOf(error) ?? (isAbort(error) ? 'client_gone' : 'internal'));
    throw error;
  } finally {
    end();
    const written = trail.write();
    if (written !== undefined) await written;
  }
}

function isAbort(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError';
}
