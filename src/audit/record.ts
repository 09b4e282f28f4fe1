import type { OperationName } from './operations.ts';

/** `partly`: the operation succeeded on some resources, and was denied or failed on others. */
export type Outcome = 'done' | 'denied' | 'failed' | 'partly';

/** A person, as the identity provider names them. */
export type Person = { readonly issuer: string; readonly subject: string; readonly name: string };

export type Who = Person & {
  /** `unknown` is somebody who is not signed in. */
  readonly via: 'web' | 'desktop' | 'apiKey' | 'anonymous' | 'unknown';
  /** The public id of the session or key that the request came with. */
  readonly credentialId?: string;
  /** The revision of the policies that decided. */
  readonly policyRevision?: string;
};

/** The outcome for one resource. `untouched`: it was allowed, but nothing was done because another resource of the request was denied. */
export type ResourceOutcome = {
  /** `provider/bucket/key`, `session/ID` or `apiKey/ID`. */
  readonly resource: string;
  /** The action that policy was asked about. */
  readonly action?: string;
  readonly outcome: 'done' | 'denied' | 'failed' | 'untouched';
  /** The reason of a refusal or failure: `explicit_deny` or `no_matching_allow` when policy denied it, else a code of the catalogue. */
  readonly why?: string;
  /** The rule that decided: the policy's name, and the rule's index in it. */
  readonly rule?: string;
  /** Whose session or key it is. */
  readonly of?: Person;
};

/** Where a request came from, and by which face. The answer carries the same request id. */
export type Origin = { readonly requestId: string; readonly address: string | undefined; readonly face: 'http' | 'rpc' | 'socket' };

/** Who wants to do what, on which resources, before it is done. What becomes of them is not known yet. */
export type Intent = Origin & {
  readonly operation: OperationName;
  readonly who: Who;
  readonly resources: readonly Omit<ResourceOutcome, 'outcome'>[];
};

/** Who asked for what, on which resources, how it ended and why, and from where. */
export type AuditRecord = Origin & {
  readonly operation: OperationName;
  readonly outcome: Outcome;
  readonly who: Who;
  readonly resources: readonly ResourceOutcome[];
  /** A code of the catalogue, or `client_gone`, `session_ended`, `session_expired`. */
  readonly why: string | undefined;
  /** Bytes of content that were sent or received; undefined for what moves none. */
  readonly bytes: number | undefined;
  readonly durationMs: number;
  /** Where the audit keeps the intent of this change; undefined without one. */
  readonly intent: number | undefined;
};

/** Counts what happens, lines or not, for metrics. */
export interface Tally {
  /** Policy was asked, and has decided. */
  decided(action: string, isAllowed: boolean): void;
  /** @param why - it failed; undefined when it did not. */
  ended(operation: OperationName, why: string | undefined): void;
}

/** Where audit lines go. What returns a promise has to be waited for before anything goes on. */
export interface Audit {
  /** Which operations that change nothing have a line when they were done. Those that were denied or failed always have one. */
  readonly reads: 'all' | 'content' | 'none';
  readonly tally?: Tally;
  /** Asks whether a line can be written. @throws {SvcError} `audit_unavailable`. */
  ready(kind: 'change' | 'content' | 'read'): Promise<void> | undefined;
  /** Notes a change before it is begun. @returns where the audit keeps it. @throws {SvcError} `audit_unavailable`. */
  intend(intent: Intent): Promise<number> | undefined;
  /** Notes what has ended. For a change it resolves when the line is on the disk. @throws {SvcError} `audit_unavailable`. */
  write(record: AuditRecord): Promise<void> | undefined;
}
