import { SvcError } from '../errors/svc-error.ts';
import type { KeyScope } from '../policy/model/key-scope.ts';

export type KeyRequest = {
  readonly description: string;
  /** For an S3 key. */
  readonly provider?: string;
  readonly scope: KeyScope;
  /** Milliseconds since the epoch; null for a key that does not expire. */
  readonly expiresAt: number | null;
};

const MAX_DESCRIPTION_CHARACTERS = 200;

/** @throws {SvcError} `invalid_request` */
export function checkDescription(description: string): string {
  const trimmed = description.trim();
  if (trimmed !== '' && trimmed.length <= MAX_DESCRIPTION_CHARACTERS) return trimmed;
  throw invalid('description', `say in 1 to ${MAX_DESCRIPTION_CHARACTERS} characters what the key is for`);
}

/** The error for a member of the request. */
export function invalid(path: string, message: string): SvcError {
  return new SvcError('invalid_request', { detail: `${path}: ${message}`, members: { errors: [{ path, message }] } });
}
