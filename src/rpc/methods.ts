import { createApiKey, listApiKeys, replaceApiKeyScope, revokeApiKey, rotateApiKey } from '../operation/api-keys.ts';
import { listProviders, listVisibleBuckets, makeBucket, removeBucket } from '../operation/buckets.ts';
import { copy, describeObject, listVisibleObjects, presignObject, removeObjects } from '../operation/objects.ts';
import type { AnyOperation } from '../operation/operation.ts';
import { listPermissions } from '../operation/permissions.ts';
import type { Services } from '../operation/services.ts';
import { getSession, initialize } from '../operation/sessions.ts';
import { createTransfer } from '../operation/transfers.ts';
import { createUpload, dropUpload, getUpload, joinUpload } from '../operation/uploads.ts';

const METHODS = [
  initialize,
  getSession,
  listProviders,
  listVisibleBuckets,
  makeBucket,
  removeBucket,
  listVisibleObjects,
  describeObject,
  removeObjects,
  copy,
  presignObject,
  listPermissions,
  // Bytes do not fit into messages: they travel with the tickets of `transfer/create`.
  createTransfer,
  createUpload,
  getUpload,
  joinUpload,
  dropUpload,
] as const;

const API_KEY_METHODS = [createApiKey, listApiKeys, rotateApiKey, replaceApiKeyScope, revokeApiKey] as const;

/** A method is an operation, and its name the operation's. Those of API keys are there only when the registry is. */
export function rpcMethods({ apiKeys }: Services): ReadonlyMap<string, AnyOperation> {
  const operations: readonly AnyOperation[] = apiKeys === undefined ? METHODS : [...METHODS, ...API_KEY_METHODS];
  return new Map(operations.map((operation) => [operation.name, operation]));
}
