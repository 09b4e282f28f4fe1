import { SvcError } from '../errors/svc-error.ts';

export type Fault = { readonly path: string; readonly message: string };

/** A request with faults, as `invalid_request` with every one of them. */
export function invalidRequest(first: Fault, ...more: readonly Fault[]): SvcError {
  return new SvcError('invalid_request', { detail: `${first.path}: ${first.message}`, members: { errors: [first, ...more] } });
}

/** @throws {SvcError} `invalid_request` when there are faults. */
export function refuseFaults([first, ...more]: readonly Fault[]): void {
  if (first !== undefined) throw invalidRequest(first, ...more);
}

/** @throws {SvcError} `invalid_request` when something is wrong with the member of that name. */
export function refuseFault(path: string, message: string | undefined): void {
  if (message !== undefined) throw invalidRequest({ path, message });
}

/** A body that takes longer than its client may need. */
export function slowBody(deadlineMs: number): SvcError {
  return new SvcError('invalid_request', { detail: `the body did not arrive within ${deadlineMs / 1000} seconds` });
}
