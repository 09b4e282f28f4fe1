import type { AuditResource } from './audit-resource.ts';
import type { OperationName } from './operations.ts';

/** `partly`: the operation succeeded on some resources, and was denied or failed on others. */
export type Outcome = 'done' | 'denied' | 'failed' | 'partly';

/** A person, as the identity provider names them. */
export type Person = { readonly issuer: string; readonly subject: string; readonly name: string };

export type Who = Person & {
  /** `unknown` is somebody who is not signed in. */
  readonly via: 'web' | 'desktop' | 'apiKey' | 's3Key' | 'webIdentity' | 'anonymous' | 'unknown';
  /** The public id of the session or key of the request. */
  readonly credentialId?: string;
  /** The revision of the policies that decided. */
  readonly policyRevision?: string;
};

/** The outcome for one resource. `untouched`: it was allowed, but nothing was done because another resource of the request was denied. */
export type ResourceOutcome = AuditResource & {
  /** The action about which policy was asked. */
  readonly action?: string;
  readonly outcome: 'done' | 'denied' | 'failed' | 'untouched';
  /** The reason of a refusal or failure: `explicit_deny` or `no_matching_allow` when policy denied it, otherwise a code of the catalogue. */
  readonly why?: string;
  /** The rule that decided: the policy's name, and the rule's index in it. */
  readonly rule?: string;
  /** The version of the object, when the request named one. */
  readonly version?: string;
  /** The owner of the session or key. */
  readonly of?: Person;
};

/** The origin of a request, and the face that received it. The answer carries the same request id. */
export type Origin = {
  readonly requestId: string;
  readonly address: string | undefined;
  readonly face: 'http' | 'rpc' | 'socket' | 's3';
};

/** A change before it is carried out: who wants to do what, on which resources. */
export type Intent = Origin & {
  readonly operation: OperationName;
  readonly who: Who;
  readonly resources: readonly (AuditResource & Partial<ResourceOutcome>)[];
};

/** A finished request: who asked for what, on which resources, how it ended and why, and where it came from. */
export type AuditRecord = Origin & {
  readonly operation: OperationName;
  readonly outcome: Outcome;
  readonly who: Who;
  readonly resources: readonly ResourceOutcome[];
  /** A code of the catalogue, or `client_gone`, `session_ended`, `session_expired`. */
  readonly why: string | undefined;
  /** Bytes of content that were sent or received; undefined for operations without content. */
  readonly bytes: number | undefined;
  readonly durationMs: number;
  /** The number under which the audit keeps the intent of this change; undefined without an intent. */
  readonly intent: number | undefined;
};

/** Counts what happens for metrics, whether it has an audit line or not. */
export interface Tally {
  /** Called when policy has decided. */
  decided(action: string, isAllowed: boolean): void;
  /** @param why - the reason of a failure; undefined for a success. */
  ended(operation: OperationName, why: string | undefined): void;
}

/** The destination of audit lines. A returned promise has to be awaited before the operation continues. */
export interface Audit {
  /** Which successful operations that change nothing have a line. Denied and failed operations always have one. */
  readonly reads: 'all' | 'content' | 'none';
  readonly tally?: Tally;
  /**
   * Checks whether a line can be written.
   *
   * @throws {SvcError} `audit_unavailable`.
   */
  ready(kind: 'change' | 'content' | 'read'): Promise<void> | undefined;
  /**
   * Records a change before it begins.
   *
   * @returns the number under which the audit keeps the intent.
   * @throws {SvcError} `audit_unavailable`.
   */
  intend(intent: Intent): Promise<number> | undefined;
  /**
   * Records the end of an operation. For a change it resolves when the line is on the disk.
   *
   * @throws {SvcError} `audit_unavailable`.
   */
  write(record: AuditRecord): Promise<void> | undefined;
}
