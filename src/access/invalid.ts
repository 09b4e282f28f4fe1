import { SvcError } from '../errors/svc-error.ts';

/** What is wrong with a request, as `invalid_request` with every fault; undefined when nothing is. */
export function invalidRequest(errors: readonly { readonly path: string; readonly message: string }[]): SvcError | undefined {
  const first = errors[0];
  return first === undefined ? undefined : new SvcError('invalid_request', { detail: `${first.path}: ${first.message}`, members: { errors } });
}
