import { SvcError } from '../errors/svc-error.ts';

/** The refusal of a sign-in while every place is taken by an active session. */
export function sessionCapacity(capacity: number): SvcError {
  return new SvcError('session_capacity', {
    detail: `all ${capacity} sessions are in use; try again later, or ask an administrator to raise \`auth.session.capacity\``,
  });
}
