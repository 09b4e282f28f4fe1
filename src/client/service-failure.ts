import { catalogue, type ErrorCode } from '../errors/catalogue.ts';
import { SvcError } from '../errors/svc-error.ts';
import { tlsFault } from '../errors/tls-fault.ts';
import { ClientFailure } from './client-failure.ts';

/** Makes the error for a problem document. */
export function problemOf(status: number, text: string, retryAfter = ''): Error {
  return (
    refusalOf(jsonOf(text), retryAfter) ??
    failureOfProxy('a proxy', status, retryAfter) ??
    new ClientFailure(`the service answered ${status}`)
  );
}

/** The error that a problem describes; undefined when it is none of the service. */
export function refusalOf(problem: unknown, retryAfter: string): SvcError | undefined {
  const { code, detail, ...members } = (problem ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof code !== 'string' || !Object.hasOwn(catalogue, code)) return undefined;
  return new SvcError(code as ErrorCode, {
    members,
    ...(typeof detail === 'string' ? { detail } : {}),
    ...secondsIn(retryAfter),
  });
}

/**
 * The failure of an answer that a proxy makes in place of the service, which would have answered with a problem document; undefined for a status that tells nothing
 * of that kind.
 *
 * @param who - has answered.
 */
export function failureOfProxy(who: string, status: number, retryAfter: string): Error | undefined {
  if (status === 413)
    return new ClientFailure(
      'a proxy in front of the service takes no request as large as this; whoever runs it can raise its limit (nginx: `client_max_body_size`)',
      'payload_too_large',
    );
  if (status === 429)
    return new SvcError('rate_limited', {
      detail:
        'a proxy in front of the service takes fewer requests at a time; whoever runs it can raise its limit (nginx: `limit_req`)',
      ...secondsIn(retryAfter),
    });
  return status < 500
    ? undefined
    : new ClientFailure(
        `${who} answered ${status}, as a proxy does that cannot reach the service or has lost it; does the service run?`,
        'unreachable',
      );
}

function secondsIn(retryAfter: string): { readonly retryAfterSeconds?: number } {
  const seconds = Number(retryAfter);
  return seconds > 0 ? { retryAfterSeconds: seconds } : {};
}

/** The failure for a connection error, with its innermost reason. */
export function unreachable(server: string, error: unknown): ClientFailure {
  let reason = error;
  while (reason instanceof Error && reason.cause instanceof Error) reason = reason.cause;
  const code = (reason as { code?: unknown }).code;
  const tls =
    typeof code === 'string'
      ? tlsFault(code, { authority: '`--ca` (or SVC_CA_FILE)', address: '`--server`' })
      : undefined;
  if (tls !== undefined) return new ClientFailure(`${server} ${tls}`, 'unreachable');
  const why = typeof code === 'string' ? code : reason instanceof Error ? reason.message : String(reason);
  return new ClientFailure(
    `${server} cannot be reached (${why}); is the address right, and does the service run?`,
    'unreachable',
  );
}

/** The JSON in a text; undefined when there is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
