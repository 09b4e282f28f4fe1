import { SvcError } from '../errors/svc-error.ts';

/** What storage answered, as an error of ours. */
export function storageError(_providerName: string, error: unknown): SvcError {
  return new SvcError('storage_unavailable', { cause: error });
}
