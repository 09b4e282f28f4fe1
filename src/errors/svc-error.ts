import { catalogue, type ErrorCode } from './catalogue.ts';

export type SvcErrorOptions = {
  /** For the person who reads it: what is wrong and what to do. Never a secret or a stack. */
  readonly detail?: string;
  /** Further members of the problem document, such as `action` or `errors`. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Seconds for a `Retry-After` header. */
  readonly retryAfterSeconds?: number;
  /** For the log only; never sent. */
  readonly cause?: unknown;
  /** Whether the log has a line about the state that causes this error, so that the requests that fail meanwhile need none. */
  readonly isLogged?: boolean;
};

/**
 * The only error class of the service. {@link catalogue} defines the status and title of each `code`.
 *
 * Distinguish errors by `code`, never by class or text.
 */
export class SvcError extends Error {
  override readonly name = 'SvcError';
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly members: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | undefined;
  readonly isLogged: boolean;

  constructor(code: ErrorCode, options: SvcErrorOptions = {}) {
    super(options.detail ?? catalogue[code].title, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.detail = options.detail;
    this.members = options.members ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.isLogged = options.isLogged ?? false;
  }
}

/**
 * The detail that a client may read. The log has the full detail.
 *
 * The detail of a fault of the identity provider is hidden: the client is not signed in, so it must not learn the provider's address or answer. That of a fault
 * of the state database is for operators, who alone can make room on its disk.
 */
export function detailToTell({ code, detail }: SvcError): string | undefined {
  if (code === 'state_unavailable')
    return 'the state database gave no answer; try again in a moment, and if this lasts, tell an administrator of this service';
  if (detail === undefined || !code.startsWith('identity_provider_')) return detail;
  return 'try again in a moment; an administrator finds the reason in the log';
}

/** Whether an error is a fault of the service, or of something that it needs, which belongs in the log. What storage cannot do at all is none. */
export function isFault(code: ErrorCode): boolean {
  return catalogue[code].status >= 500 && code !== 'not_supported';
}

/** The error's code when it is one of ours, else undefined. Works across module realms, where `instanceof` does not. */
export function codeOf(error: unknown): ErrorCode | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' && Object.hasOwn(catalogue, error.code) ? (error.code as ErrorCode) : undefined;
}
