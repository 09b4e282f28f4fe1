import type { LivePolicies } from '../access/live-policies.ts';
import type { Targets } from '../access/target.ts';
import type { Tickets } from '../access/ticket.ts';
import type { ApiKeys } from '../apikey/api-keys.ts';
import type { AuditStore } from '../audit/audit-store.ts';
import type { AuditQuestions } from '../audit/audit-questions.ts';
import type { PlaceStore } from '../place/kept-places.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import type { Suspensions } from '../key/suspensions.ts';
import type { S3Keys } from '../s3key/s3-keys.ts';
import type { Sessions } from '../session/sessions.ts';
import type { StorageHealth } from '../storage/health.ts';
import type { Opened } from '../storage/provider.ts';
import type { ProviderShares } from '../storage/provider-shares.ts';
import type { SignInWire } from '../wire/sign-in.ts';
import type { Thumbnails } from '../thumbnail/thumbnails.ts';

/** Storage as operations see it. It opens only places that policy allowed, and the functions of storage accept only opened places. */
export interface PermittedStorage {
  /** In the order of the configuration. */
  names(): string[];
  /** The buckets that the configuration names for a provider, possibly none. Storage is not asked. */
  namedBuckets(provider: string): readonly string[];
  /** How the connections of a provider are shared; undefined for an unknown one. */
  sharesOf(provider: string): ProviderShares | undefined;
  /** @throws {SvcError} `not_found`: no provider has this name. */
  open<P extends { readonly provider: string }>(place: Permitted<P>): Opened<P>;
}

/** A stored sign-in. `at` is milliseconds since the epoch. */
export type KeptSignIn = Omit<SignInWire, 'at' | 'address'> & { readonly at: number; readonly address?: string };

/** The parts of the service that operations use. */
export type Services = {
  readonly version: string;
  /** The origin and base path at which clients reach the service. */
  readonly home: string;
  readonly targets: Targets;
  readonly policies: LivePolicies;
  readonly sessions: Sessions;
  readonly storageHealth: StorageHealth;
  readonly tickets: Tickets;
  /** Undefined when `auth.api_keys` is not configured. */
  readonly apiKeys: ApiKeys | undefined;
  /** Undefined when `s3` is not configured. */
  readonly s3Keys: S3Keys | undefined;
  /** Undefined without a state database. */
  readonly suspensions: Suspensions | undefined;
  /** The favourite and recent places of people. Undefined without a state database. */
  readonly places: PlaceStore | undefined;
  /** Where tools reach the S3 endpoint; null without one. */
  readonly s3Endpoint: { readonly endpoint: string; readonly region: string } | null;
  /** Undefined when thumbnails are turned off. */
  readonly thumbnails: Thumbnails | undefined;
  /** The latest sign-ins; undefined without an identity provider. */
  readonly signIns: { read(whose: 'known' | 'unknown'): Promise<readonly KeptSignIn[]> } | undefined;
  /** Undefined when the audit is only in the log. */
  readonly audit: AuditQuestions | undefined;
  /** The state of what sends the audit to other places; undefined when the audit is only in the log. */
  readonly auditStore: Pick<AuditStore, 'instance' | 'sinks'> | undefined;
  /** What people who are no administrators see of what others did with an object. */
  readonly activity: 'all' | 'changes' | 'off';
};
