import { codeOf } from '../../errors/svc-error.ts';
import type { S3Request } from './request.ts';

/** `refused` is an answer that asks nobody to mend anything, such as that there is no such object. `aborted`: the client went away. */
export type CallOutcome = 'ok' | 'refused' | 'failed' | 'timeout' | 'aborted';

/** One request to storage with its further attempts. Of an object that is read as a stream the time ends where its content begins. */
export type S3Call = { readonly provider: string; readonly operation: string; readonly outcome: CallOutcome; readonly seconds: number };

/** @param error - an error of ours when storage is to blame; another one came with the body, from a client that left. */
export function outcomeOf(error: unknown, signal: AbortSignal | undefined): CallOutcome {
  const code = codeOf(error);
  if (code === undefined || signal?.aborted === true) return 'aborted';
  if (code === 'storage_timeout') return 'timeout';
  return code === 'storage_unavailable' ? 'failed' : 'refused';
}

/** The name that S3's reference has for a request. */
export function operationOf({ method, bucket, key, query = {}, headers = {} }: S3Request): string {
  if (bucket === undefined) return 'ListBuckets';
  if (key === undefined) return 'delete' in query ? 'DeleteObjects' : ON_BUCKET[method];
  if (method === 'POST') return 'uploads' in query ? 'CreateMultipartUpload' : 'CompleteMultipartUpload';
  if (method === 'PUT') {
    const isCopy = headers['x-amz-copy-source'] !== undefined;
    if ('uploadId' in query) return isCopy ? 'UploadPartCopy' : 'UploadPart';
    return isCopy ? 'CopyObject' : 'PutObject';
  }
  if ('uploadId' in query) return method === 'GET' ? 'ListParts' : 'AbortMultipartUpload';
  return 'tagging' in query ? 'GetObjectTagging' : ON_OBJECT[method];
}

const ON_BUCKET = { GET: 'ListObjectsV2', HEAD: 'HeadBucket', PUT: 'CreateBucket', POST: 'other', DELETE: 'DeleteBucket' } as const;
const ON_OBJECT = { GET: 'GetObject', HEAD: 'HeadObject', DELETE: 'DeleteObject' } as const;
