import { SvcError } from '../errors/svc-error.ts';

export function auditUnavailable(cause: unknown, { isLogged = false } = {}): SvcError {
  return new SvcError('audit_unavailable', {
    detail:
      'the service cannot record what is done, so it does nothing until it can; if this lasts, tell an administrator of this service',
    retryAfterSeconds: 5,
    cause,
    isLogged,
  });
}
