import { SvcError } from '../errors/svc-error.ts';

export type Fault = { readonly path: string; readonly message: string };

/** The error `invalid_request` with the given faults. */
export function invalidRequest(first: Fault, ...more: readonly Fault[]): SvcError {
  return new SvcError('invalid_request', {
    detail: first.path === '' ? first.message : `${first.path}: ${first.message}`,
    members: { errors: [first, ...more] },
  });
}

/** Refuses a request that has faults. @throws {SvcError} `invalid_request` */
export function refuseFaults([first, ...more]: readonly Fault[]): void {
  if (first !== undefined) throw invalidRequest(first, ...more);
}

/** Refuses a request when `message` says that the member at `path` is wrong. @throws {SvcError} `invalid_request` */
export function refuseFault(path: string, message: string | undefined): void {
  if (message !== undefined) throw invalidRequest({ path, message });
}

/** What is wrong with a cursor that is no cursor, or that belongs to another question. */
export const UNKNOWN_CURSOR: Fault = {
  path: 'cursor',
  message: 'is not a cursor from an earlier answer; omit it for the first page',
};

/** The error of a body that does not arrive in time. */
export function slowBody(deadlineMs: number): SvcError {
  return new SvcError('invalid_request', { detail: `the body did not arrive within ${deadlineMs / 1000} seconds` });
}
