import { randomBytes } from 'node:crypto';
import type { Faults, Warn } from './fault.ts';
import type { Environment } from './substitute.ts';
import { readRegularFile, unreadable } from './regular-file.ts';

const MIN_BYTES = 32;

/** One value for the whole process, so that reading the configuration again gives the same one. */
let random: string | undefined;

/**
 * The secrets that sign session cookies, from the environment. The first one signs; all of them verify.
 *
 * | variable | use |
 * |---|---|
 * | `SVC_SESSION_SECRET`, `SVC_SESSION_SECRET_FILE` | signs; required when `NODE_ENV` is `production` |
 * | `SVC_SESSION_SECRET_PREVIOUS` | still verifies, so that a secret can be changed without signing everyone out |
 */
export function sessionSecrets(env: Environment, faults: Faults, warn: Warn): string[] {
  const current = read('SVC_SESSION_SECRET', env, faults);
  const previous = read('SVC_SESSION_SECRET_PREVIOUS', env, faults);
  if (current !== undefined) return previous === undefined ? [current] : [current, previous];
  // A variable that is set but unusable was already reported.
  if (env['SVC_SESSION_SECRET'] !== undefined || env['SVC_SESSION_SECRET_FILE']) return [];
  if (env['NODE_ENV'] === 'production') {
    faults.addOutside(
      'SVC_SESSION_SECRET',
      `is not set; production needs one of ${MIN_BYTES} bytes or more, such as from \`openssl rand -base64 48\``,
    );
    return [];
  }
  warn('', 'SVC_SESSION_SECRET is not set: a random one is used, and a restart signs everyone out');
  return [(random ??= randomBytes(48).toString('base64url'))];
}

/**
 * The secrets from which the secrets of S3 keys are derived: of the configuration, or else of the environment. The first one is for new keys; keys of all of
 * them verify.
 *
 * | variable | use |
 * |---|---|
 * | `SVC_S3_SECRET`, `SVC_S3_SECRET_FILE` | instead of `s3.secret` |
 * | `SVC_S3_SECRET_PREVIOUS` | still verifies, so that a secret can be changed without changing every tool at once |
 */
export function s3Secrets(given: string | undefined, env: Environment, faults: Faults): string[] {
  const previous = read('SVC_S3_SECRET_PREVIOUS', env, faults);
  const current = given ?? read('SVC_S3_SECRET', env, faults);
  if (given !== undefined && Buffer.byteLength(given) < MIN_BYTES)
    faults.add('s3.secret', `must be ${MIN_BYTES} bytes or more; it has ${Buffer.byteLength(given)}`);
  // A variable that is set but unusable was already reported.
  if (current === undefined && env['SVC_S3_SECRET'] === undefined && !env['SVC_S3_SECRET_FILE'])
    faults.addOutside(
      's3.secret',
      `is missing: set it, or \`SVC_S3_SECRET\`, to ${MIN_BYTES} bytes or more, such as from \`openssl rand -base64 48\``,
    );
  return [current, previous].filter((secret) => secret !== undefined);
}

function read(name: string, env: Environment, faults: Faults): string | undefined {
  const file = env[`${name}_FILE`];
  if (file !== undefined && file !== '' && env[name] !== undefined) {
    faults.addOutside(name, `is set twice: as \`${name}\` and as \`${name}_FILE\``);
    return undefined;
  }
  const secret = file === undefined || file === '' ? env[name] : readFile(file, `${name}_FILE`, faults);
  if (secret === undefined) return undefined;
  if (Buffer.byteLength(secret) < MIN_BYTES) {
    faults.addOutside(name, `must be ${MIN_BYTES} bytes or more; it has ${Buffer.byteLength(secret)}`);
    return undefined;
  }
  return secret;
}

function readFile(path: string, name: string, faults: Faults): string | undefined {
  try {
    return readRegularFile(path)
      .toString()
      .replace(/\r?\n$/, '');
  } catch (error) {
    faults.addOutside(name, `the file \`${path}\` ${unreadable(error)}`);
    return undefined;
  }
}
