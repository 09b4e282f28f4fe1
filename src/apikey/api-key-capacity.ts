import { SvcError } from '../errors/svc-error.ts';

/** The error for a person who has the maximum number of API keys. */
export function tooManyOwn(perSubject: number): SvcError {
  return new SvcError('api_key_capacity', {
    detail: `you have ${perSubject} API keys; revoke one, or ask an administrator to raise \`auth.api_keys.per_subject\``,
  });
}

/** The error when the registry is full of unexpired keys. */
export function allInUse(capacity: number): SvcError {
  return new SvcError('api_key_capacity', {
    detail: `all ${capacity} API keys are in use; revoke one, or ask an administrator to raise \`auth.api_keys.capacity\``,
  });
}
