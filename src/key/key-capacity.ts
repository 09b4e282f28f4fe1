import { SvcError } from '../errors/svc-error.ts';
import type { KeyKind } from './key.ts';

/** The error for a person who has the maximum number of keys. */
export function tooManyOwn({ name, limits }: KeyKind, perSubject: number): SvcError {
  const raise = limits.perSubject === undefined ? '' : `, or ask an administrator to raise \`${limits.perSubject}\``;
  return new SvcError('api_key_capacity', { detail: `you have ${perSubject} ${name}s; revoke one${raise}` });
}

/** The error when the registry is full of unexpired keys. */
export function allInUse({ name, limits }: KeyKind, capacity: number): SvcError {
  return new SvcError('api_key_capacity', {
    detail: `all ${capacity} ${name}s are in use; revoke one, or ask an administrator to raise \`${limits.capacity}\``,
  });
}
