import {
  createApiKey,
  listApiKeys,
  listEverybodysApiKeys,
  replaceApiKeyScope,
  revokeApiKey,
  revokeApiKeysOfPerson,
  rotateApiKey,
} from '../operation/api-keys.ts';
import { listActivity, listAudit, listSinks } from '../operation/audit.ts';
import {
  findBucket,
  listProviders,
  listVisibleBuckets,
  makeBucket,
  readInfoOfBucket,
  removeBucket,
} from '../operation/buckets.ts';
import { setProperties, setTags } from '../operation/object-properties.ts';
import {
  copy,
  describeObject,
  listTags,
  listVisibleObjects,
  presignObject,
  removeObjects,
} from '../operation/objects.ts';
import type { AnyOperation } from '../operation/operation.ts';
import { listSuspended, resumePerson, suspendPerson } from '../operation/people.ts';
import { listPermissions } from '../operation/permissions.ts';
import { listPlaces, markPlaces } from '../operation/places.ts';
import { countObjects, searchObjects } from '../operation/search.ts';
import {
  createS3Key,
  listEverybodysS3Keys,
  listS3Keys,
  replaceS3KeyScope,
  revokeS3Key,
  revokeS3KeysOfPerson,
  rotateS3Key,
} from '../operation/s3-keys.ts';
import type { Services } from '../operation/services.ts';
import { getSession, initialize, listSessions, revokeSession, revokeSessionsOfPerson } from '../operation/sessions.ts';
import { listSignIns } from '../operation/sign-ins.ts';
import { createTransfer } from '../operation/transfers.ts';
import {
  copyIntoPart,
  createUpload,
  dropUpload,
  getUpload,
  joinUpload,
  listOpenUploads,
} from '../operation/uploads.ts';
import { restoreFolder } from '../operation/restore-folder.ts';
import { listVisibleVersions, purgeObject, restoreObject, unarchiveObject } from '../operation/versions.ts';
import { unwatchFolder, watchFolder } from '../operation/watches.ts';
import { whoMayDo } from '../operation/who.ts';

const METHODS = [
  initialize,
  getSession,
  listProviders,
  listVisibleBuckets,
  findBucket,
  readInfoOfBucket,
  makeBucket,
  removeBucket,
  listVisibleObjects,
  watchFolder,
  unwatchFolder,
  searchObjects,
  countObjects,
  listVisibleVersions,
  describeObject,
  listTags,
  setTags,
  setProperties,
  removeObjects,
  copy,
  restoreObject,
  restoreFolder,
  unarchiveObject,
  purgeObject,
  presignObject,
  listPermissions,
  listPlaces,
  markPlaces,
  whoMayDo,
  listAudit,
  listSinks,
  listActivity,
  // The bytes of objects do not fit into messages. They are transferred with the tickets of `transfer/create`.
  createTransfer,
  createUpload,
  getUpload,
  joinUpload,
  dropUpload,
  listOpenUploads,
  copyIntoPart,
  listSignIns,
  listSessions,
  revokeSession,
  revokeSessionsOfPerson,
  suspendPerson,
  resumePerson,
  listSuspended,
] as const;

const API_KEY_METHODS = [
  createApiKey,
  listApiKeys,
  listEverybodysApiKeys,
  rotateApiKey,
  replaceApiKeyScope,
  revokeApiKey,
  revokeApiKeysOfPerson,
] as const;

const S3_KEY_METHODS = [
  createS3Key,
  listS3Keys,
  listEverybodysS3Keys,
  rotateS3Key,
  replaceS3KeyScope,
  revokeS3Key,
  revokeS3KeysOfPerson,
] as const;

/** The methods: each is an operation under its own name. The `apiKey/…` methods exist only when there is a registry of API keys, and so do those of S3 keys. */
export function rpcMethods({ apiKeys, s3Keys }: Services): ReadonlyMap<string, AnyOperation> {
  const operations: readonly AnyOperation[] = [
    ...METHODS,
    ...(apiKeys === undefined ? [] : API_KEY_METHODS),
    ...(s3Keys === undefined ? [] : S3_KEY_METHODS),
  ];
  return new Map(operations.map((operation) => [operation.name, operation]));
}
