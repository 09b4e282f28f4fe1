import type { StopSignal } from '../../bounds/stop-signal.ts';
import { codeOf } from '../../errors/svc-error.ts';
import type { S3Request } from './request.ts';

/** `refused` is an answer that nobody has to fix, for example that there is no such object. `aborted`: the client disconnected. */
export type CallOutcome = 'ok' | 'refused' | 'failed' | 'timeout' | 'aborted';

/** One request to storage, including its retries. For an object that is read as a stream, the time ends when its content begins. */
export type S3Call = {
  readonly provider: string;
  readonly operation: string;
  readonly outcome: CallOutcome;
  readonly seconds: number;
};

/** @param error - an {@link SvcError} when storage is to blame; any other error came with the body, from a client that disconnected. */
export function outcomeOf(error: unknown, signal: StopSignal | undefined): CallOutcome {
  const code = codeOf(error);
  if (code === undefined || signal?.aborted === true) return 'aborted';
  if (code === 'storage_timeout') return 'timeout';
  return code === 'storage_unavailable' ? 'failed' : 'refused';
}

/** The name of a request in the S3 reference. */
export function operationOf({ method, bucket, key, query = {}, headers = {} }: S3Request): string {
  if (bucket === undefined) return 'ListBuckets';
  if (key === undefined)
    return 'delete' in query ? 'DeleteObjects' : (BY_QUERY.find(([name]) => name in query)?.[1] ?? ON_BUCKET[method]);
  if (method === 'POST' && 'restore' in query) return 'RestoreObject';
  if (method === 'POST') return 'uploads' in query ? 'CreateMultipartUpload' : 'CompleteMultipartUpload';
  if (method === 'PUT') {
    if ('tagging' in query) return 'PutObjectTagging';
    const isCopy = headers['x-amz-copy-source'] !== undefined;
    if ('uploadId' in query) return isCopy ? 'UploadPartCopy' : 'UploadPart';
    return isCopy ? 'CopyObject' : 'PutObject';
  }
  if ('uploadId' in query) return method === 'GET' ? 'ListParts' : 'AbortMultipartUpload';
  return 'tagging' in query ? 'GetObjectTagging' : ON_OBJECT[method];
}

/** Questions about a bucket, by the parameter that asks them. */
const BY_QUERY = [
  ['uploads', 'ListMultipartUploads'],
  ['versions', 'ListObjectVersions'],
  ['versioning', 'GetBucketVersioning'],
  ['object-lock', 'GetObjectLockConfiguration'],
  ['lifecycle', 'GetBucketLifecycleConfiguration'],
] as const;
const ON_BUCKET = {
  GET: 'ListObjectsV2',
  HEAD: 'HeadBucket',
  PUT: 'CreateBucket',
  POST: 'other',
  DELETE: 'DeleteBucket',
} as const;
const ON_OBJECT = { GET: 'GetObject', HEAD: 'HeadObject', DELETE: 'DeleteObject' } as const;
