import { CommanderError } from 'commander';
import { catalogue, type ErrorCode } from '../../errors/catalogue.ts';
import { codeOf, type SvcError } from '../../errors/svc-error.ts';
import { TransferError } from '../../transfer/failure.ts';
import { ClientFailure } from '../../client/client-failure.ts';
import { CliFailure, EXIT, type ExitStatus } from './cli-failure.ts';

const CLIENT_STATUS: Readonly<Record<string, ExitStatus>> = { usage: EXIT.usage, login_refused: EXIT.denied };

/** A failure as it is shown to a person or a script. */
export type FailureText = { readonly status: ExitStatus; readonly code: string; readonly message: string };

/**
 * Describes a failure and what to do about it, with the exit status for scripts.
 *
 * @param named - the path that is printed before the message, so that the message need not repeat it.
 */
export function failureText(error: unknown, named?: string): FailureText {
  if (error instanceof CliFailure) return { status: error.status, code: error.code, message: error.message };
  if (error instanceof ClientFailure)
    return { status: CLIENT_STATUS[error.code] ?? EXIT.failed, code: error.code, message: error.message };
  if (error instanceof TransferError) return { status: EXIT.failed, code: error.code, message: error.message };
  if (error instanceof CommanderError)
    return { status: error.exitCode === 0 ? EXIT.done : EXIT.usage, code: 'usage', message: usageSentence(error) };
  const code = codeOf(error);
  if (code !== undefined) return { status: statusOf(code), code, message: sentence(code, error as SvcError) };
  return { status: EXIT.failed, code: 'failed', message: systemSentence(error, named) };
}

/** Does what a command does with one object, and puts its path before what a failure says. A refusal names it already. */
export async function naming<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined || ['access_denied', 'session_required'].includes(code)) throw error;
    const { status, message } = failureText(error);
    throw new CliFailure(status, `${path}: ${message}`, code);
  }
}

function usageSentence({ code, message }: CommanderError): string {
  return code === 'commander.help' ? 'a command is missing; see `--help`' : message.replace(/^error: /, '');
}

function statusOf(code: ErrorCode): ExitStatus {
  const { rpc } = catalogue[code];
  if (rpc === catalogue.session_required.rpc) return EXIT.notSignedIn;
  return rpc === catalogue.access_denied.rpc ? EXIT.denied : EXIT.failed;
}

const TRY_AGAIN = 'try again; if the problem persists, tell an administrator of the service';

/** What to do next, for errors whose own detail does not say it. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  session_required: 'run `svc login`, or give another credential',
  admin_required: 'ask someone who has the role `admin`',
  interactive_session_required: 'run `svc login`',
  bucket_exists: 'choose another name',
  bucket_not_empty: 'empty it first: `svc rm -r PROVIDER/BUCKET`, or `svc rb --force`',
  api_key_capacity:
    'revoke a key that is not used any more: an API key with `svc key list` and `svc key revoke ID`, an S3 key in the web UI',
  rate_limited: 'wait a minute and try again',
  overloaded: TRY_AGAIN,
  session_capacity: 'try again later, or ask whoever runs the service for a larger `auth.session.capacity`',
  storage_unavailable: TRY_AGAIN,
  storage_timeout: TRY_AGAIN,
  internal: TRY_AGAIN,
};

function sentence(code: ErrorCode, { detail, members }: SvcError): string {
  if (code === 'access_denied') return deniedSentence(members, detail);
  // The detail is a whole sentence for people.
  if (code === 'audit_unavailable' && detail !== undefined) return detail;
  const { title } = catalogue[code];
  const faults = Array.isArray(members['errors'])
    ? (members['errors'] as { path?: string; message?: string }[])
        .map(({ path = '', message = '' }) => `${path}: ${message}`)
        .join('; ')
    : '';
  const said = [title.charAt(0).toLowerCase() + title.slice(1), detail ?? faults]
    .filter((part) => part !== '')
    .join(': ');
  const advice = ADVICE[code];
  if (advice === undefined || said.includes(advice)) return said;
  return `${said}; ${said.includes('try again') ? advice.replace(/^try again; /, '') : advice}`;
}

function deniedSentence(
  { action, resource }: Readonly<Record<string, unknown>>,
  detail = 'your policies do not allow this',
): string {
  if (typeof action !== 'string') return detail;
  const { provider, bucket, key } = (resource ?? {}) as { provider?: string; bucket?: string; key?: string };
  const place = [provider, bucket, key].filter((part) => part !== undefined).join('/');
  return `\`${action}\` on \`${place}\` is not allowed: ${detail}`;
}

const SYSTEM: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'this user may not do that here',
  EPERM: 'this user may not do that here',
  ENOSPC: 'the disk is full',
  EISDIR: 'this is a folder',
  ESPIPE: 'this is a pipe, which cannot be read from its start again; save it to a file',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EEXIST: 'it exists already',
  ENAMETOOLONG: 'the name is too long for this file system',
  ELOOP: 'this is a symbolic link, which is not followed',
  EROFS: 'the file system is read-only',
};

function systemSentence(error: unknown, named: string | undefined): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path } = error as NodeJS.ErrnoException;
  const known = code === undefined ? undefined : SYSTEM[code];
  if (known === undefined) return error.message;
  return path === undefined || path === named ? known : `${path}: ${known}`;
}
