import { describe, expect, it } from '@jest/globals';
import { SvcError } from '../../../src/errors/svc-error.ts';
import type { S3Request } from '../../../src/storage/s3/request.ts';
import { operationOf, outcomeOf } from '../../../src/storage/s3/call.ts';

const bucket = 'files';
const key = 'secret/delete?uploads&uploadId=1';
const copied = { 'x-amz-copy-source': 'files/a' };

describe('operationOf', () => {
  it.each<[string, S3Request]>([
    ['ListBuckets', { method: 'GET', query: { 'max-buckets': '1' } }],
    ['ListObjectsV2', { method: 'GET', bucket, query: { 'list-type': '2' } }],
    ['ListObjectVersions', { method: 'GET', bucket, query: { versions: '' } }],
    ['GetBucketVersioning', { method: 'GET', bucket, query: { versioning: '' } }],
    ['GetObjectLockConfiguration', { method: 'GET', bucket, query: { 'object-lock': '' } }],
    ['GetBucketLifecycleConfiguration', { method: 'GET', bucket, query: { lifecycle: '' } }],
    ['HeadBucket', { method: 'HEAD', bucket }],
    ['CreateBucket', { method: 'PUT', bucket }],
    ['DeleteBucket', { method: 'DELETE', bucket }],
    ['DeleteObjects', { method: 'POST', bucket, query: { delete: '' } }],
    ['GetObject', { method: 'GET', bucket, key }],
    ['HeadObject', { method: 'HEAD', bucket, key }],
    ['PutObject', { method: 'PUT', bucket, key, headers: { 'x-amz-copy-source': undefined } }],
    ['CopyObject', { method: 'PUT', bucket, key, headers: copied }],
    ['DeleteObject', { method: 'DELETE', bucket, key }],
    ['GetObjectTagging', { method: 'GET', bucket, key, query: { tagging: '' } }],
    ['CreateMultipartUpload', { method: 'POST', bucket, key, query: { uploads: '' } }],
    ['UploadPart', { method: 'PUT', bucket, key, query: { uploadId: 'u', partNumber: '1' } }],
    ['UploadPartCopy', { method: 'PUT', bucket, key, query: { uploadId: 'u', partNumber: '1' }, headers: copied }],
    ['ListParts', { method: 'GET', bucket, key, query: { uploadId: 'u' } }],
    ['CompleteMultipartUpload', { method: 'POST', bucket, key, query: { uploadId: 'u' } }],
    ['AbortMultipartUpload', { method: 'DELETE', bucket, key, query: { uploadId: 'u' } }],
  ])('%s', (name, request) => expect(operationOf(request)).toBe(name));
});

describe('outcomeOf', () => {
  const left = new Error('the client went away');

  it.each<[string, unknown, AbortSignal | undefined]>([
    ['timeout', new SvcError('storage_timeout'), new AbortController().signal],
    ['failed', new SvcError('storage_unavailable'), undefined],
    ['refused', new SvcError('not_found'), undefined],
    ['refused', new SvcError('precondition_failed'), undefined],
    ['aborted', left, AbortSignal.abort(left)],
    ['aborted', new SvcError('session_required'), AbortSignal.abort(new SvcError('session_required'))],
    ['aborted', new Error('the body broke off'), new AbortController().signal],
  ])('%s', (outcome, error, signal) => expect(outcomeOf(error, signal)).toBe(outcome));
});
