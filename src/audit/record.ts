import type { OperationName } from './operations.ts';

/** `partly`: some of the resources were done, others were denied or failed. */
export type Outcome = 'done' | 'denied' | 'failed' | 'partly';

/** A person, as the identity provider names them. */
export type Person = { readonly issuer: string; readonly subject: string; readonly name: string };

export type Who = Person & {
  /** `unknown` is somebody who is not signed in. */
  readonly via: 'web' | 'desktop' | 'apiKey' | 'anonymous' | 'unknown';
  /** The public id of the session or key that the request came with. */
  readonly credentialId?: string;
};

/** What became of one resource. `untouched`: it was allowed, but another one of the same request was not. */
export type ResourceOutcome = {
  /** `provider/bucket/key`, `session/ID` or `apiKey/ID`. */
  readonly resource: string;
  /** What policy was asked. */
  readonly action?: string;
  readonly outcome: 'done' | 'denied' | 'failed' | 'untouched';
  /** Why not: `explicit_deny` or `no_matching_allow` when it was denied, else a code of the catalogue. */
  readonly why?: string;
  /** The rule that denied it: the policy's name and the rule's place in it. */
  readonly rule?: string;
  /** Whose session or key it is. */
  readonly of?: Person;
};

/** Where a request came from. The request id stands in the answer too. */
export type Origin = { readonly requestId: string; readonly address: string | undefined };

/** Who asked for what, on which resources, how it ended and why, and from where. */
export type AuditRecord = Origin & {
  readonly operation: OperationName;
  readonly outcome: Outcome;
  readonly who: Who;
  readonly resources: readonly ResourceOutcome[];
  /** A code of the catalogue, or `client_gone`, `session_ended`, `session_expired`. */
  readonly why: string | undefined;
};

export type Audit = (record: AuditRecord) => void;
