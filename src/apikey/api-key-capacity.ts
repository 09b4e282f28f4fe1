import { SvcError } from '../errors/svc-error.ts';

/** The error of one who has as many keys as one person may have. */
export function tooManyOwn(perSubject: number): SvcError {
  return new SvcError('api_key_capacity', { detail: `you have ${perSubject} API keys; revoke one, or ask an administrator to raise \`auth.api_keys.per_subject\`` });
}

/** The error of a registry that is full of keys that have not expired. */
export function allInUse(capacity: number): SvcError {
  return new SvcError('api_key_capacity', { detail: `all ${capacity} API keys are in use; revoke one, or ask an administrator to raise \`auth.api_keys.capacity\`` });
}
