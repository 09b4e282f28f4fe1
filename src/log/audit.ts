import type { Logger } from './logger.ts';

/** Who did what, to what, and how it ended. */
export type AuditEvent = {
  /** `session.start`, `session.end`, `apikey.create` …, or the action asked, such as `objects:delete`. */
  readonly action: string;
  readonly outcome: 'allowed' | 'denied' | 'failed' | 'done';
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  /** `web`, `desktop`, `apiKey` or `anonymous`. */
  readonly via: string;
  readonly resource?: string;
  readonly requestId?: string;
  readonly address?: string;
  readonly detail?: string;
};

export type Audit = (event: AuditEvent) => void;

/** Writes audit events as log lines with `audit: true`, so that they can be told apart and kept longer. */
export function createAudit(logger: Logger): Audit {
  return (event) => logger.info(`${event.action} ${event.outcome}`, { audit: true, ...event });
}
