import { SvcError } from '../errors/svc-error.ts';

/** The error of a sign-in when the store is full of active sessions. */
export function sessionCapacity(capacity: number): SvcError {
  return new SvcError('session_capacity', {
    detail: `all ${capacity} sessions are in use; try again later, or ask an administrator to raise \`auth.session.capacity\``,
  });
}
