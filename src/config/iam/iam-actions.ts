import type { AtomicAction } from '../../policy/model/action.ts';

/** `only`: the counterpart would allow more than the action of S3, so an allow of it gives nothing. */
type Counterpart = {
  readonly on: 'account' | 'bucket' | 'object';
  readonly gives: readonly AtomicAction[];
  readonly only?: 'deny';
};

/** The actions of Amazon S3 that have a counterpart in this service, and the kind of ARN that each is asked on. */
export const COUNTERPARTS: Readonly<Record<string, Counterpart>> = {
  ListAllMyBuckets: { on: 'account', gives: ['providers:list', 'buckets:list'] },
  CreateBucket: { on: 'bucket', gives: ['buckets:create'] },
  DeleteBucket: { on: 'bucket', gives: ['buckets:delete'] },
  ListBucket: { on: 'bucket', gives: ['objects:list'] },
  GetObject: { on: 'object', gives: ['objects:get'] },
  PutObject: { on: 'object', gives: ['objects:write'] },
  DeleteObject: { on: 'object', gives: ['objects:delete'] },
  GetObjectVersion: { on: 'object', gives: ['objects:versions'] },
  // Whoever may see the versions of an object that they may read can also read them, which S3 does not allow without `s3:GetObjectVersion`.
  ListBucketVersions: { on: 'bucket', gives: ['objects:versions'], only: 'deny' },
  DeleteObjectVersion: { on: 'object', gives: ['objects:purge'] },
};

/** What an action of Amazon S3 allows or denies here; undefined for nothing. */
export function counterpartOf(name: string, effect: 'allow' | 'deny'): Counterpart | undefined {
  const counterpart = Object.hasOwn(COUNTERPARTS, name) ? COUNTERPARTS[name] : undefined;
  return counterpart?.only === 'deny' && effect === 'allow' ? undefined : counterpart;
}

/**
 * Every action of Amazon S3. Wildcards are expanded over this list, and a name that is not in it is treated as a mistake.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazons3.html
 */
export const S3_ACTIONS: readonly string[] = `
  AbortMultipartUpload AllowVendedLogDeliveryForResource AssociateAccessGrantsIdentityCenter BypassGovernanceRetention
  CreateAccessGrant CreateAccessGrantsInstance CreateAccessGrantsLocation CreateAccessPoint CreateAccessPointForObjectLambda CreateBucket
  CreateBucketMetadataTableConfiguration CreateJob CreateMultiRegionAccessPoint CreateStorageLensGroup
  DeleteAccessGrant DeleteAccessGrantsInstance DeleteAccessGrantsInstanceResourcePolicy DeleteAccessGrantsLocation DeleteAccessPoint
  DeleteAccessPointForObjectLambda DeleteAccessPointPolicy DeleteAccessPointPolicyForObjectLambda DeleteAccessPointScope DeleteBucket
  DeleteBucketMetadataTableConfiguration DeleteBucketPolicy DeleteBucketWebsite DeleteJobTagging DeleteMultiRegionAccessPoint DeleteObject
  DeleteObjectAnnotation DeleteObjectTagging DeleteObjectVersion DeleteObjectVersionAnnotation DeleteObjectVersionTagging
  DeleteStorageLensConfiguration DeleteStorageLensConfigurationTagging DeleteStorageLensGroup DescribeJob
  DescribeMultiRegionAccessPointOperation DissociateAccessGrantsIdentityCenter
  GetAccelerateConfiguration GetAccessGrant GetAccessGrantsInstance GetAccessGrantsInstanceForPrefix GetAccessGrantsInstanceResourcePolicy
  GetAccessGrantsLocation GetAccessPoint GetAccessPointConfigurationForObjectLambda GetAccessPointForObjectLambda GetAccessPointPolicy
  GetAccessPointPolicyForObjectLambda GetAccessPointPolicyStatus GetAccessPointPolicyStatusForObjectLambda GetAccessPointScope
  GetAccountPublicAccessBlock GetAnalyticsConfiguration GetBucketAbac GetBucketAcl GetBucketCORS GetBucketLocation GetBucketLogging
  GetBucketMetadataTableConfiguration GetBucketNotification GetBucketObjectLockConfiguration GetBucketOwnershipControls GetBucketPolicy
  GetBucketPolicyStatus GetBucketPublicAccessBlock GetBucketRequestPayment GetBucketTagging GetBucketVersioning GetBucketWebsite GetDataAccess
  GetEncryptionConfiguration GetIntelligentTieringConfiguration GetInventoryConfiguration GetJobTagging GetLifecycleConfiguration
  GetMetricsConfiguration GetMultiRegionAccessPoint GetMultiRegionAccessPointPolicy GetMultiRegionAccessPointPolicyStatus
  GetMultiRegionAccessPointRoutes GetObject GetObjectAcl GetObjectAnnotation GetObjectAttributes GetObjectLegalHold GetObjectRetention
  GetObjectTagging GetObjectTorrent GetObjectVersion GetObjectVersionAcl GetObjectVersionAnnotation GetObjectVersionAnnotationForReplication
  GetObjectVersionAttributes GetObjectVersionForReplication GetObjectVersionTagging GetObjectVersionTorrent GetReplicationConfiguration
  GetStorageLensConfiguration GetStorageLensConfigurationTagging GetStorageLensDashboard GetStorageLensGroup InitiateReplication
  ListAccessGrants ListAccessGrantsInstances ListAccessGrantsLocations ListAccessPoints ListAccessPointsForObjectLambda ListAllMyBuckets
  ListBucket ListBucketMultipartUploads ListBucketVersions ListCallerAccessGrants ListJobs ListMultiRegionAccessPoints
  ListMultipartUploadParts ListObjectAnnotations ListObjectVersionAnnotations ListStorageLensConfigurations ListStorageLensGroups
  ListTagsForResource ObjectOwnerOverrideToBucketOwner PauseReplication
  PutAccelerateConfiguration PutAccessGrantsInstanceResourcePolicy PutAccessPointConfigurationForObjectLambda PutAccessPointPolicy
  PutAccessPointPolicyForObjectLambda PutAccessPointPublicAccessBlock PutAccessPointScope PutAccountPublicAccessBlock
  PutAnalyticsConfiguration PutBucketAbac PutBucketAcl PutBucketCORS PutBucketLogging PutBucketNotification PutBucketObjectLockConfiguration
  PutBucketOwnershipControls PutBucketPolicy PutBucketPublicAccessBlock PutBucketRequestPayment PutBucketTagging PutBucketVersioning
  PutBucketWebsite PutEncryptionConfiguration PutIntelligentTieringConfiguration PutInventoryConfiguration PutJobTagging
  PutLifecycleConfiguration PutMetricsConfiguration PutMultiRegionAccessPointPolicy PutObject PutObjectAcl PutObjectAnnotation
  PutObjectLegalHold PutObjectRetention PutObjectTagging PutObjectVersionAcl PutObjectVersionAnnotation PutObjectVersionTagging
  PutReplicationConfiguration PutStorageLensConfiguration PutStorageLensConfigurationTagging ReplicateDelete ReplicateObject
  ReplicateObjectAnnotation ReplicateTags RestoreObject SubmitMultiRegionAccessPointRoutes TagResource UntagResource
  UpdateAccessGrantsLocation UpdateBucketMetadataAnnotationTableConfiguration UpdateBucketMetadataInventoryTableConfiguration
  UpdateBucketMetadataJournalTableConfiguration UpdateJobPriority UpdateJobStatus UpdateObjectEncryption UpdateStorageLensGroup
`
  .trim()
  .split(/\s+/);

const BY_LOWER_CASE = new Map(S3_ACTIONS.map((action) => [action.toLowerCase(), action]));

/** An action as an IAM document writes it. */
export type WrittenAction =
  | { readonly kind: 'malformed' }
  | { readonly kind: 'other_service' }
  /** `names` are the known S3 actions that it stands for; empty when it is unknown. */
  | { readonly kind: 's3'; readonly names: readonly string[] };

/** Reads an action. Letter case is ignored; `*` and `?` are wildcards after the colon, and `*` alone means every action of every service. */
export function readAction(text: string): WrittenAction {
  if (text === '*') return { kind: 's3', names: S3_ACTIONS };
  const [, service, name] = /^([a-z0-9-]+):([a-z0-9*?]+)$/i.exec(text) ?? [];
  if (service === undefined || name === undefined) return { kind: 'malformed' };
  if (service.toLowerCase() !== 's3') return { kind: 'other_service' };
  return { kind: 's3', names: expand(name.toLowerCase()) };
}

function expand(pattern: string): readonly string[] {
  if (/[*?]/.test(pattern))
    return [...BY_LOWER_CASE].flatMap(([lower, action]) => (matchesWildcards(pattern, lower) ? [action] : []));
  const action = BY_LOWER_CASE.get(pattern);
  return action === undefined ? [] : [action];
}

/** Takes linear time in the text for each star of the pattern. */
function matchesWildcards(pattern: string, text: string): boolean {
  let [p, t, star, resume] = [0, 0, -1, 0];
  while (t < text.length) {
    if (pattern[p] === '*') [star, resume] = [p++, t];
    else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) [p, t] = [p + 1, t + 1];
    else if (star !== -1) [p, t] = [star + 1, ++resume];
    else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
